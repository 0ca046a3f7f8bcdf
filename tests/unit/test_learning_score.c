/* What learnings are worth: the formulas at and around the counts where they change. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning_score.h"

static void near(double a, double b)
{
    assert_true(fabs(a - b) <= 5.1e-5);
}

static void outcomes_count_from_five_on(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 5; n++)
        near(learning_effective_importance(0.8, n, n), 0.8);
    for (int64_t n = 5; n < 200; n += 13)
        for (int64_t positive = 0; positive <= n; positive += 5)
            for (double now = 0.05; now <= 1; now += 0.19) {
                double e = learning_effective_importance(now, n, positive);

                near(e, 0.3 * now + 0.7 * ((double)positive + 2) / ((double)n + 4));
                assert_true(e >= 0 && e <= 1);
            }
    near(learning_effective_importance(0.5, 5, 5), 0.3 * 0.5 + 0.7 * 7 / 9);
}

static void effectiveness_is_known_from_three_on(void **state)
{
    (void)state;
    assert_true(isnan(learning_effectiveness(0, 0)) && isnan(learning_effectiveness(2, 2)));
    near(learning_effectiveness(3, 0), 0);
    near(learning_effectiveness(3, 2), 0.6667);
    near(learning_effectiveness(3, 3), 1);
}

static void freshness_ends_at_seven_and_thirty_days(void **state)
{
    struct instant born = {1700000000 * SECOND_US};

    (void)state;
    assert_string_equal(learning_freshness(born, (struct instant){born.us + 7 * DAY_US - 1}), "fresh");
    assert_string_equal(learning_freshness(born, (struct instant){born.us + 7 * DAY_US}), "aging");
    assert_string_equal(learning_freshness(born, (struct instant){born.us + 30 * DAY_US - 1}), "aging");
    assert_string_equal(learning_freshness(born, (struct instant){born.us + 30 * DAY_US}), "stale");
}

static void the_score_of_all_is_zero_to_hundred(void **state)
{
    (void)state;
    near(learning_compound_score(0, NAN, 0), 20);
    near(learning_compound_score(0, 0, 0), 0);
    near(learning_compound_score(9, 1, 50), 100);
    near(learning_compound_score(9, 1, 5000), 100);
    near(learning_compound_score(3, 0.5, 25), 100 * (0.1 + 0.2 + 0.15));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_count_from_five_on),
        cmocka_unit_test(effectiveness_is_known_from_three_on),
        cmocka_unit_test(freshness_ends_at_seven_and_thirty_days),
        cmocka_unit_test(the_score_of_all_is_zero_to_hundred),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
