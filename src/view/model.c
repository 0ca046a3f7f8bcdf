/* Times, amounts and links in the words of the pages; see model.h. */
#include "model.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static const char *model_ago(struct arena *a, int64_t us)
{
    static const struct {
        int64_t below, unit;
        const char *word;
    } STEPS[] = {
        {3600 * SECOND_US, 60 * SECOND_US, "min"}, {2 * DAY_US, 3600 * SECOND_US, "h"},
        {60 * DAY_US, DAY_US, "days"}, {730 * DAY_US, 30 * DAY_US, "months"}, {INT64_MAX, 365 * DAY_US, "years"},
    };
    int64_t far = us < 0 ? -us : us;
    size_t i = 0;

    if (far < 60 * SECOND_US)
        return us < 0 ? "in a moment" : "just now";
    while (far >= STEPS[i].below)
        i++;
    return us < 0 ? arena_printf(a, "in %" PRId64 " %s", far / STEPS[i].unit, STEPS[i].word)
                  : arena_printf(a, "%" PRId64 " %s ago", far / STEPS[i].unit, STEPS[i].word);
}

struct json *model_time(struct arena *a, struct instant t, struct instant now)
{
    static const char *const MONTHS[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct civil c = instant_civil(t);
    char iso[INSTANT_TEXT];
    struct json *j;

    if (!t.us)
        return json_new(a, JSON_NULL);
    j = json_obj(a);
    json_set_str(a, j, "iso", arena_strdup(a, instant_text(t, iso)));
    json_set_str(a, j, "text", arena_printf(a, "%d %s %d, %02d:%02d UTC", c.day, MONTHS[c.month - 1], c.year, c.hour, c.minute));
    json_set_str(a, j, "ago", model_ago(a, now.us - t.us));
    return j;
}

struct json *model_badge(struct arena *a, const char *kind, const char *text)
{
    struct json *j = json_obj(a);

    json_set_str(a, j, "kind", kind);
    json_set_str(a, j, "text", text);
    return j;
}

const char *model_count(struct arena *a, int64_t n)
{
    const char *plain = arena_printf(a, "%" PRId64, n);
    size_t len = strlen(plain), digits = len - (n < 0);
    struct buf b;

    buf_init(&b, a, 32);
    for (size_t i = 0; i < len; i++) {
        size_t left = len - i;

        if (left % 3 == 0 && left < digits)
            buf_putc(&b, ',');
        buf_putc(&b, plain[i]);
    }
    return buf_str(&b);
}

const char *model_counted(struct arena *a, int64_t n, const char *one, const char *many)
{
    return arena_printf(a, "%s %s", model_count(a, n), n == 1 ? one : many);
}

const char *model_bytes(struct arena *a, int64_t n)
{
    static const char *const UNITS[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = (double)n / 1024;
    size_t unit = 0;

    if (n < 1024)
        return arena_printf(a, "%" PRId64 " B", n);
    for (; v >= 1023.95 && unit < sizeof UNITS / sizeof *UNITS - 1; unit++)
        v /= 1024;
    return arena_printf(a, "%.1f %s", v, UNITS[unit]);
}

const char *model_duration(struct arena *a, int64_t us)
{
    int64_t s = us / SECOND_US;

    if (us < SECOND_US)
        return arena_printf(a, "%" PRId64 " ms", us / 1000);
    if (s < 60)
        return arena_printf(a, "%.1f s", (double)(us / 100000) / 10);
    if (s < 3600)
        return arena_printf(a, "%" PRId64 " min %" PRId64 " s", s / 60, s % 60);
    if (s < 2 * 86400)
        return arena_printf(a, "%" PRId64 " h %" PRId64 " min", s / 3600, s % 3600 / 60);
    return arena_printf(a, "%" PRId64 " days %" PRId64 " h", s / 86400, s % 86400 / 3600);
}

void model_can(struct arena *a, struct json *can, const char *permission)
{
    const char *dot = strchr(permission, '.');
    const char *area;
    struct json *inner;

    if (!dot)
        return;
    area = arena_strndup(a, permission, (size_t)(dot - permission));
    inner = json_get(can, area);
    if (!inner)
        inner = json_set(a, can, area, json_obj(a));
    if (!json_get(inner, dot + 1))
        json_set_bool(a, inner, arena_strdup(a, dot + 1), true);
}

static void model_add_encoded(struct buf *b, const char *s)
{
    for (; *s; s++)
        if (isalnum((unsigned char)*s) || strchr("-._~", *s))
            buf_putc(b, *s);
        else
            buf_printf(b, "%%%02X", (unsigned char)*s);
}

const char *model_encoded(struct arena *a, const char *s)
{
    struct buf b;

    buf_init(&b, a, 64);
    model_add_encoded(&b, s);
    return buf_str(&b);
}

const char *model_href(struct arena *a, const char *path, const struct json *query)
{
    char mark = strchr(path, '?') ? '&' : '?';
    struct buf b;

    buf_init(&b, a, 128);
    buf_puts(&b, path);
    for (const struct json *m = query ? query->first : NULL; m; m = m->next) {
        const char *text = json_is(m, JSON_STR) ? m->s : json_is(m, JSON_INT) ? arena_printf(a, "%" PRId64, m->i) : "";

        if (str_empty(text))
            continue;
        buf_putc(&b, mark);
        mark = '&';
        model_add_encoded(&b, m->key);
        buf_putc(&b, '=');
        model_add_encoded(&b, text);
    }
    return buf_str(&b);
}

struct json *model_pager(struct arena *a, const char *path, const struct json *query, const char *next_cursor)
{
    struct json *pager = json_obj(a), *rest = json_obj(a);
    bool is_first = true;

    for (const struct json *m = query ? query->first : NULL; m; m = m->next)
        if (str_eq(m->key, "cursor"))
            is_first = str_empty(m->s);
        else if (json_is(m, JSON_STR))
            json_set_str(a, rest, m->key, m->s);
        else if (json_is(m, JSON_INT))
            json_set_int(a, rest, m->key, m->i);
    json_set_str(a, pager, "first", is_first ? NULL : model_href(a, path, rest));
    if (next_cursor)
        json_set_str(a, rest, "cursor", next_cursor);
    json_set_str(a, pager, "next", next_cursor ? model_href(a, path, rest) : NULL);
    return pager;
}

struct json *model_options(struct arena *a, const char *const *values, size_t n, const char *chosen)
{
    struct json *list = json_arr(a);

    for (size_t i = 0; i < n; i++) {
        struct json *o = json_obj(a);

        json_set_str(a, o, "value", values[i]);
        json_set_str(a, o, "text", values[i]);
        json_set_bool(a, o, "selected", str_eq(values[i], chosen));
        json_push(list, o);
    }
    return list;
}
