/* What is remembered, how it is kept, how much of it is junk, how fast it is given: see overview_html.h. */
#include "overview_html.h"

#include <math.h>
#include <string.h>

#include "app.h"
#include "chart.h"
#include "figures.h"
#include "model.h"
#include "node.h"
#include "parts_html.h"
#include "speed.h"
#include "timeline.h"

#define WEEK 7
#define SPARK_HEIGHT 16
#define SPARK_PLACE 8 /* of a day in the little picture */
#define CLASSES_SHOWN 6

/* When it was counted, where that was not just now. */
static void put_counted(struct ctx *c, struct json *m, const struct json *figures)
{
    const char *at = json_get_str(figures, "counted_at");
    struct instant t = {0};

    if (at && instant_parse(at, &t))
        put_time(c, m, "counted_at", t);
    else
        json_set(c->arena, m, "counted_at", json_new(c->arena, JSON_NULL));
}

/* ---- kinds, and the week */

static const char *overview_page_day_text(struct ctx *c, struct instant t)
{
    const char *text = json_get_str(model_time(c->arena, t, c->now), "text");

    return arena_strndup(c->arena, text, strcspn(text, ","));
}

static struct json *week_chart(struct ctx *c, struct instant first, const struct timeline_day all[WEEK])
{
    double *captured = ARENA_ARRAY(c->arena, double, WEEK), *derived = ARENA_ARRAY(c->arena, double, WEEK);
    const char **x = ARENA_ARRAY(c->arena, const char *, WEEK);

    for (int i = 0; i < WEEK; i++) {
        x[i] = overview_page_day_text(c, (struct instant){first.us + i * DAY_US});
        captured[i] = (double)all[i].captured;
        derived[i] = (double)all[i].derived;
    }
    return model_chart(c->arena, &(struct chart){
        .id = "week", .label = "Memories captured and derived per day, last 7 days", .x_name = "Day (UTC)", .x = x, .n = WEEK,
        .series = {{"captured", captured}, {"derived", derived}}, .n_series = 2, .is_bars = true, .now = -1});
}

/* A bar for each day, the highest as high as the picture. */
static void put_spark(struct ctx *c, struct json *row, const struct timeline_day *days)
{
    struct json *bars = put_list(c, row, "bars");
    int64_t most = 1;

    for (int i = 0; i < WEEK; i++)
        most = days[i].captured + days[i].derived > most ? days[i].captured + days[i].derived : most;
    for (int i = 0; i < WEEK; i++) {
        int64_t n = days[i].captured + days[i].derived;
        double height = n ? fmax(1, (double)SPARK_HEIGHT * (double)n / (double)most) : 0;
        struct json *bar = n ? add_row(c, bars) : NULL;

        if (!bar)
            continue;
        json_set_int(c->arena, bar, "x", i * SPARK_PLACE);
        json_set_str(c->arena, bar, "y", arena_printf(c->arena, "%.1f", SPARK_HEIGHT - height));
        json_set_str(c->arena, bar, "height", arena_printf(c->arena, "%.1f", height));
    }
}

static const struct timeline_day *days_of(const struct list *kinds, const char *kind)
{
    static const struct timeline_day NONE[WEEK];
    const struct timeline_kind *k = kinds->v;

    for (size_t i = 0; i < kinds->n; i++)
        if (str_eq(k[i].kind, kind))
            return k[i].days;
    return NONE;
}

static void add_kind(struct ctx *c, struct json *row, const struct node_count *k, const struct timeline_day *days)
{
    int64_t new = 0;

    for (int i = 0; i < WEEK; i++)
        new += days[i].captured + days[i].derived;
    json_set_str(c->arena, row, "kind", k->kind);
    json_set_str(c->arena, row, "count", model_count(c->arena, k->n));
    json_set_str(c->arena, row, "week", new ? arena_printf(c->arena, "+%s", model_count(c->arena, new)) : NULL);
    json_set_str(c->arena, row, "href", arena_printf(c->arena, "/admin/nodes?kind=%s", k->kind));
    put_spark(c, row, days);
}

static err overview_page_count_kinds(struct ctx *c, struct json *out)
{
    struct instant first = {c->now.us - c->now.us % DAY_US - (WEEK - 1) * DAY_US};
    struct timeline_day all[WEEK] = {{0}};
    struct json *rows = put_list(c, out, "rows");
    struct list week;
    struct node_stats s;
    const struct node_count *k;
    int64_t new = 0;

    TRY(node_stats(c, &s));
    TRY(timeline_kinds(c, first, WEEK, &week));
    k = s.kinds.v;
    for (size_t i = 0; i < s.kinds.n; i++) {
        const struct timeline_day *days = days_of(&week, k[i].kind);

        add_kind(c, add_row(c, rows), &k[i], days);
        for (int d = 0; d < WEEK; d++) {
            all[d].captured += days[d].captured;
            all[d].derived += days[d].derived;
            new += days[d].captured + days[d].derived;
        }
    }
    json_set_int(c->arena, out, "nodes", s.nodes);
    json_set_int(c->arena, out, "archived", s.archived);
    json_set_int(c->arena, out, "new", new);
    if (new)
        json_set(c->arena, out, "week", week_chart(c, first, all));
    return ERR_OK;
}

