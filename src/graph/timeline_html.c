/* The timeline: what came in and what was made of it day by day, what took the place of what, and how it stood on a day. */
#include "graph_html.h"

#include <string.h>

#include "chart.h"
#include "edge.h"
#include "limit.h"
#include "model.h"
#include "node.h"
#include "node_kind.h"
#include "parts_html.h"
#include "people_html.h"
#include "timeline.h"

#define DAYS 14
#define CHANGES 50 /* edges that supersede which are looked at */

struct window {
    struct instant first, end; /* midnights, UTC: of the first day, and after the last */
    struct instant day;        /* the only one whose nodes are listed; 0: all of them */
    struct instant as_of;      /* 0: as it is now */
    const char *kind;          /* NULL: nodes of any */
    int n;
};

/* ---- which days */

static bool read_day(const struct page_call *p, const char *name, struct instant *out)
{
    const char *text = page_query(p, name);
    char full[INSTANT_TEXT];

    if (!text || strlen(text) != 10)
        return false;
    memcpy(full, text, 10);
    memcpy(full + 10, "T00:00:00Z", 11);
    return instant_parse(full, out);
}

static struct window read_window(struct ctx *c, const struct page_call *p)
{
    struct instant today = {c->now.us - c->now.us % DAY_US}, last = today, as_of = {0};
    struct window w = {.n = DAYS};
    const char *days = page_query(p, "days");
    int64_t n;

    if (days && str_to_i64(days, &n) && n >= 1 && n <= TIMELINE_DAYS)
        w.n = (int)n;
    if (read_day(p, "as_of", &as_of) && as_of.us < today.us) {
        last = as_of;
        w.as_of.us = as_of.us + DAY_US; /* its evening */
    }
    if (page_query(p, "kind") && node_kind_find(page_query(p, "kind")))
        w.kind = page_query(p, "kind");
    w.end.us = last.us + DAY_US;
    w.first.us = w.end.us - w.n * DAY_US;
    if (!read_day(p, "day", &w.day) || w.day.us < w.first.us || w.day.us >= w.end.us)
        w.day.us = 0;
    return w;
}

static const char *day_iso(struct ctx *c, struct instant t)
{
    char text[INSTANT_TEXT];

    return arena_strndup(c->arena, instant_text(t, text), 10);
}

static const char *timeline_page_day_text(struct ctx *c, struct instant t)
{
    const char *text = json_get_str(model_time(c->arena, t, c->now), "text");

    return arena_strndup(c->arena, text, strcspn(text, ","));
}

/* This page with that day alone; 0: with all of them. */
static const char *day_href(struct ctx *c, const struct page_call *p, struct instant day)
{
    struct json *query = json_obj(c->arena);

    json_set_str(c->arena, query, "as_of", page_query(p, "as_of"));
    json_set_str(c->arena, query, "days", page_query(p, "days"));
    json_set_str(c->arena, query, "kind", page_query(p, "kind"));
    json_set_str(c->arena, query, "day", day.us ? day_iso(c, day) : NULL);
    return model_href(c->arena, "/admin/timeline", query);
}

/* ---- the days */

struct days {
    struct timeline_day counts[TIMELINE_DAYS];
    const char *names[TIMELINE_DAYS];
};

/* All of them, the newest first: a link each where there was something. */
static void timeline_page_add_strip(struct ctx *c, struct page_call *p, const struct window *w, const struct days *d)
{
    struct json *list = put_list(c, p->model, "days");

    for (int i = w->n - 1; i >= 0; i--) {
        struct instant day = {w->first.us + i * DAY_US};
        int64_t n = d->counts[i].captured + d->counts[i].derived;
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "day", d->names[i]);
        json_set_str(c->arena, row, "short", arena_strndup(c->arena, d->names[i], strlen(d->names[i]) - strlen(" 2026")));
        json_set_str(c->arena, row, "href", n || day.us == w->day.us ? day_href(c, p, day) : NULL);
        json_set_str(c->arena, row, "n", n ? model_count(c->arena, n) : NULL);
        json_set_bool(c->arena, row, "is_shown", day.us == w->day.us);
    }
}

/* The choices are what there was in these days, and what is chosen. */
static void timeline_page_count_kinds(struct ctx *c, struct page_call *p, const struct window *w, const struct list *kinds, struct days *d)
{
    struct json *choices = put_list(c, p->model, "kinds");
    const struct timeline_kind *k = kinds->v;
    bool is_there = !w->kind;

    add_choice(c, choices, "", "All kinds", !w->kind);
    for (size_t i = 0; i < kinds->n; i++) {
        bool chosen = str_eq(k[i].kind, w->kind);

        is_there = is_there || chosen;
        add_choice(c, choices, k[i].kind, k[i].kind, chosen);
        for (int day = 0; day < w->n && (chosen || !w->kind); day++) {
            d->counts[day].captured += k[i].days[day].captured;
            d->counts[day].derived += k[i].days[day].derived;
        }
    }
    if (!is_there)
        add_choice(c, choices, w->kind, w->kind, true);
}

