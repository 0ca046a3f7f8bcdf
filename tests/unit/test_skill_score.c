/* What skills are worth, when a test of two versions is over, and which arm a session gets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#undef fail

#include "agent_skill.h"
#include "skill_score.h"
#include "skill_version.h"

static void near(double a, double b, double by)
{
    assert_true(fabs(a - b) <= by);
}

static void effectiveness(void **state)
{
    struct skill_outcomes none = {0}, some = {3, 1, 2};

    (void)state;
    near(skill_effectiveness(1, &none, NAN), .65, 1e-9);
    near(skill_effectiveness(.5, &some, .9), .15 + .5 * 5 / 8 + .18, 1e-4);
}

static void idle_skills_fade_and_never_vanish(void **state)
{
    (void)state;
    near(skill_effectiveness_now(.8, 0, 30 * DAY_US), .8, 1e-9);
    near(skill_effectiveness_now(.8, 0, 210 * DAY_US), .4, 1e-9);
    near(skill_effectiveness_now(.8, 0, 5000 * DAY_US), .16, 1e-9);
}

static void trends(void **state)
{
    struct skill_outcomes good = {9, 1, 0}, bad = {5, 5, 0}, few = {4, 0, 0};

    (void)state;
    assert_string_equal(skill_trend(&good, &bad), "up");
    assert_string_equal(skill_trend(&bad, &good), "down");
    assert_string_equal(skill_trend(&good, &good), "stable");
    assert_string_equal(skill_trend(&few, &bad), "stable");
}

/* Newcombe 1998, Statistics in Medicine 17, 873-890, table II, method 10. */
static void intervals_are_those_of_the_paper(void **state)
{
    static const struct {
        double x1, n1, x2, n2, low, high;
    } PAPER[] = {{56, 70, 48, 80, .0524, .3339}, {9, 10, 3, 10, .1705, .8090}, {6, 7, 2, 7, .0582, .8062}, {5, 56, 0, 29, -.0381, .1926},
                 {0, 10, 0, 20, -.1611, .2775}, {10, 10, 0, 20, .6791, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof PAPER / sizeof *PAPER; i++) {
        struct skill_interval got = skill_newcombe((struct skill_arm){PAPER[i].x2, (int64_t)PAPER[i].n2},
                                                   (struct skill_arm){PAPER[i].x1, (int64_t)PAPER[i].n1}, skill_z_of(.95));

        near(got.low, PAPER[i].low, 1e-4);
        near(got.high, PAPER[i].high, 1e-4);
    }
    near(skill_z_of(.95), 1.959964, 1e-5);
}

static void a_share_of_the_sessions_gets_the_variant(void **state)
{
    struct uuid test = {{1, 2, 3}};
    int variant = 0;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        char key[32];

        snprintf(key, sizeof key, "session-%d", i);
        variant += skill_test_takes_variant(test, key, .2);
        assert_int_equal(skill_test_takes_variant(test, key, .2), skill_test_takes_variant(test, key, .2));
    }
    assert_true(variant >= 1850 && variant <= 2150);
}

static void versions(void **state)
{
    struct arena *a = arena_new(1 << 16);

    (void)state;
    assert_string_equal(semver_next(a, NULL, CHANGE_PATCH, 0), "1.0.0");
    assert_string_equal(semver_next(a, "1.2.3", CHANGE_MAJOR, 0), "2.0.0");
    assert_string_equal(semver_next(a, "1.2.3", CHANGE_MINOR, 0), "1.3.0");
    assert_string_equal(semver_next(a, "1.2.3", CHANGE_HOTFIX, 0), "1.2.4");
    assert_string_equal(semver_next(a, "1.2.3", CHANGE_EXPERIMENTAL, 2), "1.2.3-exp.2");
    assert_true(version_req_is_met("1.2.0", "1.2.0") && !version_req_is_met("1.2.0", "1.2.1"));
    assert_true(version_req_is_met(">=1.2.0", "2.0.0") && !version_req_is_met(">=1.2.0", "1.1.9"));
    assert_true(version_req_is_met("^1.2.0", "1.9.0") && !version_req_is_met("^1.2.0", "2.0.0"));
    assert_false(version_req_is_valid("latest") || version_req_is_valid("1.2") || version_req_is_valid("1.2.3x"));
    arena_free(a);
}

static void sections_leave_code_alone(void **state)
{
    struct arena *a = arena_new(1 << 16);
    const char *body = "intro\n## One\ntext\n```\n## no heading\n```\n## Two ##\nend";
    const struct json *all = skill_sections(a, body);

    (void)state;
    assert_int_equal(all->len, 2);
    assert_string_equal(json_get_str(all->first, "title"), "One");
    assert_string_equal(json_get_str(all->first->next, "title"), "Two");
    assert_int_equal(json_get_int(all->first, "start", 0), 6);
    assert_int_equal(json_get_int(all->first, "end", 0), json_get_int(all->first->next, "start", 1));
    assert_int_equal(json_get_int(all->first->next, "end", 0), (int64_t)strlen(body));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effectiveness), cmocka_unit_test(idle_skills_fade_and_never_vanish), cmocka_unit_test(trends),
        cmocka_unit_test(intervals_are_those_of_the_paper), cmocka_unit_test(a_share_of_the_sessions_gets_the_variant),
        cmocka_unit_test(versions), cmocka_unit_test(sections_leave_code_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
