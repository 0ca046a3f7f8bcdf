/* Reading compiled time zones (RFC 9636) and counting with them; see zone.h. */
#include "zone.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "str.h"

#define FOLDER "/usr/share/zoneinfo/"
#define FILE_MAX 65536 /* the largest has 4 kB */
#define HEADER 44
#define HOUR 3600
#define OFFSET_MAX (26 * HOUR)
#define CHANGE_MAX (168 * HOUR) /* hours of a rule may be those of another day */

/* ---- offsets -------------------------------------------------------------------------------------------- */

static bool read_offset(const char *name, int *out)
{
    const char *d = name + 1;
    size_t n = strlen(name);
    int hours, minutes;

    if ((name[0] != '+' && name[0] != '-') || strspn(d, "0123456789:") != n - 1 || !(n == 5 || (n == 6 && d[2] == ':')))
        return false;
    hours = (d[0] - '0') * 10 + (d[1] - '0');
    minutes = (name[n - 2] - '0') * 10 + (name[n - 1] - '0');
    if (memchr(d, ':', 2) || memchr(name + n - 2, ':', 2) || hours > 14 || minutes > 59)
        return false;
    *out = (name[0] == '-' ? -1 : 1) * (hours * HOUR + minutes * 60);
    return true;
}

/* ---- the rule for later years: "CET-1CEST,M3.5.0,M10.5.0/3" --------------------------------------------- */

static bool read_int(const char **p, int most, int *out)
{
    int v = 0;
    const char *from = *p;

    for (; **p >= '0' && **p <= '9' && v <= most; (*p)++)
        v = v * 10 + (**p - '0');
    *out = v;
    return *p > from && v <= most;
}

static bool zone_take(const char **p, char c)
{
    bool is = **p == c;

    *p += is;
    return is;
}

/* "[+-]h[:mm[:ss]]" */
static bool zone_read_time(const char **p, int *out)
{
    int sign = zone_take(p, '-') ? -1 : 1, h, m = 0, s = 0;

    if (sign > 0)
        zone_take(p, '+');
    if (!read_int(p, 167, &h) || (zone_take(p, ':') && !read_int(p, 59, &m)) || (zone_take(p, ':') && !read_int(p, 59, &s)))
        return false;
    *out = sign * (h * HOUR + m * 60 + s);
    return true;
}

static bool skip_name(const char **p)
{
    const char *from = *p;

    if (zone_take(p, '<')) {
        *p += strcspn(*p, ">");
        return zone_take(p, '>');
    }
    while ((**p >= 'A' && **p <= 'Z') || (**p >= 'a' && **p <= 'z'))
        (*p)++;
    return *p > from;
}

static bool read_change(const char **p, struct zone_change *c)
{
    c->seconds = 2 * HOUR;
    return zone_take(p, ',') && zone_take(p, 'M') && read_int(p, 12, &c->month) && c->month > 0 && zone_take(p, '.') && read_int(p, 5, &c->week) &&
           c->week > 0 && zone_take(p, '.') && read_int(p, 6, &c->weekday) && (!zone_take(p, '/') || zone_read_time(p, &c->seconds)) &&
           c->seconds > -CHANGE_MAX && c->seconds < CHANGE_MAX;
}

/* Offsets are written west of Greenwich. What is not understood changes nothing: the last change holds. */
static void read_rule(const char *p, struct zone *z)
{
    int west, summer_west;

    if (!skip_name(&p) || !zone_read_time(&p, &west) || *p == '\0' || !skip_name(&p))
        return;
    summer_west = west - HOUR;
    if (*p != ',' && !zone_read_time(&p, &summer_west))
        return;
    z->repeats = read_change(&p, &z->to_summer) && read_change(&p, &z->to_standard) && *p == '\0';
    z->standard = -west;
    z->summer = -summer_west;
}

/* ---- the file ------------------------------------------------------------------------------------------- */

static uint64_t big(const uint8_t *p, size_t n)
{
    uint64_t v = 0;

    for (size_t i = 0; i < n; i++)
        v = v << 8 | p[i];
    return v;
}

/* Numbers of a header, and where its parts begin. */
struct block {
    size_t n_changes, n_types, changes, kinds, types, end;
};

static bool read_block(const uint8_t *data, size_t size, size_t from, size_t width, struct block *b)
{
    const uint8_t *count = data + from + 20;
    size_t utc, standard, leaps, letters;

    if (size - from < HEADER || memcmp(data + from, "TZif", 4) != 0)
        return false;
    for (size_t i = 0; i < 6; i++)
        if (big(count + 4 * i, 4) > FILE_MAX)
            return false;
    utc = big(count, 4), standard = big(count + 4, 4), leaps = big(count + 8, 4), letters = big(count + 20, 4);
    *b = (struct block){.n_changes = big(count + 12, 4), .n_types = big(count + 16, 4), .changes = from + HEADER};
    b->kinds = b->changes + b->n_changes * width;
    b->types = b->kinds + b->n_changes;
    b->end = b->types + b->n_types * 6 + letters + leaps * (width + 4) + standard + utc;
    return b->n_types > 0 && leaps == 0 && b->end <= size;
}

