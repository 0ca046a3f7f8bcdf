/* A request's first failure, its deadline, and what waits for the end of its transaction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* cmocka's; ours is meant below */

#include "ctx.h"

static struct ctx fresh(void)
{
    struct ctx c = {.arena = arena_new(1 << 20)};

    ctx_begin(&c, 30);
    return c;
}

static err service(struct ctx *c, int n)
{
    return n > 2 ? fail(c, ERR_NOT_FOUND, "no thing %d", n) : ERR_OK;
}

static err twice(struct ctx *c, int n)
{
    TRY(service(c, 0));
    TRY(service(c, n));
    return fail(c, ERR_CONFLICT, "not reached with a large n");
}

static void the_first_failure_is_kept(void **unused)
{
    struct ctx c = fresh();

    (void)unused;
    assert_int_equal(c.fault.code, ERR_OK);
    assert_int_equal(twice(&c, 7), ERR_NOT_FOUND);
    assert_int_equal(fail(&c, ERR_INTERNAL, "later"), ERR_INTERNAL);
    assert_int_equal(c.fault.code, ERR_NOT_FOUND);
    assert_string_equal(c.fault.message, "no thing 7");
    assert_non_null(strstr(c.fault.file, "test_ctx.c"));
    assert_true(c.fault.line > 0);
    ctx_forgive(&c);
    assert_int_equal(twice(&c, 1), ERR_CONFLICT);
    assert_int_equal(c.fault.code, ERR_CONFLICT);
    arena_free(c.arena);
}

static void fields_at_fault_are_collected(void **unused)
{
    struct ctx c = fresh();
    int n = 0;

    (void)unused;
    for (int i = 0; i < FIELD_ERRORS_MAX + 5; i++) {
        char pointer[20];

        snprintf(pointer, sizeof pointer, "/f%d", i);
        assert_int_equal(fail_field(&c, pointer, "field %d is wrong", i), ERR_INVALID);
    }
    assert_int_equal(c.fault.code, ERR_INVALID);
    assert_string_equal(c.fault.message, "field 0 is wrong");
    assert_int_equal(c.fault.n_fields, FIELD_ERRORS_MAX);
    for (struct field_error *e = c.fault.fields; e; e = e->next, n++) {
        assert_string_equal(e->pointer, arena_printf(c.arena, "/f%d", n));
        assert_string_equal(e->detail, arena_printf(c.arena, "field %d is wrong", n));
    }
    assert_int_equal(n, FIELD_ERRORS_MAX);
    ctx_forgive(&c);
    assert_null(c.fault.fields);
    assert_int_equal(fail_field(&c, "/again", "wrong"), ERR_INVALID);
    assert_int_equal(c.fault.n_fields, 1);
    assert_string_equal(c.fault.fields->pointer, "/again");
    arena_free(c.arena);
}

static void every_code_says_what_it_is(void **unused)
{
    (void)unused;
    for (int code = ERR_OK; code < ERR_COUNT; code++) {
        const struct err_info *i = err_info((enum err)code);

        assert_true(i->http >= 200 && i->http <= 599);
        assert_true((i->jsonrpc == 0) == (code == ERR_OK));
        assert_true(*i->slug && *i->meaning);
        for (int other = ERR_OK; other < code; other++)
            assert_string_not_equal(err_info((enum err)other)->slug, i->slug);
    }
    assert_int_equal(err_info(ERR_INVALID)->http, 422);
    assert_string_equal(err_info(ERR_RATE)->slug, "RATE_LIMITED");
}

static void deadlines(void **unused)
{
    struct ctx c = fresh();

    (void)unused;
    assert_int_equal(ctx_check_deadline(&c), ERR_OK);
    assert_int_equal(ctx_seconds_left(&c), 30);
    c.deadline_us = clock_monotonic_us() + SECOND_US - 1;
    assert_int_equal(ctx_seconds_left(&c), 1);
    c.deadline_us = clock_monotonic_us() - 1;
    assert_int_equal(ctx_seconds_left(&c), 0);
    assert_int_equal(ctx_check_deadline(&c), ERR_DEADLINE);
    assert_int_equal(c.fault.code, ERR_DEADLINE);
    ctx_begin(&c, 0);
    assert_int_equal(c.fault.code, ERR_OK);
    assert_int_equal(ctx_check_deadline(&c), ERR_OK);
    assert_true(ctx_seconds_left(&c) > 60);
    assert_true(c.now.us > 0);
    arena_free(c.arena);
}

static char ran[8];

static void note(struct ctx *c, void *arg)
{
    ran[strlen(ran)] = *(const char *)arg;
    (void)fail(c, ERR_INTERNAL, "not to be heard of");
}

static void after_the_transaction(void **unused)
{
    struct ctx c = fresh();
    char x = 'x', y = 'y';

    (void)unused;
    ctx_after_tx(&c, note, &x);
    ctx_after_tx(&c, note, &y);
    assert_string_equal(ran, "");
    ctx_tx_is_over(&c);
    assert_int_equal(strlen(ran), 2);
    assert_true(strchr(ran, 'x') && strchr(ran, 'y'));
    assert_int_equal(c.fault.code, ERR_OK);
    ctx_tx_is_over(&c);
    assert_int_equal(strlen(ran), 2);
    arena_free(c.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_failure_is_kept),  cmocka_unit_test(fields_at_fault_are_collected),
        cmocka_unit_test(every_code_says_what_it_is), cmocka_unit_test(deadlines),
        cmocka_unit_test(after_the_transaction),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
