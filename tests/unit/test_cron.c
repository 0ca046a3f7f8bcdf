/* Schedules: firings computed by hand, a minute-by-minute oracle, and every refusal with its position. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cron.h"

static struct instant at(const char *text)
{
    struct instant t;

    assert_true(instant_parse(text, &t));
    return t;
}

static struct cron parsed(const char *schedule, struct instant from)
{
    struct cron cron;
    struct cron_fault why;

    if (!cron_parse(schedule, from, &cron, &why))
        fail_msg("'%s' refused: character %d: %s", schedule, why.position, why.message);
    return cron;
}

/* The next firings after `from` are these, and no others between them. */
static void fires(const char *schedule, const char *from, const char *const want[10])
{
    struct instant t = at(from);
    struct cron cron = parsed(schedule, t);

    for (int i = 0; i < 10; i++) {
        assert_true(cron_next(&cron, t, &t));
        if (t.us != at(want[i]).us)
            fail_msg("%s: firing %d is %s, not %s", schedule, i + 1, instant_text(t, (char[INSTANT_TEXT]){0}), want[i]);
    }
}

static void ten_firings_by_hand(void **unused)
{
    (void)unused;
    fires("*/15 * * * *", "2026-11-18T22:46:10Z",
          (const char *const[]){"2026-11-18T23:00:00Z", "2026-11-18T23:15:00Z", "2026-11-18T23:30:00Z",
                                "2026-11-18T23:45:00Z", "2026-11-19T00:00:00Z", "2026-11-19T00:15:00Z",
                                "2026-11-19T00:30:00Z", "2026-11-19T00:45:00Z", "2026-11-19T01:00:00Z",
                                "2026-11-19T01:15:00Z"});
    fires("0 4 * * *", "2026-12-27T04:00:00Z",
          (const char *const[]){"2026-12-28T04:00:00Z", "2026-12-29T04:00:00Z", "2026-12-30T04:00:00Z",
                                "2026-12-31T04:00:00Z", "2027-01-01T04:00:00Z", "2027-01-02T04:00:00Z",
                                "2027-01-03T04:00:00Z", "2027-01-04T04:00:00Z", "2027-01-05T04:00:00Z",
                                "2027-01-06T04:00:00Z"});
    fires("0 3 1 * *", "2027-11-01T02:59:59.999999Z",
          (const char *const[]){"2027-11-01T03:00:00Z", "2027-12-01T03:00:00Z", "2028-01-01T03:00:00Z",
                                "2028-02-01T03:00:00Z", "2028-03-01T03:00:00Z", "2028-04-01T03:00:00Z",
                                "2028-05-01T03:00:00Z", "2028-06-01T03:00:00Z", "2028-07-01T03:00:00Z",
                                "2028-08-01T03:00:00Z"});
    fires("0 5 * * 0", "2026-11-18T00:00:00Z",
          (const char *const[]){"2026-11-22T05:00:00Z", "2026-11-29T05:00:00Z", "2026-12-06T05:00:00Z",
                                "2026-12-13T05:00:00Z", "2026-12-20T05:00:00Z", "2026-12-27T05:00:00Z",
                                "2027-01-03T05:00:00Z", "2027-01-10T05:00:00Z", "2027-01-17T05:00:00Z",
                                "2027-01-24T05:00:00Z"});
    fires("0 0 29 2 *", "2024-02-29T00:00:00Z",
          (const char *const[]){"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z", "2036-02-29T00:00:00Z",
                                "2040-02-29T00:00:00Z", "2044-02-29T00:00:00Z", "2048-02-29T00:00:00Z",
                                "2052-02-29T00:00:00Z", "2056-02-29T00:00:00Z", "2060-02-29T00:00:00Z",
                                "2064-02-29T00:00:00Z"});
}

static void either_day_field_matches(void **unused)
{
    (void)unused;
    /* the 1st, the 15th, and every Friday */
    fires("5 4 1,15 * 5", "2026-11-18T00:00:00Z",
          (const char *const[]){"2026-11-20T04:05:00Z", "2026-11-27T04:05:00Z", "2026-12-01T04:05:00Z",
                                "2026-12-04T04:05:00Z", "2026-12-11T04:05:00Z", "2026-12-15T04:05:00Z",
                                "2026-12-18T04:05:00Z", "2026-12-25T04:05:00Z", "2027-01-01T04:05:00Z",
                                "2027-01-08T04:05:00Z"});
}

static void every_counts_from_the_epoch(void **unused)
{
    (void)unused;
    fires("@every 10s", "2026-11-18T11:59:31.5Z",
          (const char *const[]){"2026-11-18T11:59:40Z", "2026-11-18T11:59:50Z", "2026-11-18T12:00:00Z",
                                "2026-11-18T12:00:10Z", "2026-11-18T12:00:20Z", "2026-11-18T12:00:30Z",
                                "2026-11-18T12:00:40Z", "2026-11-18T12:00:50Z", "2026-11-18T12:01:00Z",
                                "2026-11-18T12:01:10Z"});
    assert_true(parsed("@every 1s", at("2026-01-01T00:00:00Z")).every_us == SECOND_US);
    assert_true(parsed("@every 24h", at("2026-01-01T00:00:00Z")).every_us == DAY_US);
    assert_true(parsed("@every 1440m", at("2026-01-01T00:00:00Z")).every_us == DAY_US);
}

