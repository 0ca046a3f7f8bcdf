/* The token under its veil: another text each time, and nothing else fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#undef fail

#include "csrf.h"

#define TOKEN "0aA9zZ7qL5wE3rT1yU8iO6pS4dF2gH0jK9lX7cV5bN3"

static struct arena *arena;

static void each_veil_is_another_and_fits(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        const char *a = csrf_veiled(arena, TOKEN), *b = csrf_veiled(arena, TOKEN);

        assert_string_not_equal(a, b);
        assert_null(strstr(a, TOKEN));
        assert_true(csrf_fits(a, TOKEN) && csrf_fits(b, TOKEN));
        arena_reset(arena);
    }
}

static void nothing_else_fits(void **state)
{
    char *changed = arena_strdup(arena, csrf_veiled(arena, TOKEN));
    size_t n = strlen(changed);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        char was = changed[i];

        changed[i] = was == 'A' ? 'B' : 'A';
        /* the spare bits of the last letter must be 0, so that one says the same or nothing */
        assert_false(csrf_fits(changed, TOKEN));
        changed[i] = '\0';
        assert_false(csrf_fits(changed, TOKEN));
        changed[i] = was;
    }
    assert_true(csrf_fits(changed, TOKEN));
    assert_false(csrf_fits(arena_printf(arena, "%sAA", changed), TOKEN));
    assert_false(csrf_fits(csrf_veiled(arena, "another"), TOKEN));
    assert_false(csrf_fits(changed, "another") || csrf_fits(changed, "") || csrf_fits(changed, NULL));
    assert_false(csrf_fits(NULL, TOKEN) || csrf_fits("", TOKEN) || csrf_fits(TOKEN, TOKEN) || csrf_fits("\xc3\xa4=/+", TOKEN));
}

static int open_arena(void **state)
{
    (void)state;
    arena = arena_new(1 << 20);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_veil_is_another_and_fits), cmocka_unit_test(nothing_else_fits)};

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
