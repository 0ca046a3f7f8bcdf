/* Dates of a clause; see extract_impl.h. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "extract_impl.h"

struct dated {
    int64_t from, to; /* half-open */
    size_t n;         /* tokens */
};

static int64_t date_us(int year, int month, int day)
{
    return civil_instant((struct civil){.year = year, .month = month, .day = day}).us;
}

static int date_number(const char *s, int min, int max)
{
    int v = 0;

    for (const char *p = s; *p; p++) {
        if (*p < '0' || *p > '9' || v > 100000)
            return -1;
        v = v * 10 + (*p - '0');
    }
    return *s && v >= min && v <= max ? v : -1;
}

static int date_month(const char *low)
{
    static const char *const NAMES[] = {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november",
                                        "december"};

    for (int i = 0; i < 12; i++)
        if (strcmp(low, NAMES[i]) == 0 || (strlen(low) == 3 && strncmp(low, NAMES[i], 3) == 0))
            return i + 1;
    return 0;
}

static void date_span(struct dated *d, int year, int month, int day, size_t n)
{
    bool years = !month, months = !day;
    int y = year, m = month ? month : 1;

    d->from = date_us(y, m, day ? day : 1);
    if (years)
        y++;
    else if (months) {
        y += m == 12;
        m = m == 12 ? 1 : m + 1;
    }
    d->to = day ? d->from + DAY_US : date_us(y, m, 1);
    d->n = n;
}

/* 2024-03-01 */
static bool date_iso(const struct token *t, struct dated *d)
{
    const char *s = t->low;
    char part[3][5] = {"", "", ""};

    if (strlen(s) != 10 || s[4] != '-' || s[7] != '-')
        return false;
    memcpy(part[0], s, 4);
    memcpy(part[1], s + 5, 2);
    memcpy(part[2], s + 8, 2);
    int y = date_number(part[0], 1970, 2100), m = date_number(part[1], 1, 12), day = date_number(part[2], 1, 31);
    if (y < 0 || m < 0 || day < 0)
        return false;
    date_span(d, y, m, day, 1);
    return true;
}

static bool date_word(const struct clause *c, size_t i, int64_t now, struct dated *d)
{
    int64_t today = now - now % DAY_US;
    struct civil civil = instant_civil((struct instant){now});

    if (token_is(&c->v[i], "yesterday"))
        *d = (struct dated){today - DAY_US, today, 1};
    else if (token_is(&c->v[i], "today"))
        *d = (struct dated){today, today + DAY_US, 1};
    else if (token_is(&c->v[i], "tomorrow"))
        *d = (struct dated){today + DAY_US, today + 2 * DAY_US, 1};
    else if (i + 1 < c->n && token_is(&c->v[i], "last") && token_is(&c->v[i + 1], "year"))
        date_span(d, civil.year - 1, 0, 0, 2);
    else if (i + 1 < c->n && token_is(&c->v[i], "next") && token_is(&c->v[i + 1], "year"))
        date_span(d, civil.year + 1, 0, 0, 2);
    else if (i + 1 < c->n && token_is(&c->v[i], "last next") && token_is(&c->v[i + 1], "month week"))
        *d = (struct dated){today - (token_is(&c->v[i + 1], "week") ? 7 : 30) * (token_is(&c->v[i], "last") ? DAY_US : -DAY_US), today, 2};
    else
        return false;
    return true;
}

static bool date_at(const struct clause *c, size_t i, int64_t now, struct dated *d)
{
    int year, month, day;

    if (i >= c->n)
        return false;
    if (date_word(c, i, now, d) || date_iso(&c->v[i], d))
        return true;
    year = date_number(c->v[i].low, 1970, 2100);
    if (year > 0 && strlen(c->v[i].low) == 4) {
        date_span(d, year, 0, 0, 1);
        return true;
    }
    month = date_month(c->v[i].low);
    if (month && c->v[i].capital) {
        size_t n = 1;

        day = i + n < c->n ? date_number(c->v[i + n].low, 1, 31) : -1;
        n += day > 0;
        n += i + n < c->n && c->v[i + n].text[0] == ',';
        year = i + n < c->n ? date_number(c->v[i + n].low, 1970, 2100) : -1;
        if (year < 0)
            return false; /* without a year it may be any */
        date_span(d, year, month, day > 0 ? day : 0, n + 1);
        return true;
    }
    day = date_number(c->v[i].low, 1, 31);
    month = day > 0 && i + 2 < c->n ? date_month(c->v[i + 1].low) : 0;
    year = month ? date_number(c->v[i + 2].low, 1970, 2100) : -1;
    if (year < 0)
        return false;
    date_span(d, year, month, day, 3);
    return true;
}

static void date_cut(struct clause *c, size_t at, size_t n)
{
    if (at && at == c->n - n && c->v[at - 1].text[0] == ',') {
        at--;
        n++;
    } else if (!at && n < c->n && c->v[n].text[0] == ',')
        n++;
    memmove(&c->v[at], &c->v[at + n], (c->n - at - n) * sizeof *c->v);
    c->n -= n;
}

/* since D, until D, in D, from D to D: at token i. How many tokens. */
static size_t date_phrase(struct clause *c, size_t i, int64_t now)
{
    struct dated a, b;
    const struct token *t = &c->v[i];

    if (token_is(t, "since") && date_at(c, i + 1, now, &a)) {
        c->at = a.from;
        c->has_since = true;
        return 1 + a.n;
    }
    if (token_is(t, "until till") && date_at(c, i + 1, now, &a)) {
        c->until = a.from;
        return 1 + a.n;
    }
    if (token_is(t, "from between") && date_at(c, i + 1, now, &a)) {
        size_t n = 1 + a.n;

        c->at = a.from;
        if (i + n < c->n && token_is(&c->v[i + n], "to until till and - –") && date_at(c, i + n + 1, now, &b)) {
            c->until = b.to;
            return n + 1 + b.n;
        }
        c->has_since = true;
        return n;
    }
    if (token_is(t, "in on during as") && date_at(c, i + 1, now, &a)) {
        c->at = a.from;
        return 1 + a.n;
    }
    if (token_is(t, "yesterday today tomorrow last next") && date_word(c, i, now, &a)) {
        c->at = a.from;
        return a.n;
    }
    return 0;
}

void clause_dates(struct clause *c, int64_t captured_at)
{
    for (size_t i = 0; i < c->n; i++) {
        size_t n = date_phrase(c, i, captured_at);

        if (!n)
            continue;
        if (i + n == c->n || !i)
            date_cut(c, i, n);
        else if (i + n < c->n && !c->v[i + n].is_word)
            date_cut(c, i, n);
    }
}
