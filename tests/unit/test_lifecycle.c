/* The lifecycle's promises, tried on many random lives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lifecycle.h"
#include "node_kind.h"

#define LIVES 20000
#define NEAR 1e-9

/* The same lives every time. */
static uint64_t seed = 20261118;

static double chance(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static struct instant later(struct instant t, double days)
{
    return (struct instant){t.us + (int64_t)(days * (double)DAY_US)};
}

static struct lifecycle a_life(void)
{
    struct instant born = {1700000000 * SECOND_US + (int64_t)(chance() * 1e14)};

    return (struct lifecycle){.score = chance(), .decay_rate = chance() < 0.2 ? 0 : chance() * 0.3,
                              .floor = chance() < 0.5 ? 0 : 0.05 * chance(), .decayed_at = born,
                              .last_access_at = chance() < 0.5 ? (struct instant){0} : born};
}

static void assert_near(double a, double b)
{
    if (fabs(a - b) > NEAR)
        fail_msg("%.12f is not %.12f", a, b);
}

static void settling_once_twice_late_or_never_is_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < LIVES; i++) {
        struct lifecycle never = a_life(), once = never, often = never;
        double days = chance() * 400;
        struct instant end = later(never.decayed_at, days);

        lifecycle_settle(&once, later(never.decayed_at, days * chance()));
        for (double d = 0; d < days; d += days / 7) {
            lifecycle_settle(&often, later(never.decayed_at, d));
            lifecycle_settle(&often, later(never.decayed_at, d));
        }
        assert_near(lifecycle_now(&once, end), lifecycle_now(&never, end));
        assert_near(lifecycle_now(&often, end), lifecycle_now(&never, end));
    }
}

static void it_never_leaves_its_bounds_and_never_grows_alone(void **state)
{
    (void)state;
    for (int i = 0; i < LIVES; i++) {
        struct lifecycle s = a_life();
        double last = lifecycle_now(&s, s.decayed_at);

        for (double d = 0; d < 3000; d += 150) {
            double v = lifecycle_now(&s, later(s.decayed_at, d));

            assert_true(v >= s.floor && v >= 0 && v <= 1);
            assert_true(v <= last);
            last = v;
        }
    }
}

static void a_pinned_one_does_not_fade_and_pays_nothing_later(void **state)
{
    (void)state;
    for (int i = 0; i < LIVES; i++) {
        struct lifecycle s = a_life(), plain;
        struct instant pinned = later(s.decayed_at, chance() * 50), freed = later(pinned, chance() * 500);
        double at_pin = lifecycle_now(&s, pinned), more = chance() * 100;

        lifecycle_pin(&s, true, pinned);
        assert_near(lifecycle_now(&s, freed), at_pin);
        lifecycle_pin(&s, false, freed);
        assert_near(lifecycle_now(&s, freed), at_pin);
        plain = s;
        plain.score = at_pin;
        plain.decayed_at = freed;
        assert_near(lifecycle_now(&s, later(freed, more)), lifecycle_now(&plain, later(freed, more)));
    }
}

static void a_day_gives_one_boost(void **state)
{
    (void)state;
    for (int i = 0; i < LIVES; i++) {
        struct lifecycle s = a_life();
        struct instant day = {(s.decayed_at.us / DAY_US + 1 + (int64_t)(chance() * 20)) * DAY_US};
        struct instant morning = later(day, chance() * 0.4), evening = later(day, 0.5 + chance() * 0.4);
        double before = lifecycle_now(&s, morning);

        lifecycle_touch(&s, morning);
        assert_near(s.score, before + LIFECYCLE_TOUCH * (1 - before));
        assert_int_equal(s.decayed_at.us, morning.us);
        assert_int_equal(s.last_access_at.us, morning.us);
        before = lifecycle_now(&s, evening);
        lifecycle_touch(&s, evening);
        assert_near(s.score, before);
        lifecycle_touch(&s, later(day, 1));
        assert_true(s.score > lifecycle_now(&(struct lifecycle){.score = before, .decay_rate = s.decay_rate, .decayed_at = evening,
                                                                .floor = s.floor}, later(day, 1)) - NEAR);
        assert_true(s.score <= 1);
        before = s.score;
        lifecycle_touch(&s, evening); /* told late: it has moved the score already */
        assert_near(s.score, before);
        assert_int_equal(s.last_access_at.us, later(day, 1).us);
    }
}

