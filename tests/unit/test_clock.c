/* Instants: the calendar against libc's, and the RFC 3339 reader and writer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"

static int64_t parsed(const char *s)
{
    struct instant t = {-1};

    if (!instant_parse(s, &t))
        fail_msg("'%s' refused", s);
    return t.us;
}

static void every_day_agrees_with_libc(void **unused)
{
    (void)unused;
    for (int64_t day = 0; day < 2932897; day += day < 80000 ? 1 : 11) { /* to the end of 9999 */
        time_t s = (time_t)(day * 86400 + day % 86400);
        struct instant t = {(int64_t)s * SECOND_US + day % 1000000};
        struct civil c = instant_civil(t);
        struct tm tm;

        gmtime_r(&s, &tm);
        if (c.year != tm.tm_year + 1900 || c.month != tm.tm_mon + 1 || c.day != tm.tm_mday ||
            c.hour != tm.tm_hour || c.minute != tm.tm_min || c.second != tm.tm_sec ||
            c.weekday != tm.tm_wday || c.us != day % 1000000)
            fail_msg("day %lld", (long long)day);
        assert_true(civil_instant(c).us == t.us);
        assert_true(c.day <= days_in_month(c.year, c.month));
    }
}

static void before_1970(void **unused)
{
    struct civil c = instant_civil((struct instant){-1});

    (void)unused;
    assert_int_equal(c.year, 1969);
    assert_int_equal(c.month, 12);
    assert_int_equal(c.day, 31);
    assert_int_equal(c.second, 59);
    assert_int_equal(c.us, 999999);
    assert_int_equal(c.weekday, 3);
    assert_true(civil_instant(c).us == -1);
}

static void months(void **unused)
{
    (void)unused;
    assert_int_equal(days_in_month(2023, 2), 28);
    assert_int_equal(days_in_month(2024, 2), 29);
    assert_int_equal(days_in_month(2000, 2), 29);
    assert_int_equal(days_in_month(2100, 2), 28);
    assert_int_equal(days_in_month(2024, 12), 31);
    assert_int_equal(days_in_month(2024, 4), 30);
}

static void writing(void **unused)
{
    char text[INSTANT_TEXT];
    int64_t last = 253402300799999999; /* the last microsecond of 9999 */

    (void)unused;
    assert_string_equal(instant_text((struct instant){0}, text), "1970-01-01T00:00:00.000000Z");
    assert_string_equal(instant_text((struct instant){ 1700000000123456 }, text),
                        "2023-11-14T22:13:20.123456Z");
    assert_string_equal(instant_text((struct instant){last}, text), "9999-12-31T23:59:59.999999Z");
    for (int64_t us = 1; us < last; us += 987654321987654) {
        assert_int_equal(strlen(instant_text((struct instant){us}, text)), INSTANT_TEXT - 1);
        assert_true(parsed(text) == us);
    }
}

static void reading(void **unused)
{
    int64_t noon = 1709208000 * SECOND_US; /* 2024-02-29 12:00 UTC */

    (void)unused;
    assert_true(parsed("2024-02-29T12:00:00Z") == noon);
    assert_true(parsed("2024-02-29t12:00:00z") == noon);
    assert_true(parsed("2024-02-29 12:00:00Z") == noon);
    assert_true(parsed("2024-02-29T12:00:00+00:00") == noon);
    assert_true(parsed("2024-02-29T13:30:00+01:30") == noon);
    assert_true(parsed("2024-02-28T22:30:00-13:30") == noon);
    assert_true(parsed("2024-02-29T12:00:00.5Z") == noon + 500000);
    assert_true(parsed("2024-02-29T12:00:00.000001Z") == noon + 1);
    assert_true(parsed("2024-02-29T12:00:00.123456789Z") == noon + 123456); /* cut, not rounded */
    assert_true(parsed("1970-01-01T00:00:00.000001Z") == 1);
}

