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
    const struct fitted f = {.given = true, .fusion = FUSION_RRF, .alpha = 0.25, .alpha_short = 0.5, .alpha_skill = 1};
    const char *text = json_text(*state, fitted_json(*state, &f, "builtin:m"));
    struct fitted g = fitted_read(*state, text, "builtin:m");

    assert_true(g.given);
    assert_int_equal(g.fusion, FUSION_RRF);
    assert_float_equal(g.alpha, 0.25, 1e-6);
    assert_float_equal(g.alpha_short, 0.5, 1e-6);
    assert_float_equal(g.alpha_skill, 1, 1e-6);
    assert_false(fitted_read(*state, text, "http:m").given);
}

static void what_is_left_out_follows(void **state)
{
    struct fitted f = fitted_read(*state, "{\"fusion\": \"weighted\", \"alpha\": 1, \"alpha_skill\": 0}", "any:model");

    assert_true(f.given);
    assert_float_equal(f.alpha_short, 1, 1e-6);
    assert_float_equal(f.alpha_skill, 0, 1e-6);
}

static void nonsense_is_not_given(void **state)
{
    static const char *const NONSENSE[] = {
        "", "{", "[]", "[1]", "7", "null", "{}", "{\"alpha\": 0.5}", "{\"fusion\": 1}", "{\"fusion\": \"auto\"}", "{\"fusion\": \"simple\"}",
        "{\"fusion\": \"weighted\", \"alpha\": 1.1}", "{\"fusion\": \"weighted\", \"alpha\": -0.1}",
        "{\"fusion\": \"weighted\", \"alpha\": \"1\"}", "{\"fusion\": \"weighted\", \"alpha_short\": null}",
        "{\"fusion\": \"weighted\", \"alpha_skill\": 2}",
    };

    assert_false(is_given(state, NULL));
    for (size_t i = 0; i < sizeof NONSENSE / sizeof *NONSENSE; i++)
        assert_false(is_given(state, NONSENSE[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_left_out_follows),
        cmocka_unit_test(nonsense_is_not_given),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