err put_kinds(struct ctx *c, struct json *m, const struct json **of_kinds)
{
    struct json *box;

    TRY(figures_of(c, "kinds", overview_page_count_kinds, of_kinds));
    if (json_get(*of_kinds, "week"))
        json_set(c->arena, m, "week", arena_memdup(c->arena, json_get(*of_kinds, "week"), sizeof *m));
    if (!json_get(*of_kinds, "rows")->first)
        return ERR_OK;
    box = json_set(c->arena, m, "kinds", json_obj(c->arena));
    json_set(c->arena, box, "rows", arena_memdup(c->arena, json_get(*of_kinds, "rows"), sizeof *m));
    put_counted(c, box, *of_kinds);
    return ERR_OK;
}

/* ---- what other rooms count, by their operations */

static err overview_page_ask(struct ctx *c, const char *name, struct json *out)
{
    const struct op *op = op_find(c->app->ops, name);
    struct call_result r;

    if (!op)
        return ERR_OK;
    TRY(call_run(c, op, json_obj(c->arena), &r));
    json_set(c->arena, out, "data", arena_memdup(c->arena, r.data, sizeof *r.data));
    return ERR_OK;
}

static err overview_page_count_tiers(struct ctx *c, struct json *out)
{
    return overview_page_ask(c, "memory.stats", out);
}

static err count_junk(struct ctx *c, struct json *out)
{
    return overview_page_ask(c, "memory.audit", out);
}

/* ---- tiers */

err put_tiers(struct ctx *c, struct json *m)
{
    static const struct { const char *member, *name, *what, *href; } TIERS[] = {
        {"working_memory", "Working", "current task state, minutes", "/admin/agents"},
        {"short_term", "Short-term", "session notes, hours to days", "/admin/agents"},
        {"long_term", "Long-term", "entries of contexts, permanent", "/admin/memory"},
        {"shared", "Shared", "pools, shared knowledge, learnings", "/admin/pools"},
    };
    const struct json *figures, *data;
    struct json *box, *rows;

    if (!page_may(c, PERM_MEMORY_MANAGE))
        return ERR_OK;
    TRY(figures_of(c, "tiers", overview_page_count_tiers, &figures));
    data = json_get(figures, "data");
    if (!data)
        return ERR_OK;
    box = json_set(c->arena, m, "tiers", json_obj(c->arena));
    rows = put_list(c, box, "rows");
    for (size_t i = 0; i < sizeof TIERS / sizeof *TIERS; i++) {
        const struct json *tier = json_get(data, TIERS[i].member);
        struct json *row = add_row(c, rows);
        bool known = json_is(tier, JSON_OBJ);

        json_set_str(c->arena, row, "name", TIERS[i].name);
        json_set_str(c->arena, row, "what", known ? TIERS[i].what : "unknown while Redis is unavailable");
        json_set_str(c->arena, row, "href", TIERS[i].href);
        json_set_str(c->arena, row, "count", known ? model_count(c->arena, json_get_int(tier, "count", 0)) : NULL);
        json_set_str(c->arena, row, "bytes", known ? model_bytes(c->arena, json_get_int(tier, "bytes", 0)) : NULL);
    }
    put_counted(c, box, figures);
    return ERR_OK;
}

/* ---- junk and rot */

static double overview_page_number(const struct json *obj, const char *name)
{
    const struct json *j = json_get(obj, name);

    return json_number(j);
}

static const char *in_words(struct ctx *c, const char *class)
{
    char *text = arena_strdup(c->arena, class);

    for (char *p = text; *p; p++)
        if (*p == '_')
            *p = ' ';
    return text;
}

/* Oldest first, as one reads. */
static void put_junk_curve(struct ctx *c, struct json *box, const struct json *curve)
{
    size_t n = curve ? curve->len : 0, at = n;
    double *share = ARENA_ARRAY(c->arena, double, n + 1);
    const char **x = ARENA_ARRAY(c->arena, const char *, n + 1);

    json_set(c->arena, box, "curve", json_new(c->arena, JSON_NULL));
    if (n < 2)
        return;
    for (const struct json *d = curve->first; d; d = d->next) {
        share[--at] = overview_page_number(d, "junk_ratio") * 100;
        x[at] = json_get_str(d, "day");
    }
    json_set(c->arena, box, "curve", model_chart(c->arena, &(struct chart){
        .id = "junk", .label = "Percentage of junk memories per day", .x_name = "Day", .x = x, .n = n,
        .series = {{"junk, %", share}}, .n_series = 1, .digits = 1, .now = -1}));
}

