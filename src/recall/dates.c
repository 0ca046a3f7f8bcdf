/* Finding dates in queries, word by word; see dates.h. */
#include "dates.h"

#include <string.h>

#include "clock.h"

#define WORDS 256
#define WORD_SIZE 16

struct word {
    char text[WORD_SIZE]; /* lower case; cut */
    int number;           /* −1: none */
    int digits;
    bool capital;
};

/* What is being read, and what was found of it. */
struct reader {
    struct word w[WORDS + 8]; /* words past the end are empty */
    size_t n;
    struct civil today;    /* there, not in UTC */
    struct time_span span; /* in local time */
    bool found;
};

/* ---- words ---------------------------------------------------------------------------------------------- */

static bool dates_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "8th" is the word 8: an ending after digits is not kept. */
static const char *read_word(const char *p, struct word *w)
{
    size_t n = 0;

    *w = (struct word){.number = -1, .capital = *p >= 'A' && *p <= 'Z'};
    if (is_digit(*p)) {
        for (w->number = 0; is_digit(*p); p++, w->digits++)
            w->number = w->number < 100000 ? w->number * 10 + (*p - '0') : w->number;
        while (dates_is_letter(*p))
            p++;
        return p;
    }
    for (; dates_is_letter(*p); p++)
        if (n + 1 < WORD_SIZE)
            w->text[n++] = (char)(*p | 0x20);
    return p;
}

static void read_words(struct reader *r, const char *p)
{
    while (*p && r->n < WORDS) {
        if (dates_is_letter(*p) || is_digit(*p))
            p = read_word(p, &r->w[r->n++]);
        else
            p++;
    }
}

static bool is(const struct reader *r, size_t i, const char *text)
{
    return strcmp(r->w[i].text, text) == 0;
}

