/* Time zones, against the C library's own reading of the same files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "clock.h"
#include "zone.h"

static const char *const NAMES[] = {
    "Europe/Vienna", "Europe/London", "Europe/Dublin", "America/New_York", "America/Sao_Paulo", "America/St_Johns", "America/Nuuk",
    "Africa/Casablanca", "Africa/Cairo", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo", "Asia/Tehran", "Asia/Jerusalem",
    "Australia/Sydney", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Apia", "Pacific/Kiritimati", "Antarctica/Troll",
    "America/Argentina/Ushuaia", "Etc/GMT+5", "Etc/UTC", "CET",
};

static long library_s(time_t t)
{
    struct tm tm;

    assert_non_null(localtime_r(&t, &tm));
    return tm.tm_gmtoff;
}

/* Each 4 days and some seconds from 1970 to 2090: past the end of every file's list of changes. */
static void offsets_are_those_of_the_library(void **state)
{
    struct arena *a = arena_new(64u << 20);

    (void)state;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct zone z;

        assert_true(zone_find(a, NAMES[i], &z));
        setenv("TZ", arena_printf(a, ":/usr/share/zoneinfo/%s", NAMES[i]), 1);
        tzset();
        for (time_t t = 1; t < 3786912000; t += 347503) {
            long want = library_s(t);
            int64_t us = t * SECOND_US, there = us + want * SECOND_US;

            if (zone_offset(&z, us) != want)
                fail_msg("%s at %lld: %d, not %ld", NAMES[i], (long long)t, zone_offset(&z, us), want);
            if (zone_instant(&z, there) != us)
                assert_true(zone_instant(&z, there) + zone_offset(&z, zone_instant(&z, there)) * SECOND_US == there);
        }
    }
    unsetenv("TZ");
    arena_free(a);
}

static void changes_are_to_the_second(void **state)
{
    struct arena *a = arena_new(1u << 20);
    struct zone z;
    struct instant t;

    (void)state;
    assert_true(zone_find(a, "Europe/Vienna", &z));
    for (int late = 0; late < 2; late++) {
        assert_true(instant_parse(late ? "2061-03-27T01:00:00Z" : "2026-03-29T01:00:00Z", &t));
        assert_int_equal(zone_offset(&z, t.us - 1), 3600);
        assert_int_equal(zone_offset(&z, t.us), 7200);
    }
    /* 02:30 is not there that night, and twice in another. */
    assert_true(zone_instant(&z, t.us + 5400 * SECOND_US) >= t.us - 1800 * SECOND_US);
    assert_true(zone_instant(&z, t.us + 5400 * SECOND_US) <= t.us + 1800 * SECOND_US);
    arena_free(a);
}

static void offsets_are_zones_too(void **state)
{
    static const struct { const char *name; int offset; } GOOD[] = {
        { NULL, 0 }, { "", 0 }, { "Z", 0 }, { "UTC", 0 }, { "+02:00", 7200 }, { "-0330", -12600 }, { "+14:00", 50400 }, { "-00:01", -60 },
    };
    static const char *const BAD[] = {
        "+25:00", "+1:000", "+14:60", "2:00", "+02:0", "+::00", "+02::0", "+2:000", "here", "Mars/Base", "../../../etc/passwd", "/etc/localtime",
        "Europe", "Europe/", "Europe/../Europe/Vienna", "tzdata.zi", "posixrules", "right/UTC", "Europe/Vienna\n", "leapseconds", "A",
        "Europe/Viennaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    };
    struct arena *a = arena_new(4u << 20);
    struct zone z;

    (void)state;
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        assert_true(zone_find(a, GOOD[i].name, &z));
        assert_int_equal(zone_offset(&z, 1), GOOD[i].offset);
        assert_true(zone_instant(&z, 90000 * SECOND_US) == (90000 - GOOD[i].offset) * SECOND_US);
    }
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        if (zone_find(a, BAD[i], &z))
            fail_msg("'%s' is a zone", BAD[i]);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_are_those_of_the_library),
        cmocka_unit_test(changes_are_to_the_second),
        cmocka_unit_test(offsets_are_zones_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