err put_junk(struct ctx *c, struct json *m)
{
    const struct json *figures, *data;
    struct json *box, *rows;
    int shown = 0;

    if (!page_may(c, PERM_MEMORY_MANAGE))
        return ERR_OK;
    TRY(figures_of(c, "junk", count_junk, &figures));
    data = json_get(figures, "data");
    if (!data)
        return ERR_OK;
    box = json_set(c->arena, m, "junk", json_obj(c->arena));
    json_set_str(c->arena, box, "day", json_get_str(data, "day"));
    json_set_str(c->arena, box, "share", arena_printf(c->arena, "%.1f %%", overview_page_number(data, "junk_ratio") * 100));
    json_set_str(c->arena, box, "junk", model_count(c->arena, json_get_int(data, "junk", 0)));
    json_set_str(c->arena, box, "nodes", model_count(c->arena, json_get_int(data, "nodes", 0)));
    rows = put_list(c, box, "rows");
    for (const struct json *k = json_get(data, "classes") ? json_get(data, "classes")->first : NULL; k && shown < CLASSES_SHOWN; k = k->next) {
        const char *class = json_get_str(k, "class");
        struct json *row;

        if (!json_get_int(k, "found", 0))
            continue;
        row = add_row(c, rows);
        json_set_str(c->arena, row, "name", in_words(c, class));
        json_set_str(c->arena, row, "href", arena_printf(c->arena, "/admin/junk/rows?class=%s", class));
        json_set_str(c->arena, row, "found", model_count(c->arena, json_get_int(k, "found", 0)));
        shown++;
    }
    put_junk_curve(c, box, json_get(data, "curve"));
    return ERR_OK;
}

/* ---- speed */

static const char *seconds_text(struct ctx *c, double s)
{
    if (isnan(s))
        return NULL;
    return s < 0.1 ? arena_printf(c->arena, "%.1f ms", s * 1000) : s < 1 ? arena_printf(c->arena, "%.0f ms", s * 1000)
                                                                        : arena_printf(c->arena, "%.1f s", s);
}

static void put_hour(struct ctx *c, struct json *box, const struct speed *s)
{
    static const char *const NAMES[PACE_KINDS] = {"Recalls", "Writes"};
    struct json *rows = put_list(c, box, "rows");

    for (int k = 0; k < PACE_KINDS; k++) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "call", NAMES[k]);
        json_set_str(c->arena, row, "count", model_count(c->arena, s->hour[k].n));
        json_set_str(c->arena, row, "per_minute", arena_printf(c->arena, "%.3g", (double)s->hour[k].n / s->hour_minutes));
        json_set_str(c->arena, row, "half", seconds_text(c, s->hour[k].half));
        json_set_str(c->arena, row, "most", seconds_text(c, s->hour[k].most));
    }
}

err put_speed(struct ctx *c, struct json *m)
{
    double *v[2][PACE_KINDS], any = 0;
    const char **x = ARENA_ARRAY(c->arena, const char *, SPEED_STEPS);
    struct speed s;
    struct json *box;

    if (!page_may(c, PERM_ACCOUNT_READ))
        return ERR_OK;
    if (speed_read(c, &s) != ERR_OK) {
        ctx_forgive(c); /* Redis is away, which its light says */
        return ERR_OK;
    }
    for (int k = 0; k < PACE_KINDS; k++) {
        v[0][k] = ARENA_ARRAY(c->arena, double, SPEED_STEPS);
        v[1][k] = ARENA_ARRAY(c->arena, double, SPEED_STEPS);
        for (int i = 0; i < SPEED_STEPS; i++) {
            v[0][k][i] = (double)s.step[i][k].n;
            v[1][k][i] = s.step[i][k].most * 1000;
            any += v[0][k][i];
        }
    }
    if (any <= 0)
        return ERR_OK;
    for (int i = 0; i < SPEED_STEPS; i++) {
        struct civil t = instant_civil((struct instant){s.first.us + i * SPEED_STEP_US});

        x[i] = arena_printf(c->arena, "%02d:%02d", t.hour, t.minute);
    }
    box = json_set(c->arena, m, "speed", json_obj(c->arena));
    put_hour(c, box, &s);
    json_set(c->arena, box, "calls", model_chart(c->arena, &(struct chart){
        .id = "calls", .label = "Recalls and writes per half hour, last 24 hours", .x_name = "From (UTC)", .x = x, .n = SPEED_STEPS,
        .series = {{"recalls", v[0][PACE_RECALL]}, {"writes", v[0][PACE_WRITE]}}, .n_series = 2, .is_bars = true, .now = -1}));
    json_set(c->arena, box, "times", model_chart(c->arena, &(struct chart){
        .id = "times", .label = "Latency p95 in milliseconds per half hour, last 24 hours", .x_name = "From (UTC)",
        .x = x, .n = SPEED_STEPS, .series = {{"recalls", v[1][PACE_RECALL]}, {"writes", v[1][PACE_WRITE]}}, .n_series = 2, .digits = 1,
        .now = -1}));
    return ERR_OK;
}
