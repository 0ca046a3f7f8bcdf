/* How fast calls were answered: counted by account in memory, brought to Redis, read as rates and shares of the last day; and
 * figures that were long to count, which are kept for a minute. */
#include <math.h>

#include "figures.h"
#include "graphtest.h"
#include "kv.h"
#include "pace.h"
#include "speed.h"

#define US(ms) ((int64_t)((ms)*1000))

static struct pace *pace;

static void a_bucket_is_a_tenth_off(void **state)
{
    (void)state;
    for (double us = 40; us < 60e6; us *= 1.17) {
        struct pace_row row;
        int at = -1;

        pace_note(pace, cast.account_id[OWNER], PACE_RECALL, (int64_t)us);
        assert_true(pace_take(pace, &row));
        for (int b = 0; b < PACE_BUCKETS; b++)
            if (row.n[PACE_RECALL][b])
                at = b;
        assert_true(fabs(pace_seconds(at) * 1e6 / us - 1) < .11);
    }
}

static void shortest_and_longest_have_a_bucket(void **state)
{
    struct pace_row row;

    (void)state;
    pace_note(pace, cast.account_id[OWNER], PACE_WRITE, 0);
    pace_note(pace, cast.account_id[OWNER], PACE_WRITE, 3600 * SECOND_US);
    assert_true(pace_take(pace, &row));
    assert_int_equal(row.n[PACE_WRITE][0], 1);
    assert_int_equal(row.n[PACE_WRITE][PACE_BUCKETS - 1], 1);
    pace_note(NULL, cast.account_id[OWNER], PACE_WRITE, 0);
    assert_false(pace_take(NULL, &row));
}

static void accounts_are_apart_and_too_many_are_left_out(void **state)
{
    struct uuid first = uuid_new(test.now.us);
    struct pace_row row;
    int taken = 0, firsts = 0;

    (void)state;
    pace_note(pace, first, PACE_RECALL, US(1));
    for (int i = 0; i < PACE_ACCOUNTS + 50; i++)
        pace_note(pace, uuid_new(test.now.us + i), PACE_RECALL, US(1));
    pace_note(pace, first, PACE_RECALL, US(1));
    for (; pace_take(pace, &row); taken++)
        if (uuid_eq(row.account_id, first))
            firsts += (int)row.n[PACE_RECALL][0] + 1;
    assert_int_equal(taken, PACE_ACCOUNTS);
    assert_int_equal(firsts, 1);
}

static void what_many_answered_is_read_as_one(void **state)
{
    struct speed s;
    int steps = 0;

    (void)state;
    act(OWNER);
    for (int i = 0; i < 90; i++)
        pace_note(pace, test.account_id, PACE_RECALL, US(4));
    speed_flush(&test);
    for (int i = 0; i < 10; i++)
        pace_note(pace, test.account_id, PACE_RECALL, US(200));
    pace_note(pace, test.account_id, PACE_WRITE, US(1));
    pace_note(pace, cast.account_id[STRANGER], PACE_WRITE, US(1));
    speed_flush(&test);
    OK(speed_read(&test, &s));
    assert_int_equal(s.hour[PACE_RECALL].n, 100);
    assert_int_equal(s.hour[PACE_WRITE].n, 1);
    assert_true(fabs(s.hour[PACE_RECALL].half / .004 - 1) < .11);
    assert_true(fabs(s.hour[PACE_RECALL].most / .2 - 1) < .11);
    assert_true(s.hour_minutes >= 60 && s.hour_minutes < 75);
    assert_true(s.first.us <= test.now.us - DAY_US + SPEED_STEP_US && s.first.us % SPEED_STEP_US == 0);
    for (int i = 0; i < SPEED_STEPS; i++) {
        steps += s.step[i][PACE_RECALL].n != 0;
        assert_true(s.step[i][PACE_RECALL].n || isnan(s.step[i][PACE_RECALL].half));
    }
    assert_int_equal(steps, 1);
    assert_int_equal(s.step[SPEED_STEPS - 1][PACE_RECALL].n, 100);
}

static void a_day_later_they_are_gone(void **state)
{
    struct speed s;

    (void)state;
    days_pass(2);
    act(OWNER);
    OK(speed_read(&test, &s));
    assert_int_equal(s.hour[PACE_RECALL].n, 0);
    for (int i = 0; i < SPEED_STEPS; i++)
        assert_int_equal(s.step[i][PACE_RECALL].n, 0);
}

/* ---- figures */

static int counted;

static err quick(struct ctx *c, struct json *out)
{
    json_set_int(c->arena, out, "n", ++counted);
    return ERR_OK;
}

static err slow(struct ctx *c, struct json *out)
{
    int64_t until = clock_monotonic_us() + FIGURES_QUICK_US + 1000;

    while (clock_monotonic_us() < until)
        continue;
    return quick(c, out);
}

static int64_t figure(const char *name, figures_count count, bool *kept)
{
    const struct json *f;

    OK(figures_of(&test, name, count, &f));
    *kept = json_get_str(f, "counted_at") != NULL;
    return json_get_int(f, "n", 0);
}

static void quick_figures_are_counted_each_time(void **state)
{
    bool kept;

    (void)state;
    act(OWNER);
    counted = 0;
    /* A machine that stumbles makes even these slow: then they are kept, and say so. */
    for (int i = 1; i <= 3; i++) {
        int64_t n = figure("quick", quick, &kept);

        assert_true(kept || n == i);
    }
}

static void slow_ones_once_a_minute_for_those_who_read_the_same(void **state)
{
    struct kv_reply r;
    bool kept;

    (void)state;
    act(ALICE);
    counted = 0;
    assert_int_equal(figure("slow", slow, &kept), 1);
    assert_false(kept);
    assert_int_equal(figure("slow", slow, &kept), 1);
    assert_true(kept);
    assert_int_equal(figure("other", slow, &kept), 2);
    act(BOB);
    assert_int_equal(figure("slow", slow, &kept), 3);
    assert_false(kept);
    OK(kv_cmd(&test, &r, kv_text("KEYS"), kv_fmt(&test, "loci:{%s}:figures:slow:*", UUID_STR(test.account_id))));
    assert_int_equal(r.n, 2);
    OK(kv_cmd(&test, &r, kv_text("TTL"), kv_text(r.items[0].s)));
    assert_in_range(r.i, 1, FIGURES_KEPT_S);
}

static int begin(void **state)
{
    int e = graph_group_begins(state);

    pace = test_app.pace = pace_new();
    return e;
}

static int end(void **state)
{
    test_app.pace = NULL;
    pace_free(pace);
    return graph_group_ends(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_is_a_tenth_off),
        cmocka_unit_test(shortest_and_longest_have_a_bucket),
        cmocka_unit_test(accounts_are_apart_and_too_many_are_left_out),
        cmocka_unit_test(what_many_answered_is_read_as_one),
        cmocka_unit_test(a_day_later_they_are_gone),
        cmocka_unit_test(quick_figures_are_counted_each_time),
        cmocka_unit_test(slow_ones_once_a_minute_for_those_who_read_the_same),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
