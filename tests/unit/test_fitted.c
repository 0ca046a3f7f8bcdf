/* The account's own profile as a setting: anybody may write it, so only what makes sense for the model at hand is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "fitted.h"

static int begin(void **state)
{
    *state = arena_new(1 << 20);
    return 0;
}

static int end(void **state)
{
    arena_free(*state);
    return 0;
}

static bool is_given(void **state, const char *text)
{
    return fitted_read(*state, text, "builtin:m").given;
}

static void what_is_written_is_read(void **state)
{
    const struct fitted f = {.given = true, .meaning = 1.4};
    const char *text = json_text(*state, fitted_json(*state, &f, "builtin:m"));
    struct fitted g = fitted_read(*state, text, "builtin:m");

    assert_true(g.given);
    assert_float_equal(g.meaning, 1.4, 1e-6);
    assert_false(fitted_read(*state, text, "http:m").given);
    assert_float_equal(fitted_read(*state, "{\"meaning\": 0}", "any:model").meaning, 0, 1e-6);
}

static void nonsense_is_not_given(void **state)
{
    static const char *const NONSENSE[] = {
        "", "{", "[]", "[1]", "7", "null", "{}", "{\"fusion\": \"rrf\"}", "{\"alpha\": 0.5}", "{\"meaning\": \"1\"}", "{\"meaning\": null}",
        "{\"meaning\": -0.1}", "{\"meaning\": 4.1}", "{\"meaning\": [1]}",
    };

    assert_false(is_given(state, NULL));
    assert_true(is_given(state, "{\"meaning\": 4}"));
    for (size_t i = 0; i < sizeof NONSENSE / sizeof *NONSENSE; i++)
        assert_false(is_given(state, NONSENSE[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(nonsense_is_not_given),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