static bool is_any(const struct reader *r, size_t i, const char *const *list, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (is(r, i, list[k]))
            return true;
    return false;
}
#define IS_ANY(r, i, ...) \
    is_any((r), (i), (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static int dates_name_of(const char *text, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(text, names[i]) == 0 || (strlen(text) == 3 && strncmp(text, names[i], 3) == 0) ||
            (strcmp(text, "sept") == 0 && strcmp(names[i], "september") == 0))
            return i;
    return -1;
}

static int month_at(const struct reader *r, size_t i)
{
    static const char *const NAMES[] = {"january", "february", "march", "april", "may", "june", "july", "august", "september",
                                        "october", "november", "december"};

    return dates_name_of(r->w[i].text, NAMES, 12) + 1;
}

static int weekday_at(const struct reader *r, size_t i)
{
    static const char *const NAMES[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
    const char *text = r->w[i].text;
    size_t n = strlen(text);

    return n > 3 ? dates_name_of(text, NAMES, 7) : -1; /* "sat" and "sun" are words of their own */
}

static bool is_year(const struct word *w)
{
    return w->digits == 4 && w->number >= 1970 && w->number < 2200;
}

static bool is_day(const struct word *w)
{
    return w->digits >= 1 && w->digits <= 2 && w->number >= 1 && w->number <= 31;
}

static int small_number(const struct reader *r, size_t i)
{
    static const char *const NAMES[] = {"a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};

    if (r->w[i].number > 0 && r->w[i].number <= 1000)
        return r->w[i].number;
    for (int k = 0; k < 11; k++)
        if (is(r, i, NAMES[k]))
            return k ? k : 1;
    return is(r, i, "an") ? 1 : is(r, i, "couple") ? 2 : is(r, i, "few") ? 3 : 0;
}

/* ---- spans ---------------------------------------------------------------------------------------------- */

static int64_t day_start(int year, int month, int day)
{
    return civil_instant((struct civil){.year = year, .month = month, .day = day}).us;
}

static struct time_span days_from(int64_t first, int64_t n)
{
    return (struct time_span){first, first + n * DAY_US};
}

static int64_t today(const struct reader *r)
{
    return day_start(r->today.year, r->today.month, r->today.day);
}

/* Months may be 0 or less: of the years before. */
static struct time_span months_from(int year, int month, int n)
{
    int from = year * 12 + month - 1, to = from + n;

    return (struct time_span){day_start(from / 12, from % 12 + 1, 1), day_start(to / 12, to % 12 + 1, 1)};
}

static void found(struct reader *r, struct time_span s)
{
    if (!r->found || s.from < r->span.from)
        r->span.from = s.from;
    if (!r->found || s.to > r->span.to)
        r->span.to = s.to;
    r->found = true;
}

static bool valid_day(int year, int month, int day)
{
    return month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}

/* Where no year is said: the last time it was. */
static int year_of(const struct reader *r, int month, int day)
{
    bool ahead = month > r->today.month || (month == r->today.month && day > r->today.day);

    return r->today.year - ahead;
}

/* ---- what a word begins: each returns how many words it took, 0 if it is not that ------------------------ */

static size_t iso_date(struct reader *r, size_t i)
{
    int year = r->w[i].number, month = r->w[i + 1].number, day = r->w[i + 2].number;

    if (!is_year(&r->w[i]) || r->w[i + 1].digits != 2 || month < 1 || month > 12)
        return 0;
    if (r->w[i + 2].digits == 2 && valid_day(year, month, day)) {
        found(r, days_from(day_start(year, month, day), 1));
        return 3;
    }
    found(r, months_from(year, month, 1));
    return 2;
}

/* "8 May, 2023", "8th of May", "May 8th 2023", "May 2023", "May" after a preposition. */
static size_t month_date(struct reader *r, size_t i)
{
    size_t at = i, took;
    int day = 0, month, year = 0;

    if (is_day(&r->w[at])) {
        day = r->w[at++].number;
        at += is(r, at, "of");
    }
    month = month_at(r, at);
    if (!month)
        return 0;
    took = at + 1 - i;
    if (!day && is_day(&r->w[at + 1])) {
        day = r->w[++at].number;
        took++;
    }
    if (is_year(&r->w[at + 1])) {
        year = r->w[at + 1].number;
        took++;
    }
    if (!day && !year && !(i && IS_ANY(r, i - 1, "in", "of", "since", "during", "last", "until", "before", "after", "this")))
        return 0;
    year = year ? year : year_of(r, month, day);
    if (!day)
        found(r, months_from(year, month, 1));
    else if (valid_day(year, month, day))
        found(r, days_from(day_start(year, month, day), 1));
    return took;
}

static size_t year_alone(struct reader *r, size_t i)
{
    if (!is_year(&r->w[i]) || !i || !IS_ANY(r, i - 1, "in", "during", "since", "of", "before", "after", "until", "year", "and", "to"))
        return 0;
    found(r, months_from(r->w[i].number, 1, 12));
    return 1;
}

/* n whole units back from the one that is now; n 0: the one that is now. */
static bool unit_back(const struct reader *r, const char *unit, int n, struct time_span *out)
{
    int since_monday = (r->today.weekday + 6) % 7;
    int64_t monday = today(r) - since_monday * DAY_US;

    if (strncmp(unit, "day", 3) == 0)
        *out = days_from(today(r) - n * DAY_US, 1);
    else if (strncmp(unit, "weekend", 7) == 0)
        *out = days_from(monday + (5 - 7 * (int64_t)n) * DAY_US, 2);
    else if (strncmp(unit, "week", 4) == 0)
        *out = days_from(monday - 7 * (int64_t)n * DAY_US, 7);
    else if (strncmp(unit, "month", 5) == 0)
        *out = months_from(r->today.year, r->today.month - n, 1);
    else if (strncmp(unit, "quarter", 7) == 0)
        *out = months_from(r->today.year, (r->today.month - 1) / 3 * 3 + 1 - 3 * n, 3);
    else if (strncmp(unit, "year", 4) == 0)
        *out = months_from(r->today.year - n, 1, 12);
    else
        return false;
    return true;
}

/* "last week", "this month", "past 3 days", "last friday", "last night". */
static size_t last_unit(struct reader *r, size_t i)
{
    bool last = IS_ANY(r, i, "last", "past", "previous");
    int n = small_number(r, i + 1);
    struct time_span s;

    if (!last && !is(r, i, "this"))
        return 0;
    if (last && is(r, i + 1, "night")) {
        found(r, days_from(today(r) - DAY_US, 2));
        return 2;
    }
    if (unit_back(r, r->w[i + 1].text, last, &s)) {
        found(r, s);
        return 2;
    }
    if (last && n && unit_back(r, r->w[i + 2].text, n, &s)) {
        found(r, (struct time_span){s.from, today(r) + DAY_US});
        return 3;
    }
    return 0;
}

/* "3 days ago", "a week ago". */
static size_t units_ago(struct reader *r, size_t i)
{
    int n = small_number(r, i);
    size_t at = i + 1 + (is(r, i, "a") && IS_ANY(r, i + 1, "few", "couple"));
    struct time_span s;

    if (at > i + 1)
        n = small_number(r, i + 1);
    at += is(r, at, "of");
    if (!n || !is(r, at + 1, "ago") || !unit_back(r, r->w[at].text, n, &s))
        return 0;
    found(r, s);
    return at + 2 - i;
}

/* "on Monday", "last Friday", and the plain day: the last one before today. */
static size_t weekday(struct reader *r, size_t i)
{
    int day = weekday_at(r, i), back;

    if (day < 0)
        return 0;
    back = (r->today.weekday - day + 6) % 7 + 1;
    found(r, days_from(today(r) - back * DAY_US, 1));
    return 1;
}

static size_t day_name(struct reader *r, size_t i)
{
    if (IS_ANY(r, i, "today", "tonight"))
        found(r, days_from(today(r), 1));
    else if (is(r, i, "yesterday") && i >= 2 && is(r, i - 1, "before") && is(r, i - 2, "day"))
        found(r, days_from(today(r) - 2 * DAY_US, 1));
    else if (is(r, i, "yesterday"))
        found(r, days_from(today(r) - DAY_US, 1));
    else
        return 0;
    return 1;
}

static size_t any_date(struct reader *r, size_t i)
{
    static size_t (*const READ[])(struct reader *, size_t) = {iso_date, month_date, year_alone, units_ago, last_unit, day_name,
                                                             weekday};

    for (size_t k = 0; k < sizeof READ / sizeof *READ; k++) {
        size_t took = READ[k](r, i);

        if (took)
            return took;
    }
    return 0;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* "since May" goes on until now, "before May" began whenever. */
static void open_ends(struct reader *r, size_t first)
{
    if (!first)
        return;
    if (is(r, first - 1, "since"))
        r->span.to = 0;
    else if (is(r, first - 1, "after"))
        r->span = (struct time_span){r->span.to, 0};
    else if (IS_ANY(r, first - 1, "before", "until") && !(first >= 2 && is(r, first - 2, "day")))
        r->span = (struct time_span){0, r->span.from};
}

bool dates_find(const char *query, int64_t now, const struct zone *zone, struct time_span *out)
{
    struct reader r = {.today = instant_civil((struct instant){now + zone_offset(zone, now) * SECOND_US})};
    size_t first = 0;

    read_words(&r, query);
    for (size_t i = 0; i < r.n;) {
        bool had = r.found;
        size_t took = any_date(&r, i);

        if (!had && r.found)
            first = i;
        i += took ? took : 1;
    }
    if (!r.found)
        return false;
    open_ends(&r, first);
    *out = (struct time_span){r.span.from ? zone_instant(zone, r.span.from) : 0, r.span.to ? zone_instant(zone, r.span.to) : 0};
    return true;
}
