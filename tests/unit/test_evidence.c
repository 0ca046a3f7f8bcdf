/* Evidence: the formula of the study, levels at their borders, and what stands in for what is not known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "evidence.h"

static double p(double coverage, double likeness, double known)
{
    const struct evidence e = {coverage, likeness, known};

    return evidence_probability(&e);
}

static void the_formula_of_the_study(void **state)
{
    (void)state;
    for (double cov = 0; cov <= 1; cov += 0.25)
        for (double cal = -1; cal <= 1.5; cal += 0.25)
            assert_true(fabs(p(cov, cal, 1) - 1 / (1 + exp(5.1 - 4.6 * cov - 6.0 * cal))) < 1e-12);
    assert_true(p(0, 0, 1) < 0.01 && p(1, 1, 1) > 0.99);
}

static void what_is_not_known_is_what_it_mostly_is(void **state)
{
    (void)state;
    assert_true(fabs(p(0.5, LIKENESS_UNKNOWN, 1) - p(0.5, 0.55, 1)) < 1e-12); /* no vector */
    assert_true(p(0.22, LIKENESS_UNKNOWN, 1) > EVIDENCE_LOWER && p(0.18, LIKENESS_UNKNOWN, 1) < EVIDENCE_LOWER);
    assert_true(fabs(p(0.5, 0.9, 0) - p(0.5, 0.5, 1)) < 1e-12); /* a language that the model cannot read */
    assert_true(p(1, LIKENESS_UNKNOWN, 1) > EVIDENCE_UPPER && p(0, LIKENESS_UNKNOWN, 1) < EVIDENCE_LOWER);
    assert_true(fabs(p(-1, 1, 1) - p(0.8, 1, 1)) < 1e-12); /* words were not looked for */
    assert_true(p(-1, LIKENESS_UNKNOWN, 1) < EVIDENCE_LOWER);
}

static void levels_begin_at_their_borders(void **state)
{
    (void)state;
    assert_int_equal(evidence_level_of(0), EVIDENCE_NONE);
    assert_int_equal(evidence_level_of(0.1999), EVIDENCE_NONE);
    assert_int_equal(evidence_level_of(0.2), EVIDENCE_WEAK);
    assert_int_equal(evidence_level_of(0.7999), EVIDENCE_WEAK);
    assert_int_equal(evidence_level_of(0.8), EVIDENCE_STRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_formula_of_the_study),
        cmocka_unit_test(what_is_not_known_is_what_it_mostly_is),
        cmocka_unit_test(levels_begin_at_their_borders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
