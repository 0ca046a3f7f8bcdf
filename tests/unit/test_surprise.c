/* Surprise in nats against numbers of another program, and how few rows are helped out by the usual. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "surprise.h"

#define assert_near_to(a, b, by) assert_true(fabs((a) - (b)) < (by))

/* mpmath: -log(erfc(z / sqrt(2)) / 2) */
static void the_tail_of_the_normal(void **state)
{
    static const struct { double z, nats; } CASES[] = {
        {-8, 6.66133814775094e-16}, {-1, 0.17275377902344988}, {0, 0.6931471805599453}, {1, 1.841021645009264}, {3, 6.607726221510349},
        {10, 53.23128515051247}, {24.9, 314.140412761613}, {25.1, 319.148387405889}, {40, 804.6084420137538},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double got = surprise_of_z(CASES[i].z);

        assert_true(fabs(got - CASES[i].nats) <= 1e-12 + 1e-5 * CASES[i].nats);
    }
    for (double z = -10; z < 40; z += 0.01)
        assert_true(surprise_of_z(z + 0.01) >= surprise_of_z(z) && surprise_of_z(z) >= 0);
}

static void few_rows_lean_on_the_usual(void **state)
{
    const struct surprise_scale usual = {0.2, 0.1};
    struct surprise_scale none = surprise_scale_of(0, 0, 0, usual), ten = surprise_scale_of(10, 0.4, 0.0025, usual),
                          many = surprise_scale_of(1000000, 0.4, 0.0025, usual);

    (void)state;
    assert_near_to(none.mean, 0.2, 1e-12);
    assert_near_to(none.deviation, 0.1, 1e-12);
    assert_near_to(ten.mean, 0.3, 1e-12);
    assert_near_to(ten.deviation, sqrt((0.0025 + 0.01) / 2), 1e-12);
    assert_near_to(many.mean, 0.4, 1e-4);
    assert_near_to(many.deviation, 0.05, 1e-4);
    assert_near_to(surprise_of_cosine(0.5, ten), surprise_of_z(0.2 / ten.deviation), 1e-12);
    assert_near_to(surprise_of_cosine(0.9, (struct surprise_scale){0.5, 0}), log(2), 1e-12);
    assert_near_to(surprise_unknown(), surprise_of_z(0), 1e-12);
}

static void longer_texts_lose(void **state)
{
    (void)state;
    assert_near_to(surprise_of_length(50, 50), 0, 1e-12);
    assert_near_to(surprise_of_length(130, 50), -0.5 * log(2), 1e-12);
    assert_near_to(surprise_of_length(10, 50), 0.5 * log(2), 1e-12);
    assert_near_to(surprise_of_length(0, 0), 0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tail_of_the_normal),
        cmocka_unit_test(few_rows_lean_on_the_usual),
        cmocka_unit_test(longer_texts_lose),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
