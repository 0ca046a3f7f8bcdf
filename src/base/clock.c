/* The clock and the calendar (proleptic Gregorian, UTC only); see clock.h. */
#include "clock.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct instant clock_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    return (struct instant){ts.tv_sec * SECOND_US + ts.tv_nsec / 1000 + clock_moved_us()};
}

static int64_t read_clock_us(clockid_t which)
{
    struct timespec ts;

    clock_gettime(which, &ts);
    return ts.tv_sec * SECOND_US + ts.tv_nsec / 1000;
}

int64_t clock_monotonic_us(void)
{
    return read_clock_us(CLOCK_MONOTONIC);
}

int64_t clock_thread_cpu_us(void)
{
    return read_clock_us(CLOCK_THREAD_CPUTIME_ID);
}

/* Days since 1970-01-01 of a civil date; the year is taken to begin in March so that leap days come last. */
static int64_t days_from_civil(int y, int m, int d)
{
    int64_t era, yoe, doy, doe;

    y -= m <= 2;
    era = (y >= 0 ? y : y - 399) / 400;
    yoe = y - era * 400;
    doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + doe - 719468;
}

struct civil instant_civil(struct instant t)
{
    int64_t days = t.us / DAY_US, rest = t.us % DAY_US, era, doe, yoe, doy, mp;
    struct civil c;

    if (rest < 0) {
        rest += DAY_US;
        days--;
    }
    c.weekday = (int)((days % 7 + 11) % 7);
    days += 719468;
    era = (days >= 0 ? days : days - 146096) / 146097;
    doe = days - era * 146097;
    yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    mp = (5 * doy + 2) / 153;
    c.day = (int)(doy - (153 * mp + 2) / 5 + 1);
    c.month = (int)(mp < 10 ? mp + 3 : mp - 9);
    c.year = (int)(yoe + era * 400 + (c.month <= 2));
    c.us = (int)(rest % SECOND_US);
    rest /= SECOND_US;
    c.hour = (int)(rest / 3600);
    c.minute = (int)(rest / 60 % 60);
    c.second = (int)(rest % 60);
    return c;
}

struct instant civil_instant(struct civil c)
{
    int64_t s = days_from_civil(c.year, c.month, c.day) * 86400 + c.hour * 3600 + c.minute * 60 + c.second;

    return (struct instant){s * SECOND_US + c.us};
}

int days_in_month(int year, int month)
{
    static const int DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return DAYS[month - 1] + (month == 2 && leap);
}

/* The n last digits of value and the character behind them; printf takes ten times as long, and an answer has many instants. */
static char *put_digits(char *at, int value, int n, char behind)
{
    unsigned v = (unsigned)value;

    for (int i = n - 1; i >= 0; i--, v /= 10)
        at[i] = (char)('0' + v % 10);
    at[n] = behind;
    return at + n + 1;
}

const char *instant_text(struct instant t, char out[INSTANT_TEXT])
{
    struct civil c = instant_civil(t);
    char *at = put_digits(out, c.year, 4, '-');

    at = put_digits(at, c.month, 2, '-');
    at = put_digits(at, c.day, 2, 'T');
    at = put_digits(at, c.hour, 2, ':');
    at = put_digits(at, c.minute, 2, ':');
    at = put_digits(at, c.second, 2, '.');
    at = put_digits(at, c.us, 6, 'Z');
    *at = 0;
    return out;
}

/* Reads exactly n digits at *s. */
static bool digits(const char **s, int n, int *out)
{
    int v = 0;

    for (int i = 0; i < n; i++) {
        if (!isdigit((unsigned char)(*s)[i]))
            return false;
        v = v * 10 + ((*s)[i] - '0');
    }
    *s += n;
    *out = v;
    return true;
}

static bool expect(const char **s, char ch)
{
    if (**s != ch)
        return false;
    (*s)++;
    return true;
}

/* Digits after the point, cut to microseconds. */
static bool fraction(const char **s, int *us)
{
    int n = 0;

    *us = 0;
    if (**s != '.')
        return true;
    for ((*s)++; isdigit((unsigned char)**s); (*s)++, n++)
        if (n < 6)
            *us = *us * 10 + (**s - '0');
    for (int i = n; i < 6; i++)
        *us *= 10;
    return n > 0 && n <= 9;
}

static bool offset(const char **s, int *minutes)
{
    int h, m, sign = **s == '-' ? -1 : 1;

    if (**s == 'Z' || **s == 'z') {
        (*s)++;
        *minutes = 0;
        return true;
    }
    if (**s != '+' && **s != '-')
        return false;
    (*s)++;
    if (!digits(s, 2, &h) || !expect(s, ':') || !digits(s, 2, &m) || h > 23 || m > 59)
        return false;
    *minutes = sign * (h * 60 + m);
    return true;
}

bool instant_parse(const char *s, struct instant *out)
{
    struct civil c = {0};
    struct instant t;
    int minutes;

    if (!s || !digits(&s, 4, &c.year) || !expect(&s, '-') || !digits(&s, 2, &c.month) || !expect(&s, '-') ||
        !digits(&s, 2, &c.day) || !(expect(&s, 'T') || expect(&s, 't') || expect(&s, ' ')))
        return false;
    if (!digits(&s, 2, &c.hour) || !expect(&s, ':') || !digits(&s, 2, &c.minute) || !expect(&s, ':') ||
        !digits(&s, 2, &c.second) || !fraction(&s, &c.us) || !offset(&s, &minutes) || *s)
        return false;
    if (c.year < 1970 || c.month < 1 || c.month > 12 || c.day < 1 || c.day > days_in_month(c.year, c.month) ||
        c.hour > 23 || c.minute > 59 || c.second > 59)
        return false;
    t = civil_instant(c);
    t.us -= minutes * 60 * SECOND_US;
    if (t.us <= 0 || instant_civil(t).year > 9999)
        return false;
    *out = t;
    return true;
}
