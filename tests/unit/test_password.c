/* Passwords: hashed, checked, and as slow for nobody as for somebody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#undef fail
#include <sodium.h>

#include "app.h"
#include "config.h"
#include "limit.h"
#include "password.h"
#include "str.h"

static struct config conf = {.argon_fast = true};
static struct app app = {.conf = &conf};
static struct ctx c;

static int begins(void **state)
{
    (void)state;
    conf.argon_fast = true;
    c = (struct ctx){.arena = arena_new(1 << 24), .app = &app};
    ctx_begin(&c, 0);
    return sodium_init() < 0;
}

static int ends(void **state)
{
    (void)state;
    arena_free(c.arena);
    return 0;
}

static void right_and_wrong(void **state)
{
    const char *h = NULL, *again = NULL;

    (void)state;
    assert_int_equal(password_hash(&c, "/password", "correct horse", &h), ERR_OK);
    assert_true(str_starts(h, "$argon2id$"));
    assert_true(strlen(h) < 200);
    assert_true(password_matches(&c, h, "correct horse"));
    assert_false(password_matches(&c, h, "correct horsf"));
    assert_false(password_matches(&c, h, ""));
    assert_false(password_matches(&c, h, NULL));
    assert_int_equal(password_hash(&c, "/password", "correct horse", &again), ERR_OK);
    assert_string_not_equal(h, again);
}

static void nobody_has_no_password(void **state)
{
    (void)state;
    assert_false(password_matches(&c, NULL, "correct horse"));
    assert_false(password_matches(&c, NULL, ""));
    assert_false(password_matches(&c, "", ""));
    assert_false(password_matches(&c, "not a hash", "correct horse"));
}

static char *of_length(size_t n)
{
    char *s = arena_alloc(c.arena, n + 1);

    memset(s, 'x', n);
    return s;
}

static void lengths(void **state)
{
    const char *h = NULL;

    (void)state;
    assert_int_equal(password_hash(&c, "/password", of_length(LIMIT_PASSWORD_MIN), &h), ERR_OK);
    assert_int_equal(password_hash(&c, "/password", of_length(LIMIT_PASSWORD), &h), ERR_OK);
    assert_true(password_matches(&c, h, of_length(LIMIT_PASSWORD)));
    assert_int_equal(password_hash(&c, "/new_password", of_length(LIMIT_PASSWORD_MIN - 1), &h), ERR_INVALID);
    assert_string_equal(c.fault.fields->pointer, "/new_password");
    ctx_forgive(&c);
    assert_int_equal(password_hash(&c, "/password", of_length(LIMIT_PASSWORD + 1), &h), ERR_INVALID);
    assert_int_equal(password_hash(&c, "/password", NULL, &h), ERR_INVALID);
    assert_false(password_matches(&c, h, of_length(LIMIT_PASSWORD + 1)));
}

/* Of this thread: what else the machine does takes no part. */
static int64_t cpu_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * SECOND_US + t.tv_nsec / 1000;
}

static void keep_fastest(const char *hash, int64_t *best)
{
    int64_t began = cpu_us(), took;

    assert_false(password_matches(&c, hash, "a wrong password"));
    took = cpu_us() - began;
    *best = took < *best ? took : *best;
}

static void nobody_takes_as_long(void **state)
{
    const char *h = NULL;
    int64_t somebody = INT64_MAX, nobody = INT64_MAX;

    (void)state;
    conf.argon_fast = false;
    assert_int_equal(password_hash(&c, "/password", "correct horse", &h), ERR_OK);
    for (int i = 0; i < 7; i++) { /* the fastest in turns, which is what an attacker would look at */
        keep_fastest(h, &somebody);
        keep_fastest(NULL, &nobody);
    }
    assert_true(somebody > 2000);
    assert_true(nobody > somebody / 2 && nobody < somebody * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(right_and_wrong, begins, ends),
        cmocka_unit_test_setup_teardown(nobody_has_no_password, begins, ends),
        cmocka_unit_test_setup_teardown(lengths, begins, ends),
        cmocka_unit_test_setup_teardown(nobody_takes_as_long, begins, ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