static bool read_changes(struct arena *a, const uint8_t *data, const struct block *b, struct zone *z)
{
    int64_t *at = ARENA_ARRAY(a, int64_t, b->n_changes + 1);
    int32_t *then = ARENA_ARRAY(a, int32_t, b->n_changes + 1);

    z->offset = (int32_t)big(data + b->types, 4);
    for (size_t i = 0; i < b->n_changes; i++) {
        size_t type = data[b->kinds + i];

        at[i] = (int64_t)big(data + b->changes + 8 * i, 8);
        if (type >= b->n_types || (i && at[i] <= at[i - 1]))
            return false;
        then[i] = (int32_t)big(data + b->types + 6 * type, 4);
        if (then[i] < -OFFSET_MAX || then[i] > OFFSET_MAX)
            return false;
    }
    z->at = at;
    z->then = then;
    z->n = b->n_changes;
    return z->offset > -OFFSET_MAX && z->offset < OFFSET_MAX;
}

/* A first block is of 32 bits and for old programs; the rule stands behind the second, between line breaks. */
static bool read_zone(struct arena *a, const uint8_t *data, size_t size, struct zone *z)
{
    struct block old, b;
    const uint8_t *end;

    if (!read_block(data, size, 0, 4, &old) || data[4] < '2' || !read_block(data, size, old.end, 8, &b) ||
        !read_changes(a, data, &b, z))
        return false;
    if (b.end + 2 > size || data[b.end] != '\n' || !(end = memchr(data + b.end + 1, '\n', size - b.end - 1)))
        return false;
    read_rule(arena_strndup(a, (const char *)data + b.end + 1, (size_t)(end - data) - b.end - 1), z);
    return true;
}

/* "America/Argentina/Ushuaia": nothing that leads out of the folder, and no zones that count leap seconds. */
static bool zone_is_name(const char *s)
{
    size_t n = strlen(s);

    return n > 0 && n < ZONE_NAME && s[0] >= 'A' && s[0] <= 'Z' && strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/") == n;
}

bool zone_find(struct arena *a, const char *name, struct zone *out)
{
    uint8_t *data;
    size_t n;
    FILE *f;

    *out = (struct zone){0};
    if (str_empty(name) || strcmp(name, "Z") == 0 || strcmp(name, "UTC") == 0 || read_offset(name, &out->offset))
        return true;
    if (!zone_is_name(name) || !(f = fopen(arena_printf(a, FOLDER "%s", name), "re")))
        return false;
    data = arena_alloc(a, FILE_MAX);
    n = fread(data, 1, FILE_MAX, f);
    fclose(f);
    return read_zone(a, data, n, out);
}

/* ---- counting ------------------------------------------------------------------------------------------- */

/* Seconds since 1970 of the change in a year, of clocks that are offset east. */
static int64_t change_in(const struct zone_change *c, int year, int offset)
{
    int64_t first = civil_instant((struct civil){.year = year, .month = c->month, .day = 1}).us;
    int day = 1 + (c->weekday - instant_civil((struct instant){first}).weekday + 7) % 7 + 7 * (c->week - 1);

    if (day > days_in_month(year, c->month))
        day -= 7;
    return first / SECOND_US + (day - 1) * (DAY_US / SECOND_US) + c->seconds - offset;
}

static int by_rule(const struct zone *z, int64_t us)
{
    int year = instant_civil((struct instant){us + z->standard * SECOND_US}).year;
    int64_t summer = change_in(&z->to_summer, year, z->standard), standard = change_in(&z->to_standard, year, z->summer);
    int64_t s = us / SECOND_US;
    bool is_summer = summer < standard ? s >= summer && s < standard : s >= summer || s < standard;

    return is_summer ? z->summer : z->standard;
}

int zone_offset(const struct zone *z, int64_t us)
{
    size_t low = 0, high = z->n;

    if (z->repeats && (z->n == 0 || us / SECOND_US >= z->at[z->n - 1]))
        return by_rule(z, us);
    while (low < high) {
        size_t mid = (low + high) / 2;

        if (z->at[mid] <= us / SECOND_US)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? z->then[low - 1] : z->offset;
}

int64_t zone_instant(const struct zone *z, int64_t local)
{
    int64_t about = local - zone_offset(z, local) * SECOND_US;

    return local - zone_offset(z, about) * SECOND_US;
}
