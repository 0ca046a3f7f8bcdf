/* Reads schedules and computes firings; see cron.h. */
#include "cron.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define MINUTE_US (60 * SECOND_US)
#define EVERY_MAX_S (24 * 3600)

enum field_id { MINUTE, HOUR, DAY, MONTH, WEEKDAY, N_FIELDS };

static const struct {
    int min, max;
    const char *bad_value;
} FIELDS[N_FIELDS] = {
    {0, 59, "minute must be 0 to 59"},
    {0, 23, "hour must be 0 to 23"},
    {1, 31, "day must be 1 to 31"},
    {1, 12, "month must be 1 to 12 or jan to dec"},
    {0, 7, "weekday must be 0 to 7 or sun to sat"},
};

struct reader {
    const char *text, *at;
    struct cron_fault *why;
};

static bool cron_refuse(const struct reader *r, const char *at, const char *message)
{
    *r->why = (struct cron_fault){(int)(at - r->text) + 1, message};
    return false;
}

static bool cron_is_space(char ch)
{
    return ch == ' ' || ch == '\t';
}

static void skip_spaces(struct reader *r)
{
    while (cron_is_space(*r->at))
        r->at++;
}

/* Up to four digits; false when there is none. */
static bool read_digits(struct reader *r, int *out)
{
    int v = 0, n = 0;

    for (; isdigit((unsigned char)*r->at) && n < 5; r->at++, n++)
        v = v * 10 + (*r->at - '0');
    *out = v;
    return n > 0;
}

static bool read_name(struct reader *r, enum field_id id, int *out)
{
    static const char MONTHS[] = "janfebmaraprmayjunjulaugsepoctnovdec", DAYS[] = "sunmontuewedthufrisat";
    const char *names = id == MONTH ? MONTHS : DAYS;

    if (id != MONTH && id != WEEKDAY)
        return false;
    for (int i = 0; names[3 * i]; i++)
        if (strncasecmp(r->at, names + 3 * i, 3) == 0 && !isalnum((unsigned char)r->at[3])) {
            r->at += 3;
            *out = i + FIELDS[id].min;
            return true;
        }
    return false;
}

static bool cron_read_value(struct reader *r, enum field_id id, int *out)
{
    const char *begin = r->at;

    if (!read_digits(r, out) && !read_name(r, id, out))
        return cron_refuse(r, begin, FIELDS[id].bad_value);
    if (*out < FIELDS[id].min || *out > FIELDS[id].max)
        return cron_refuse(r, begin, FIELDS[id].bad_value);
    return true;
}

/* One element of a list: '*', a value or a range; '*' and ranges may have a step. */
static bool read_element(struct reader *r, enum field_id id, uint64_t *bits)
{
    int from = FIELDS[id].min, to = id == WEEKDAY ? 6 : FIELDS[id].max, step = 1;
    bool many = true;
    const char *begin = r->at;

    if (*r->at == '*') {
        r->at++;
    } else {
        if (!cron_read_value(r, id, &from))
            return false;
        to = from;
        many = *r->at == '-';
        if (many) {
            r->at++;
            if (!cron_read_value(r, id, &to))
                return false;
            if (to < from)
                return cron_refuse(r, begin, "a range must go upwards");
        }
    }
    if (*r->at == '/') {
        if (!many)
            return cron_refuse(r, r->at, "a step needs '*' or a range before it");
        begin = ++r->at;
        if (!read_digits(r, &step) || step < 1 || step > FIELDS[id].max)
            return cron_refuse(r, begin, "a step must be a number from 1 to the largest value of its field");
    }
    for (int v = from; v <= to; v += step)
        *bits |= (uint64_t)1 << (id == WEEKDAY ? v % 7 : v);
    return true;
}

static bool read_field(struct reader *r, enum field_id id, uint64_t *bits)
{
    static const char *const MISSING[] = {"minute is missing", "hour is missing", "day is missing", "month is missing",
                                          "weekday is missing: a schedule has five fields"};

    skip_spaces(r);
    if (!*r->at)
        return cron_refuse(r, r->at, MISSING[id]);
    for (*bits = 0;; r->at++) {
        if (!read_element(r, id, bits))
            return false;
        if (*r->at != ',')
            break;
    }
    if (*r->at && !cron_is_space(*r->at))
        return cron_refuse(r, r->at, "expected ',', '-', '/' or a space here");
    return true;
}

static bool read_every(struct reader *r, struct cron *out)
{
    const char *begin;
    int n, unit;

    skip_spaces(r);
    begin = r->at;
    if (!read_digits(r, &n))
        return cron_refuse(r, begin, "expected a number and s, m or h, such as 10s");
    unit = *r->at == 's' ? 1 : *r->at == 'm' ? 60 : *r->at == 'h' ? 3600 : 0;
    if (!unit)
        return cron_refuse(r, r->at, "expected s, m or h");
    r->at++;
    if (n < 1 || n > EVERY_MAX_S / unit)
        return cron_refuse(r, begin, "the period must be 1s to 24h");
    out->every_us = n * (int64_t)unit * SECOND_US;
    skip_spaces(r);
    return *r->at ? cron_refuse(r, r->at, "unexpected text after the period") : true;
}