static void refusing(void **unused)
{
    static const char *const BAD[] = { "",
                                       "now",
                                       "2024-02-29",
                                       "2024-02-29T12:00Z",
                                       "2024-02-29T12:00:00",
                                       "2024-02-30T12:00:00Z",
                                       "2023-02-29T12:00:00Z",
                                       "2100-02-29T12:00:00Z",
                                       "2024-13-01T12:00:00Z",
                                       "2024-00-01T12:00:00Z",
                                       "2024-01-00T12:00:00Z",
                                       "2024-04-31T12:00:00Z",
                                       "2024-02-29T24:00:00Z",
                                       "2024-02-29T12:60:00Z",
                                       "2024-02-29T12:00:60Z",
                                       "2024-02-29T12:00:00.Z",
                                       "2024-02-29T12:00:00.1234567890Z",
                                       "2024-02-29T12:00:00,5Z",
                                       "2024-02-29T12:00:00+0100",
                                       "2024-02-29T12:00:00+24:00",
                                       "2024-02-29T12:00:00+01:60",
                                       "2024-02-29T12:00:00Z ",
                                       " 2024-02-29T12:00:00Z",
                                       "2024-02-29T12:00:00Zulu",
                                       "2024-2-29T12:00:00Z",
                                       "24-02-29T12:00:00Z",
                                       "+2024-02-29T12:00:00Z",
                                       "-024-02-29T12:00:00Z",
                                       "1969-12-31T23:59:59Z",
                                       "1970-01-01T00:00:00+00:01",
                                       "9999-12-31T23:59:59-00:01",
                                       "10000-01-01T00:00:00Z",
                                       "2024-02-29T1a:00:00Z" };

    (void)unused;
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        struct instant t = {77};

        if (instant_parse(BAD[i], &t) || t.us != 77)
            fail_msg("'%s' accepted, or the result touched", BAD[i]);
    }
    assert_false(instant_parse(NULL, &(struct instant){0}));
}

static void clocks_run(void **unused)
{
    int64_t monotonic = clock_monotonic_us();
    struct instant now = clock_now();

    (void)unused;
    assert_true(now.us > 1700000000 * SECOND_US);
    assert_true(llabs(now.us / SECOND_US - (int64_t)time(NULL)) <= 1);
    assert_true(clock_monotonic_us() >= monotonic);
}

/* What is no clock file is refused, and stays as it is: a mistyped setting must not cost a file. */
static void leaves_other_files_alone(void **unused)
{
    static const char TEXT[] = "sixteen bytes!!\n and more";
    char dir[] = "/tmp/loci-clock-XXXXXX", path[64], other[64], kept[sizeof TEXT + 1];
    FILE *f;

    (void)unused;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/notes", dir);
    snprintf(other, sizeof other, "%s/link", dir);
    for (size_t n = 0; n < sizeof TEXT; n++) {
        assert_non_null(f = fopen(path, "w"));
        assert_int_equal(fwrite(TEXT, 1, n, f), n);
        assert_int_equal(fclose(f) || chmod(path, 0600), 0);
        assert_false(clock_follow(path));
        assert_non_null(f = fopen(path, "r"));
        assert_int_equal(fread(kept, 1, sizeof kept, f), n);
        assert_memory_equal(kept, TEXT, n);
        fclose(f);
    }
    unlink(path);
    assert_false(clock_follow(dir));
    assert_false(clock_follow("/nowhere/clock"));
    assert_int_equal(symlink("elsewhere", other), 0);
    assert_false(clock_follow(other));
    assert_true(clock_moved_us() == 0);
    unlink(other);
    assert_int_equal(rmdir(dir), 0); /* nothing was left behind */
}

static void moving(void **unused)
{
    char dir[] = "/tmp/loci-clock-XXXXXX", path[64];
    int64_t monotonic = clock_monotonic_us();
    struct instant before = clock_now(), after;

    (void)unused;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/clock", dir);
    assert_true(clock_follow(path) && clock_moved_us() == 0);
    assert_true(clock_move(DAY_US) == DAY_US && clock_move(SECOND_US) == DAY_US + SECOND_US);
    after = clock_now();
    assert_true(after.us - before.us >= DAY_US + SECOND_US && after.us - before.us < DAY_US + 3600 * SECOND_US);
    assert_true(clock_monotonic_us() - monotonic < 3600 * SECOND_US);
    assert_true(clock_of_db((struct instant){1}).us == DAY_US + SECOND_US + 1);
    assert_true(clock_follow(path) && clock_moved_us() == DAY_US + SECOND_US); /* as another program finds it */
    assert_int_equal(chmod(path, 0644), 0);
    assert_false(clock_follow(path)); /* others see it: not ours alone */
    assert_int_equal(unlink(path) || rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_day_agrees_with_libc),
        cmocka_unit_test(before_1970),
        cmocka_unit_test(months),
        cmocka_unit_test(writing),
        cmocka_unit_test(reading),
        cmocka_unit_test(refusing),
        cmocka_unit_test(clocks_run),
        cmocka_unit_test(leaves_other_files_alone),
        cmocka_unit_test(moving),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