static err timeline_page_add_days(struct ctx *c, struct page_call *p, const struct window *w, struct days *d)
{
    double *captured = ARENA_ARRAY(c->arena, double, TIMELINE_DAYS), *derived = ARENA_ARRAY(c->arena, double, TIMELINE_DAYS);

    struct list kinds;

    TRY(timeline_kinds(c, w->first, w->n, &kinds));
    timeline_page_count_kinds(c, p, w, &kinds, d);
    for (int i = 0; i < w->n; i++) {
        captured[i] = (double)d->counts[i].captured;
        derived[i] = (double)d->counts[i].derived;
        d->names[i] = timeline_page_day_text(c, (struct instant){w->first.us + i * DAY_US});
    }
    timeline_page_add_strip(c, p, w, d);
    json_set(c->arena, p->model, "chart", model_chart(c->arena, &(struct chart){
        .id = "days", .label = "Nodes captured and derived on each day", .x_name = "Day", .x = d->names, .n = (size_t)w->n,
        .series = {{"captured", captured}, {"derived", derived}}, .n_series = 2, .is_bars = true, .now = -1}));
    return ERR_OK;
}

/* ---- what came in */

static void timeline_page_add_node(struct ctx *c, struct json *row, const struct node *n, bool derived, const struct window *w,
                                   const struct names *names)
{
    const char *author = names_find(names, n->author_id);
    bool was_there = w->as_of.us && n->archived_at.us >= w->as_of.us;

    put_id(c, row, "id", n->id);
    json_set_str(c->arena, row, "name", str_empty(n->title) ? arena_printf(c->arena, "%s without a title", n->kind) : n->title);
    json_set_str(c->arena, row, "text", n->excerpt);
    json_set_str(c->arena, row, "kind", n->kind);
    json_set_str(c->arena, row, "author", author ? author : uuid_is_nil(n->author_id) ? "Loci" : n->author_kind);
    put_time(c, row, "at", n->created_at);
    json_set_bool(c->arena, row, "is_derived", derived);
    json_set_bool(c->arena, row, "is_archived", n->archived_at.us && !was_there);
    json_set_bool(c->arena, row, "is_replaced", !uuid_is_nil(n->superseded_by) && !w->as_of.us);
    json_set_bool(c->arena, row, "was_there", was_there);
}

/* A day's heading, and its nodes to be filled in. */
static struct json *timeline_page_add_group(struct ctx *c, struct json *groups, const struct days *d, int64_t at)
{
    struct json *group = add_row(c, groups);

    json_set_str(c->arena, group, "day", d->names[at]);
    json_set_str(c->arena, group, "captured", model_count(c->arena, d->counts[at].captured));
    json_set_str(c->arena, group, "derived", d->counts[at].derived ? model_count(c->arena, d->counts[at].derived) : NULL);
    return put_list(c, group, "nodes");
}

static err timeline_page_add_nodes(struct ctx *c, struct page_call *p, const struct window *w, const struct days *d)
{
    struct instant from = w->day.us ? w->day : w->first, to = {w->day.us ? w->day.us + DAY_US : w->end.us};
    struct json *groups = put_list(c, p->model, "groups"), *list = NULL;
    int64_t day, shown = -1;
    const struct node *n;
    struct names *names;
    struct page page;
    struct uuid *ids;
    bool *derived;

    TRY(node_list(c, &(struct node_filter){.kind = w->kind, .include_archived = true, .made_from = from, .made_to = to, .limit = LIMIT_PAGE_DEFAULT,
                                           .cursor = page_query(p, "cursor")}, &page));
    TRY(names_load(c, &names));
    n = page.items;
    ids = ARENA_ARRAY(c->arena, struct uuid, page.n + 1);
    derived = ARENA_ARRAY(c->arena, bool, page.n + 1);
    for (size_t i = 0; i < page.n; i++)
        ids[i] = n[i].id;
    TRY(timeline_derived(c, ids, page.n, derived));
    for (size_t i = 0; i < page.n; i++, shown = day) {
        day = (n[i].created_at.us - w->first.us) / DAY_US;
        day = day < 0 ? 0 : day >= w->n ? w->n - 1 : day;
        if (!list || day != shown)
            list = timeline_page_add_group(c, groups, d, day);
        timeline_page_add_node(c, add_row(c, list), &n[i], derived[i], w, names);
    }
    put_listing(c, p, "/admin/timeline", &page);
    json_set_str(c->arena, p->model, "day", w->day.us ? timeline_page_day_text(c, w->day) : NULL);
    json_set_str(c->arena, p->model, "all_href", w->day.us ? day_href(c, p, (struct instant){0}) : NULL);
    return ERR_OK;
}