static bool read_fields(struct reader *r, struct cron *out)
{
    uint64_t bits[N_FIELDS];
    const char *begin[N_FIELDS];

    for (enum field_id id = 0; id < N_FIELDS; id++) {
        skip_spaces(r);
        begin[id] = r->at;
        if (!read_field(r, id, &bits[id]))
            return false;
    }
    skip_spaces(r);
    if (*r->at)
        return cron_refuse(r, r->at, "a schedule has five fields: minute, hour, day, month, weekday");
    out->minutes = bits[MINUTE];
    out->hours = (uint32_t)bits[HOUR];
    out->days = (uint32_t)bits[DAY];
    out->months = (uint32_t)bits[MONTH];
    out->weekdays = (uint32_t)bits[WEEKDAY];
    out->either_day = *begin[DAY] != '*' && *begin[WEEKDAY] != '*';
    r->at = begin[DAY];
    return true;
}

/* The words for common schedules; leaves the reader at the text that the fields are read from. */
static bool expand(struct reader *r, bool *is_every)
{
    static const struct {
        const char *word, *fields;
    } WORDS[] = {
        {"@hourly", "0 * * * *"}, {"@daily", "0 0 * * *"}, {"@weekly", "0 0 * * 0"},
        {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"},
    };
    size_t n = strcspn(r->at, " \t"), rest = n + strspn(r->at + n, " \t");

    *is_every = n == 6 && strncmp(r->at, "@every", n) == 0;
    if (*is_every || *r->at != '@') {
        r->at += *is_every ? 6 : 0;
        return true;
    }
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strlen(WORDS[i].word) == n && strncmp(r->at, WORDS[i].word, n) == 0) {
            if (r->at[rest])
                return cron_refuse(r, r->at + rest, "unexpected text after the word");
            r->at = r->text = WORDS[i].fields;
            return true;
        }
    return cron_refuse(r, r->at, "known words are @hourly @daily @weekly @monthly @yearly and @every");
}

bool cron_parse(const char *text, struct instant from, struct cron *out, struct cron_fault *why)
{
    struct reader r = {text, text, why};
    struct cron cron = {0};
    struct instant first;
    bool is_every;

    if (strlen(text) > CRON_TEXT_MAX)
        return cron_refuse(&r, text + CRON_TEXT_MAX, "a schedule has at most 200 characters");
    skip_spaces(&r);
    if (!*r.at)
        return cron_refuse(&r, r.at, "a schedule has five fields: minute, hour, day, month, weekday");
    if (!expand(&r, &is_every))
        return false;
    if (!(is_every ? read_every(&r, &cron) : read_fields(&r, &cron)))
        return false;
    if (!cron_next(&cron, from, &first))
        return cron_refuse(&r, r.at, "no firing within 5 years: no such day exists in these months");
    *out = cron;
    return true;
}

static bool day_matches(const struct cron *cron, const struct civil *c)
{
    bool day = cron->days >> c->day & 1, weekday = cron->weekdays >> c->weekday & 1;

    return cron->either_day ? day || weekday : day && weekday;
}

/* The first minute at or after hour:minute of a matching day; false: the day has none left. */
static bool minute_of_day(const struct cron *cron, struct civil *c)
{
    for (; c->hour < 24; c->hour++, c->minute = 0) {
        if (!(cron->hours >> c->hour & 1))
            continue;
        for (; c->minute < 60; c->minute++)
            if (cron->minutes >> c->minute & 1)
                return true;
    }
    return false;
}

bool cron_next(const struct cron *cron, struct instant t, struct instant *next)
{
    struct instant at = {(t.us / MINUTE_US + 1) * MINUTE_US};
    struct civil c;
    int last_year;

    if (cron->every_us) {
        next->us = (t.us / cron->every_us + 1) * cron->every_us;
        return true;
    }
    c = instant_civil(at);
    last_year = c.year + CRON_HORIZON_YEARS;
    while (c.year <= last_year) {
        if (!(cron->months >> c.month & 1)) {
            at = civil_instant((struct civil){.year = c.year + c.month / 12, .month = c.month % 12 + 1, .day = 1});
        } else if (day_matches(cron, &c) && minute_of_day(cron, &c)) {
            *next = civil_instant((struct civil){c.year, c.month, c.day, c.hour, c.minute, 0, 0, 0});
            return true;
        } else {
            at.us = (at.us / DAY_US + 1) * DAY_US;
        }
        c = instant_civil(at);
    }
    return false;
}
