/* Words about time, as of Wednesday, 18 November 2026, 15:00 UTC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"
#include "dates.h"

static const struct zone UTC = {0};

static int64_t at(const char *text)
{
    struct instant t = {0};

    if (*text)
        assert_true(instant_parse(text, &t));
    return t.us;
}

static void expect(const char *query, const char *from, const char *to)
{
    struct time_span s = {1, 1};

    if (!dates_find(query, at("2026-11-18T15:00:00Z"), &UTC, &s) || s.from != at(from) || s.to != at(to))
        fail_msg("'%s': %lld to %lld", query, (long long)s.from, (long long)s.to);
}

#define T "T00:00:00Z"

static void dates_are_spans(void **state)
{
    (void)state;
    expect("what happened on 2023-05-08?", "2023-05-08" T, "2023-05-09" T);
    expect("in 2023-05 then", "2023-05-01" T, "2023-06-01" T);
    expect("Who had dinner on May 3, 2023?", "2023-05-03" T, "2023-05-04" T);
    expect("on the 8th of May 2023", "2023-05-08" T, "2023-05-09" T);
    expect("1:56 pm on 8 May, 2023", "2023-05-08" T, "2023-05-09" T);
    expect("in december 2025", "2025-12-01" T, "2026-01-01" T);
    expect("in December", "2025-12-01" T, "2026-01-01" T); /* not the one ahead */
    expect("in October", "2026-10-01" T, "2026-11-01" T);
    expect("in 2024", "2024-01-01" T, "2025-01-01" T);
    expect("29 February 2024", "2024-02-29" T, "2024-03-01" T);
    expect("between May 2023 and July 2023", "2023-05-01" T, "2023-08-01" T);
}

static void words_count_from_now(void **state)
{
    (void)state;
    expect("what did we say yesterday", "2026-11-17" T, "2026-11-18" T);
    expect("the day before yesterday", "2026-11-16" T, "2026-11-17" T);
    expect("anything today?", "2026-11-18" T, "2026-11-19" T);
    expect("last week", "2026-11-09" T, "2026-11-16" T);
    expect("this week", "2026-11-16" T, "2026-11-23" T);
    expect("last weekend", "2026-11-14" T, "2026-11-16" T);
    expect("last month", "2026-10-01" T, "2026-11-01" T);
    expect("last quarter", "2026-07-01" T, "2026-10-01" T);
    expect("last year", "2025-01-01" T, "2026-01-01" T);
    expect("3 days ago", "2026-11-15" T, "2026-11-16" T);
    expect("two weeks ago", "2026-11-02" T, "2026-11-09" T);
    expect("a couple of months ago", "2026-09-01" T, "2026-10-01" T);
    expect("past 3 days", "2026-11-15" T, "2026-11-19" T);
    expect("on Monday", "2026-11-16" T, "2026-11-17" T);
    expect("last Wednesday", "2026-11-11" T, "2026-11-12" T);
    expect("last night", "2026-11-17" T, "2026-11-19" T);
}

static void ends_may_be_open(void **state)
{
    (void)state;
    expect("since May 2026", "2026-05-01" T, "");
    expect("after 2026-05-08", "2026-05-09" T, "");
    expect("before 2024", "", "2024-01-01" T);
}

static void other_words_say_nothing_of_time(void **state)
{
    static const char *const NONE[] = {"", "who may march", "the second week of training", "he ran 2023 miles", "room 12",
                                       "31 February 2024", "sat in the sun", "version 2024-99-01", "\xff\xfe", "last"};
    struct time_span s;
    char words[20000];

    (void)state;
    for (size_t i = 0; i < sizeof NONE / sizeof *NONE; i++)
        if (dates_find(NONE[i], at("2026-11-18T15:00:00Z"), &UTC, &s))
            fail_msg("'%s'", NONE[i]);
    memset(words, 'a', sizeof words - 1);
    for (size_t i = 1; i < sizeof words - 1; i += 2)
        words[i] = ' ';
    words[sizeof words - 1] = '\0';
    assert_false(dates_find(words, at("2026-11-18T15:00:00Z"), &UTC, &s));
}

/* 15:00 UTC is already the next day at +10:00; and a day on which clocks change has 23 or 25 hours. */
static void days_are_those_of_the_caller(void **state)
{
    struct arena *a = arena_new(1u << 20);
    struct time_span s;
    struct zone zone;

    (void)state;
    assert_true(zone_find(a, "+10:00", &zone));
    assert_true(dates_find("yesterday", at("2026-11-18T15:00:00Z"), &zone, &s));
    assert_true(s.from == at("2026-11-17T14:00:00Z") && s.to == at("2026-11-18T14:00:00Z"));
    assert_true(zone_find(a, "Europe/Vienna", &zone));
    assert_true(dates_find("yesterday", at("2026-03-30T10:00:00Z"), &zone, &s));
    assert_true(s.from == at("2026-03-28T23:00:00Z") && s.to == at("2026-03-29T22:00:00Z"));
    assert_true(dates_find("in July 2026", at("2026-11-18T15:00:00Z"), &zone, &s));
    assert_true(s.from == at("2026-06-30T22:00:00Z") && s.to == at("2026-07-31T22:00:00Z"));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_spans),
        cmocka_unit_test(words_count_from_now),
        cmocka_unit_test(ends_may_be_open),
        cmocka_unit_test(other_words_say_nothing_of_time),
        cmocka_unit_test(days_are_those_of_the_caller),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