static void a_use_told_late_does_not_move_what_was_set_since(void **state)
{
    (void)state;
    for (int i = 0; i < LIVES; i++) {
        struct lifecycle s = a_life();
        struct instant used = later(s.decayed_at, -chance() * 2);
        double before = s.score, later_on = lifecycle_now(&s, later(s.decayed_at, 3));
        struct instant last = s.last_access_at, set = s.decayed_at;

        lifecycle_touch(&s, used);
        assert_near(s.score, before);
        assert_int_equal(s.decayed_at.us, set.us);
        assert_int_equal(s.last_access_at.us, last.us > used.us ? last.us : used.us);
        assert_near(lifecycle_now(&s, later(set, 3)), later_on);
    }
}

static void maintenance_is_never_use(void **state)
{
    struct lifecycle s = {.score = 0.8, .decay_rate = 0.1, .decayed_at = {DAY_US}};

    (void)state;
    lifecycle_settle(&s, (struct instant){5 * DAY_US});
    assert_int_equal(s.last_access_at.us, 0);
    assert_near(s.score, 0.8 * exp(-0.4));
}

static void boosts_are_clamped(void **state)
{
    struct lifecycle s = {.score = 0.95, .decayed_at = {DAY_US}};

    (void)state;
    lifecycle_boost(&s, 0.1, (struct instant){DAY_US});
    assert_near(s.score, 1);
    lifecycle_boost(&s, -3, (struct instant){DAY_US});
    assert_near(s.score, 0);
}

static void a_clock_that_runs_behind_changes_nothing(void **state)
{
    struct lifecycle s = {.score = 0.6, .decay_rate = 0.2, .decayed_at = {10 * DAY_US}}, before = s;

    (void)state;
    assert_near(lifecycle_now(&s, (struct instant){DAY_US}), 0.6);
    lifecycle_settle(&s, (struct instant){DAY_US});
    assert_int_equal(s.decayed_at.us, before.decayed_at.us);
    assert_near(s.score, before.score);
}

static void half_lives_halve(void **state)
{
    struct lifecycle s = {.score = 1, .decay_rate = lifecycle_rate(7), .decayed_at = {DAY_US}};

    (void)state;
    assert_near(lifecycle_now(&s, (struct instant){8 * DAY_US}), 0.5);
    assert_near(lifecycle_now(&s, (struct instant){15 * DAY_US}), 0.25);
    assert_near(lifecycle_rate(0), 0);
    assert_near(lifecycle_round(0.123456), 0.1235);
}

static void kinds_have_their_floors(void **state)
{
    (void)state;
    assert_near(node_kind_floor("learning"), 0.05);
    assert_near(node_kind_floor("pool_entry"), 0.01);
    assert_near(node_kind_floor("note"), 0);
    assert_near(node_kind_floor("nonsense"), 0);
    assert_null(node_kind_find("nonsense"));
    assert_null(node_kind_find(NULL));
    for (size_t i = 0; node_kind_at(i); i++) {
        assert_ptr_equal(node_kind_find(node_kind_at(i)->name), node_kind_at(i));
        assert_true((node_kind_at(i)->flags & KIND_GENERIC) || node_kind_at(i)->writer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settling_once_twice_late_or_never_is_the_same),
        cmocka_unit_test(it_never_leaves_its_bounds_and_never_grows_alone),
        cmocka_unit_test(a_pinned_one_does_not_fade_and_pays_nothing_later),
        cmocka_unit_test(a_day_gives_one_boost),
        cmocka_unit_test(a_use_told_late_does_not_move_what_was_set_since),
        cmocka_unit_test(maintenance_is_never_use),
        cmocka_unit_test(boosts_are_clamped),
        cmocka_unit_test(a_clock_that_runs_behind_changes_nothing),
        cmocka_unit_test(half_lives_halve),
        cmocka_unit_test(kinds_have_their_floors),
    };

    return cmocka_run_group_tests_name("lifecycle", tests, NULL, NULL);
}