/* Two schedules are the same when they fire alike for a good while. */
static void same(const char *a, const char *b)
{
    struct instant t = at("2026-11-18T11:59:31Z"), u = t;
    struct cron x = parsed(a, t), y = parsed(b, t);

    for (int i = 0; i < 200; i++) {
        assert_true(cron_next(&x, t, &t));
        assert_true(cron_next(&y, u, &u));
        if (t.us != u.us)
            fail_msg("'%s' and '%s' differ at %s", a, b, instant_text(t, (char[INSTANT_TEXT]){0}));
    }
}

static void words_and_names(void **unused)
{
    (void)unused;
    same("@hourly", "0 * * * *");
    same("@daily", "0 0 * * *");
    same("@weekly", "0 0 * * sun");
    same("@monthly", "0 0 1 * *");
    same("@yearly", "0 0 1 jan *");
    same("0 0 * * 7", "0 0 * * 0");
    same("0 0 * * 5-7", "0 0 * * 0,5,6");
    same("0 0 * * Mon-FRI", "0 0 * * 1-5");
    same("0 0 1 jan-Mar,12 *", "0 0 1 1,2,3,12 *");
    same("10-50/20 0-23 * * *", "10,30,50 * * * *");
    same("  0\t4  * *   * ", "0 4 * * *");
    same("*/59 * * * *", "0,59 * * * *");
}

/* Whether a minute matches, read straight from the lists: the oracle of the search. */
static bool matches(const struct cron *cron, struct civil c)
{
    bool day = cron->days >> c.day & 1, weekday = cron->weekdays >> c.weekday & 1;

    return cron->minutes >> c.minute & 1 && cron->hours >> c.hour & 1 && cron->months >> c.month & 1 &&
           (cron->either_day ? day || weekday : day && weekday);
}

static void agrees_with_a_minute_by_minute_search(void **unused)
{
    static const char *const SCHEDULES[] = {
        "*/7 */5 * * *", "59 23 31 * *", "0 0 1 3 *", "13 4 13 * 5", "0 12 */2 * 1", "30 2 28-31 2,4 *", "1 1 * 12 6-7",
    };

    (void)unused;
    for (size_t i = 0; i < sizeof SCHEDULES / sizeof *SCHEDULES; i++) {
        struct instant t = at("2027-12-30T23:58:59Z"), next, minute = at("2027-12-30T23:58:00Z");
        struct cron cron = parsed(SCHEDULES[i], t);

        for (int n = 0; n < 400 * 1440; n++) {
            minute.us += 60 * SECOND_US;
            if (!matches(&cron, instant_civil(minute)))
                continue;
            assert_true(cron_next(&cron, t, &next));
            if (next.us != minute.us)
                fail_msg("%s: %s", SCHEDULES[i], instant_text(next, (char[INSTANT_TEXT]){0}));
            t = next;
        }
    }
}

static void no_hour_is_missing_or_doubled_when_clocks_change(void **unused)
{
    /* Europe changes on 2026-03-29 and 2026-10-25: one firing a day, always at the same minute UTC */
    struct instant t = at("2026-03-26T00:00:00Z");
    struct cron cron = parsed("30 2 * * *", t);

    (void)unused;
    for (int day = 0; day < 230; day++) {
        struct instant next;

        assert_true(cron_next(&cron, t, &next));
        if (day)
            assert_true(next.us - t.us == DAY_US);
        t = next;
    }
}

static void refused(const char *schedule, int position)
{
    struct cron cron;
    struct cron_fault why;

    if (cron_parse(schedule, at("2026-11-18T00:00:00Z"), &cron, &why))
        fail_msg("'%s' accepted", schedule);
    if (why.position != position)
        fail_msg("'%s': position %d, not %d (%s)", schedule, why.position, position, why.message);
}

static void refusals_name_the_position(void **unused)
{
    char too_long[CRON_TEXT_MAX + 2];

    (void)unused;
    refused("60 * * * *", 1);
    refused("0 0 31 2 *", 5);
    refused("*/0 * * * *", 3);
    refused("* * * *", 8);
    refused("a b c d e", 1);
    refused("", 1);
    refused("   ", 4);
    refused("* 24 * * *", 3);
    refused("* * 0 * *", 5);
    refused("* * * 13 *", 7);
    refused("* * * * 8", 9);
    refused("* * * * * *", 11);
    refused("5-1 * * * *", 1);
    refused("5/2 * * * *", 2);
    refused("1, * * * *", 3);
    refused(",1 * * * *", 1);
    refused("1- * * * *", 3);
    refused("-1 * * * *", 1);
    refused("*5 * * * *", 2);
    refused("*/60 * * * *", 3);
    refused("* * * janu *", 7);
    refused("* * * * mon-x", 13);
    refused("99999999999 * * * *", 1);
    refused("0 0 30-31 2 *", 5);
    refused("@midnight", 1);
    refused("@daily x", 8);
    refused("@every", 7);
    refused("@every 0s", 8);
    refused("@every 25h", 8);
    refused("@every 86401s", 8);
    refused("@every 10", 10);
    refused("@every 1h30m", 10);
    refused("@every -1s", 8);
    memset(too_long, ' ', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = 0;
    refused(too_long, CRON_TEXT_MAX + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_firings_by_hand),
        cmocka_unit_test(either_day_field_matches),
        cmocka_unit_test(every_counts_from_the_epoch),
        cmocka_unit_test(words_and_names),
        cmocka_unit_test(agrees_with_a_minute_by_minute_search),
        cmocka_unit_test(no_hour_is_missing_or_doubled_when_clocks_change),
        cmocka_unit_test(refusals_name_the_position),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
