/* The gallery of what pages are made of: each partial as it looks, in all its states, for whoever builds the next page. */
#include "graph_html.h"

#include <math.h>

#include "chart.h"
#include "diff.h"
#include "model.h"
#include "parts_html.h"

#define DAYS 7
#define CURVE 13

static void add_badges(struct ctx *c, struct json *m)
{
    static const char *const KINDS[][2] = {{"ok", "active"}, {"info", "running"}, {"warn", "paused"}, {"bad", "failed"},
                                           {"off", "archived"}};
    struct json *list = put_list(c, m, "badges");

    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        json_push(list, model_badge(c->arena, KINDS[i][0], KINDS[i][1]));
}

static void add_flashes(struct ctx *c, struct json *m)
{
    static const char *const FLASHES[][2] = {{"ok", "Saved."}, {"info", "It is being made; it will be here in a moment."},
                                             {"warn", "This was not checked yet."}, {"bad", "It could not be saved: MariaDB is unavailable."}};
    struct json *list = put_list(c, m, "samples");

    for (size_t i = 0; i < sizeof FLASHES / sizeof *FLASHES; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "kind", FLASHES[i][0]);
        json_set_str(c->arena, row, "text", FLASHES[i][1]);
    }
}

static void design_page_add_rows(struct ctx *c, struct json *m)
{
    static const struct { const char *name, *kind, *state, *word; int64_t n; } ROWS[] = {
        {"Ferry times", "note", "ok", "active", 1204}, {"Harbour master", "entity", "info", "pinned", 12}, {"The old timetable", "note", "off", "archived", 0}};
    struct json *list = put_list(c, m, "rows");

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", ROWS[i].name);
        json_set_str(c->arena, row, "kind", ROWS[i].kind);
        put_badge(c, row, ROWS[i].state, ROWS[i].word);
        json_set_str(c->arena, row, "uses", model_count(c->arena, ROWS[i].n));
        put_time(c, row, "at", (struct instant){c->now.us - (int64_t)(i + 1) * 5 * 3600 * SECOND_US});
    }
}

static void add_charts(struct ctx *c, struct json *m)
{
    static const char *const X[DAYS] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    static const double CAPTURED[DAYS] = {12, 18, 7, 22, 30, 4, 9}, DERIVED[DAYS] = {3, 6, 2, 9, 11, 1, 2};
    double *was = ARENA_ARRAY(c->arena, double, CURVE), *will = ARENA_ARRAY(c->arena, double, CURVE);
    const char **x = ARENA_ARRAY(c->arena, const char *, CURVE);

    for (int i = 0; i < CURVE; i++) {
        was[i] = i <= CURVE / 2 ? 0.9 * exp(-0.12 * i) : NAN;
        will[i] = i >= CURVE / 2 ? 0.9 * exp(-0.12 * i) : NAN;
        x[i] = arena_printf(c->arena, "day %d", i + 1);
    }
    json_set(c->arena, m, "bars", model_chart(c->arena, &(struct chart){
        .id = "bars", .label = "Nodes on each day of a week", .x_name = "Day", .x = X, .n = DAYS,
        .series = {{"captured", CAPTURED}, {"derived", DERIVED}}, .n_series = 2, .is_bars = true, .now = -1}));
    json_set(c->arena, m, "curve", model_chart(c->arena, &(struct chart){
        .id = "curve", .label = "A score that fades", .x_name = "Day", .x = x, .n = CURVE, .series = {{"until now", was}, {"from now", will}},
        .n_series = 2, .top = 1, .digits = 2, .now = CURVE / 2}));
}

/* What the pages about one thing are made of. */
static void design_page_add_parts(struct ctx *c, struct page_call *p)
{
    static const char *const TABS[] = {"Keys", "Snapshots"};
    struct json *tabs = put_list(c, p->model, "tabs"), *who = json_set(c->arena, p->model, "who", json_obj(c->arena));

    for (size_t i = 0; i < sizeof TABS / sizeof *TABS; i++)
        add_tab(c, tabs, TABS[i], "/admin/design", i == 0);
    json_set_str(c->arena, who, "name", "Harbour log");
    json_set_str(c->arena, who, "href", "/admin/agents");
    put_quota(c, p->model, "quota", "Keys", 640, 1000, model_count);
}

static err design_page(struct ctx *c, struct page_call *p)
{
    static const char *const CHOICES[] = {"note", "entity", "episode"};
    struct json *m = p->model, *undo = json_set(c->arena, m, "undo", json_obj(c->arena)), *pager = json_set(c->arena, m, "pager", json_obj(c->arena));

    add_badges(c, m);
    add_flashes(c, m);
    design_page_add_rows(c, m);
    add_charts(c, m);
    design_page_add_parts(c, p);
    json_set(c->arena, m, "diff", model_diff(c->arena, "The ferry leaves at seven.\nIt returns at noon.\nDogs are free.",
                                             "The ferry leaves at half past seven.\nIt returns at noon.\nDogs are free.\nCats are not."));
    json_set(c->arena, m, "choices", model_options(c->arena, CHOICES, sizeof CHOICES / sizeof *CHOICES, "entity"));
    json_set_str(c->arena, undo, "text", "Archived: recall and lists leave it out.");
    json_set_str(c->arena, undo, "action", "/admin/design");
    json_set_str(c->arena, pager, "first", "/admin/design");
    json_set_str(c->arena, pager, "next", "/admin/design#next");
    return page_show(p, "design");
}

/* Its sample forms post to it: nothing is done. */
static err design_page_nothing(struct ctx *c, struct page_call *p)
{
    page_say(c, p, "info", "This is a sample: nothing was done.");
    return page_go(c, p, "/admin/design");
}

const struct page_row design_pages[] = {
    {.method = "GET", .path = "/admin/design", .name = "page.design", .op = "space.list", .run = design_page},
    {.method = "POST", .path = "/admin/design", .name = "page.design.post", .run = design_page_nothing},
    {0},
};
