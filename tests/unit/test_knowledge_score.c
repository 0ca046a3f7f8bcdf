/* Quality of knowledge: the formula against the words of its definition, and what each part is worth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "knowledge_score.h"

#define NEAR 1e-9

static void near(double a, double b)
{
    assert_true(fabs(a - b) <= NEAR);
}

static void structure_is_form(void **state)
{
    char text[4001];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[400] = 0;
    near(knowledge_structure("", 0), 0.3 / 0.9);
    near(knowledge_structure(text, 0), 0.5 / 0.9);
    near(knowledge_structure("\xc3\xa4\xc3\xa4", 0), (0.3 + 2.0 / 2000) / 0.9);
    near(knowledge_structure("# T", 0), (0.3 + 3.0 / 2000 + 0.1) / 0.9);
    near(knowledge_structure("#T", 0), (0.3 + 2.0 / 2000) / 0.9);
    near(knowledge_structure("####### T", 0), (0.3 + 9.0 / 2000) / 0.9);
    near(knowledge_structure("a\n - b", 0), (0.3 + 6.0 / 2000 + 0.1) / 0.9);
    near(knowledge_structure("a\n12. b", 0), (0.3 + 7.0 / 2000 + 0.1) / 0.9);
    near(knowledge_structure("a - b\n-c", 0), (0.3 + 8.0 / 2000) / 0.9);
    near(knowledge_structure("```\nx\n```", 0), (0.3 + 9.0 / 2000 + 0.1) / 0.9);
    near(knowledge_structure("", 2), 0.36 / 0.9);
    near(knowledge_structure("", 32), 0.4 / 0.9);
    memcpy(text, "# T\n- a\n```\n", 12);
    near(knowledge_structure(text, 4), 1);
}

/* The definition, word by word. */
static double model(double structure, double uses, double sum, double count, double age, double idle)
{
    double usage = uses > 0 ? fmin(log10(uses + 1) / 3, 1) : age < 14 ? 0.5 : 0.1;
    double recency = idle >= 0 ? fmax(exp(-0.01 * idle), 0.2) : age < 30 ? 0.8 : 0.2;

    return round(1e4 * (0.30 * structure + 0.25 * usage + 0.25 * (((sum + 9) / (count + 3) - 1) / 4) + 0.20 * recency)) / 1e4;
}

static void quality_is_the_model(void **state)
{
    struct instant born = {1700000000 * SECOND_US};

    (void)state;
    for (int age = 0; age < 400; age += 7)
        for (int uses = 0; uses < 2000; uses = uses * 3 + 1)
            for (int count = 0; count < 5; count++) {
                struct instant now = {born.us + age * DAY_US};
                struct instant used = {uses ? now.us - age / 2 * DAY_US : 0};
                struct knowledge_facts f = {.structure = 0.1 * (count + 1), .uses = uses, .rating_sum = 4 * count,
                                            .rating_count = count, .created_at = born, .last_used_at = used};

                near(knowledge_quality(&f, now), model(f.structure, uses, 4 * count, count, age, uses ? age / 2 : -1));
            }
}

static void it_steps_where_it_is_said_to(void **state)
{
    struct instant born = {1700000000 * SECOND_US};
    struct knowledge_facts f = {.structure = 0.5, .created_at = born};
    double first = knowledge_quality(&f, born);

    (void)state;
    near(knowledge_quality(&f, (struct instant){born.us + 14 * DAY_US - 1}), first);
    near(knowledge_quality(&f, (struct instant){born.us + 14 * DAY_US}), first - 0.1);
    near(knowledge_quality(&f, (struct instant){born.us + 30 * DAY_US}), first - 0.1 - 0.12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_is_form),
        cmocka_unit_test(quality_is_the_model),
        cmocka_unit_test(it_steps_where_it_is_said_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