/* ---- what took the place of what */

struct links {
    const struct edge *edges;
    const struct node_brief *from, *to; /* the ends of each */
    size_t n;
};

static size_t after(const struct links *l, struct uuid id)
{
    size_t i = 0;

    while (i < l->n && !uuid_eq(l->edges[i].source_id, id))
        i++;
    return i;
}

static bool is_later(const struct links *l, struct uuid id)
{
    for (size_t i = 0; i < l->n; i++)
        if (uuid_eq(l->edges[i].target_id, id))
            return true;
    return false;
}

static void timeline_page_add_link(struct ctx *c, struct json *chain, const struct node_brief *b, struct instant at)
{
    struct json *row = add_row(c, chain);

    put_id(c, row, "id", b->id);
    json_set_str(c->arena, row, "name", str_empty(b->title) ? arena_printf(c->arena, "%s without a title", b->kind) : b->title);
    put_time(c, row, "at", at);
}

/* From what nothing stood before to what stands now. */
static void add_chain(struct ctx *c, struct json *list, const struct links *l, size_t i)
{
    struct json *chain = put_list(c, add_row(c, list), "links");

    timeline_page_add_link(c, chain, &l->from[i], (struct instant){0});
    for (size_t steps = 0; i < l->n && steps <= l->n; steps++) {
        struct instant at = l->edges[i].valid_from.us ? l->edges[i].valid_from : l->edges[i].recorded_at;

        timeline_page_add_link(c, chain, &l->to[i], at);
        i = after(l, l->edges[i].target_id);
    }
}

static err add_chains(struct ctx *c, struct page_call *p, const struct window *w)
{
    struct json *list = put_list(c, p->model, "chains");
    struct node_brief *from, *to;
    struct uuid *sources, *targets;
    struct page page;
    struct links l;

    if (!page_may(c, PERM_GRAPH_READ))
        return ERR_OK;
    TRY(edge_list(c, &(struct edge_filter){.relation = "SUPERSEDED_BY", .as_known_at = w->as_of, .limit = CHANGES}, &page));
    from = ARENA_ARRAY(c->arena, struct node_brief, page.n + 1);
    to = ARENA_ARRAY(c->arena, struct node_brief, page.n + 1);
    sources = ARENA_ARRAY(c->arena, struct uuid, page.n + 1);
    targets = ARENA_ARRAY(c->arena, struct uuid, page.n + 1);
    l = (struct links){page.items, from, to, page.n};
    for (size_t i = 0; i < l.n; i++) {
        sources[i] = l.edges[i].source_id;
        targets[i] = l.edges[i].target_id;
    }
    TRY(node_briefs(c, sources, l.n, from));
    TRY(node_briefs(c, targets, l.n, to));
    for (size_t i = 0; i < l.n; i++)
        if (!is_later(&l, l.edges[i].source_id))
            add_chain(c, list, &l, i);
    json_set_bool(c->arena, p->model, "has_more_chains", page.has_more);
    return ERR_OK;
}

static err timeline_page(struct ctx *c, struct page_call *p)
{
    static const int SPANS[] = {7, DAYS, 30, TIMELINE_DAYS};
    struct window w = read_window(c, p);
    struct json *spans = put_list(c, p->model, "spans");
    struct days d = {0};

    for (size_t i = 0; i < sizeof SPANS / sizeof *SPANS; i++) {
        const char *text = arena_printf(c->arena, "%d", SPANS[i]);

        add_choice(c, spans, text, text, SPANS[i] == w.n);
    }
    json_set_str(c->arena, p->model, "as_of", w.as_of.us ? page_query(p, "as_of") : NULL);
    json_set_str(c->arena, p->model, "as_of_text", w.as_of.us ? timeline_page_day_text(c, (struct instant){w.as_of.us - DAY_US}) : NULL);
    TRY(timeline_page_add_days(c, p, &w, &d));
    TRY(timeline_page_add_nodes(c, p, &w, &d));
    TRY(add_chains(c, p, &w));
    return page_show(p, "timeline");
}

const struct page_row timeline_pages[] = {
    {.method = "GET", .path = "/admin/timeline", .name = "page.timeline", .perm = PERM_MEMORY_READ, .run = timeline_page,
     .nav = {.label = "Timeline", .icon = "timeline", .key = "i"}},
    {0},
};
