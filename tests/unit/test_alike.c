/* The guard on details: near texts that differ in what counts are two, whatever their vectors say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours, of err.h, is another */

#include "alike.h"
#include "arena.h"

static void each_detail_counts(void **state)
{
    static const char *const PAIRS[][2] = {
        {"The budget is 100", "The budget is 200"},
        {"The budget is 100", "The budget is 100 of 200"},
        {"due on 2026-11-18", "due on 2026-11-19"},
        {"use version v1.2.3", "use version v1.2.4"},
        {"ask host db-3a", "ask host db-3b"},
        {"at 10:30 sharp", "at 10:31 sharp"},
        {"retry three times", "retry four times"},
        {"closed on Monday", "closed on Tuesday"},
        {"It is safe", "It is not safe"},
        {"It works", "It doesn't work"},
        {"It works", "It doesn\xe2\x80\x99t work"},
        {"Das geht", "Das geht nicht"},
        {"always lock", "never lock"},
        {"with a key", "without a key"},
        {"not this and not that", "not this and that"},
    };
    struct arena *a = *state;

    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        assert_true(alike_differs(a, PAIRS[i][0], PAIRS[i][1]));
        assert_true(alike_differs(a, PAIRS[i][1], PAIRS[i][0]));
        assert_false(alike_differs(a, PAIRS[i][0], PAIRS[i][0]));
        assert_false(similar_enough(a, 1, PAIRS[i][0], PAIRS[i][1]));
    }
}

static void wording_does_not(void **state)
{
    static const char *const PAIRS[][2] = {
        {"The budget is 100.", "the BUDGET, is: 100"},
        {"100 and 200", "200, then 100 (and 100)"},
        {"It doesn't work", "It doesn\xe2\x80\x99t WORK!"},
        {"", ""},
        {"", "..,-:/'"},
    };
    struct arena *a = *state;

    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++)
        assert_false(alike_differs(a, PAIRS[i][0], PAIRS[i][1]));
}

static void a_bare_value_says_nothing(void **state)
{
    static const char *const BARE[] = {"", "3", "true", "blue", "ok.", "12 34", "2026-11-19", "{\"a\":1}", "db-3a"};
    static const char *const SAYS[] = {"Short text.", "Deploy on Monday.", "budget 100 is", "gr\xc3\xbc\xc3\x9f dich"};

    (void)state;
    for (size_t i = 0; i < sizeof BARE / sizeof *BARE; i++)
        assert_false(alike_says_something(BARE[i]));
    for (size_t i = 0; i < sizeof SAYS / sizeof *SAYS; i++)
        assert_true(alike_says_something(SAYS[i]));
}

static void nearness_is_needed_too(void **state)
{
    assert_true(similar_enough(*state, 0.92, "a b c", "a b d"));
    assert_false(similar_enough(*state, 0.9199, "a b c", "a b d"));
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_detail_counts, begin, end),
        cmocka_unit_test_setup_teardown(wording_does_not, begin, end),
        cmocka_unit_test(a_bare_value_says_nothing), cmocka_unit_test_setup_teardown(nearness_is_needed_too, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
