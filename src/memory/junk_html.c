/* The page Junk: what the audit found by class and by space, how it was over 90 days, the rows behind each number, and cleaning. */
#include "junk.h"

#include "chart.h"
#include "limit.h"
#include "memory_html.h"
#include "model.h"

#define AT "/admin/junk"
#define PAIRS "/admin/duplicates" /* near copies wait there for a decision */
#define PRIVATE "A private memory"
#define SPACES_SHOWN 20

static const char *percent(struct ctx *c, double share)
{
    return arena_printf(c->arena, "%.1f %%", share * 100);
}

static const char *rows_href(struct ctx *c, const char *class, struct uuid space)
{
    struct json *query = json_obj(c->arena);

    json_set_str(c->arena, query, "class", class);
    if (!uuid_is_nil(space))
        json_set_str(c->arena, query, "space", arena_strdup(c->arena, UUID_STR(space)));
    return model_href(c->arena, AT "/rows", query);
}

/* ---- the report */

static void junk_page_add_classes(struct ctx *c, struct json *m, const struct junk_report *r)
{
    struct json *list = put_list(c, m, "classes");
    const struct junk_class *k = r->classes.v;

    for (size_t i = 0; i < r->classes.n; i++) {
        const char *name = enumx_name(&finding_class_enumx, (int)k[i].class);
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", name);
        json_set_str(c->arena, row, "found", model_count(c->arena, k[i].found));
        json_set_str(c->arena, row, "share", percent(c, k[i].share));
        json_set_str(c->arena, row, "href", !k[i].found ? NULL : k[i].class == FINDING_NEAR_COPY ? PAIRS : rows_href(c, name, (struct uuid){ { 0 } }));
        json_set_bool(c->arena, row, "waits", k[i].found > 0 && k[i].class == FINDING_NEAR_COPY);
    }
}

static void junk_page_add_spaces(struct ctx *c, struct json *m, const struct junk_report *r)
{
    struct json *list = put_list(c, m, "spaces");
    const struct junk_space *s = r->spaces.v;

    for (size_t i = 0; i < r->spaces.n && i < SPACES_SHOWN && s[i].junk; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", s[i].name ? s[i].name : "a space of somebody else");
        json_set_str(c->arena, row, "href", s[i].name ? arena_printf(c->arena, "/admin/spaces/%s", UUID_STR(s[i].space_id)) : NULL);
        json_set_str(c->arena, row, "nodes", model_count(c->arena, s[i].nodes));
        json_set_str(c->arena, row, "junk", model_count(c->arena, s[i].junk));
        json_set_str(c->arena, row, "rows_href", rows_href(c, NULL, s[i].space_id));
        json_set_str(c->arena, row, "share", percent(c, s[i].junk_ratio));
    }
}

/* Of the days that were counted, oldest first; the table has the newest first. */
static void add_curve(struct ctx *c, struct json *m, const struct junk_report *r)
{
    const struct junk_day *d = r->curve.v;
    double *share = ARENA_ARRAY(c->arena, double, r->curve.n + 1);
    const char **x = ARENA_ARRAY(c->arena, const char *, r->curve.n + 1);
    struct json *list = put_list(c, m, "days");

    for (size_t i = 0; i < r->curve.n; i++) {
        struct json *row = add_row(c, list);

        share[r->curve.n - 1 - i] = d[i].junk_ratio * 100;
        x[r->curve.n - 1 - i] = d[i].day;
        json_set_str(c->arena, row, "day", d[i].day);
        json_set_str(c->arena, row, "nodes", model_count(c->arena, d[i].nodes));
        json_set_str(c->arena, row, "junk", model_count(c->arena, d[i].junk));
        json_set_str(c->arena, row, "share", percent(c, d[i].junk_ratio));
    }
    json_set(c->arena, m, "curve", r->curve.n < 2 ? json_new(c->arena, JSON_NULL) : model_chart(c->arena, &(struct chart){
        .id = "junk", .label = "Percent of the memories that were junk, day by day", .x_name = "Day (UTC)", .x = x, .n = r->curve.n,
        .series = {{"junk, %", share}}, .n_series = 1, .digits = 1, .now = -1}));
}

static err junk_page_report(struct ctx *c, struct page_call *p)
{
    struct json *m = json_set(c->arena, p->model, "report", json_obj(c->arena));
    struct junk_report r;

    TRY(junk_report(c, &r));
    json_set_str(c->arena, m, "day", r.day);
    json_set_str(c->arena, m, "nodes", model_count(c->arena, r.nodes));
    json_set_str(c->arena, m, "junk", model_count(c->arena, r.junk));
    json_set_str(c->arena, m, "href", r.junk ? AT "/rows" : NULL);
    json_set_str(c->arena, m, "share", percent(c, r.junk_ratio));
    if (r.day) {
        junk_page_add_classes(c, m, &r);
        junk_page_add_spaces(c, m, &r);
        add_curve(c, m, &r);
    }
    put_undo(c, p);
    return page_show(p, "junk");
}

/* ---- rows */

/* Where a memory is looked at; a row of short-term memory on the page of its agent, which the space knows. */
static const char *item_href(struct ctx *c, const struct junk_item *r)
{
    if (!r->title)
        return NULL;
    return r->class == FINDING_PROMOTE ? arena_printf(c->arena, "/admin/spaces/%s", UUID_STR(r->space_id))
                                       : node_place(c, r->node_id);
}

static void put_item(struct ctx *c, struct json *row, const struct junk_item *r)
{
    json_set_str(c->arena, row, "kind", r->kind);
    json_set_str(c->arena, row, "name", r->title ? node_name(c, r->title, r->kind) : PRIVATE);
    json_set_str(c->arena, row, "href", item_href(c, r));
    json_set_str(c->arena, row, "class", enumx_name(&finding_class_enumx, (int)r->class));
    json_set_str(c->arena, row, "value", arena_printf(c->arena, "%.2f", r->value));
    if (!uuid_is_nil(r->other_id)) {
        json_set_str(c->arena, row, "other", r->other_title ? node_name(c, r->other_title, r->kind) : PRIVATE);
        json_set_str(c->arena, row, "other_href", r->other_title ? node_place(c, r->other_id) : NULL);
    }
    json_set_str(c->arena, row, "decide_href", r->class == FINDING_NEAR_COPY ? PAIRS : NULL);
    put_time(c, row, "found_at", r->found_at);
}

/* What can be archived is what is read on this page, and no more. */
static void put_clean(struct ctx *c, struct page_call *p, const struct junk_filter *f, const struct page *page)
{
    struct json *clean = json_obj(c->arena), *ids = put_list(c, clean, "ids");
    const struct junk_item *r = page->items;

    for (size_t i = 0; i < page->n; i++)
        if (r[i].title)
            put_id(c, add_row(c, ids), "id", r[i].node_id);
    json_set_str(c->arena, clean, "class", f->class >= 0 ? enumx_name(&finding_class_enumx, f->class) : NULL);
    json_set_str(c->arena, clean, "count", model_counted(c->arena, (int64_t)ids->len, "memory", "memories"));
    if (ids->len && f->class >= 0 && f->class != FINDING_PROMOTE && f->class != FINDING_NEAR_COPY)
        json_set(c->arena, p->model, "clean", clean);
}

static err rows(struct ctx *c, struct page_call *p)
{
    struct junk_filter f = {.class = query_enum(p, "class", &finding_class_enumx), .limit = LIMIT_PAGE_DEFAULT,
                            .cursor = page_query(p, "cursor")};
    struct json *list = put_list(c, p->model, "rows");
    const char *space = page_query(p, "space");
    const struct junk_item *r;
    struct page page;

    if (space && !uuid_parse(space, &f.space_id))
        return fail(c, ERR_NOT_FOUND, "no such space");
    TRY(junk_items(c, &f, &page));
    r = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_item(c, add_row(c, list), &r[i]);
    put_clean(c, p, &f, &page);
    json_set(c->arena, p->model, "classes", enum_choices(c, &finding_class_enumx, "what counts as junk", page_query(p, "class")));
    json_set_str(c->arena, p->model, "space", space);
    put_listing(c, p, AT "/rows", &page);
    return page_show(p, "junk_rows");
}

/* ---- doing */

static err junk_page_run(struct ctx *c, struct page_call *p)
{
    TRY(page_run(c, p, "memory.audit_run", NULL, NULL));
    page_say(c, p, "ok", "The audit is on its way; look again in a minute.");
    return page_go(c, p, AT);
}

static err junk_page_clean(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena), *classes = json_set(c->arena, extra, "classes", json_arr(c->arena));
    struct json *ids = json_set(c->arena, extra, "node_ids", json_arr(c->arena));
    struct strs shown = page_form_all(c, p, "node_id[]");
    struct call_result r;

    if (!page_form(p, "class") || !shown.n)
        return fail_field(c, "/class", "say what to archive");
    for (size_t i = 0; i < shown.n; i++)
        json_push(ids, json_str(c->arena, shown.v[i]));
    json_push(classes, json_str(c->arena, page_form(p, "class")));
    json_set_bool(c->arena, extra, "dry_run", false);
    TRY(page_run(c, p, "memory.audit_clean", extra, &r));
    offer_undo(c, p, arena_printf(c->arena, AT "/undo/%s", json_get_str(r.data, "run_id")), "%s archived%s.",
               model_counted(c->arena, json_get_int(r.data, "archived", 0), "memory is", "memories are"), json_get_bool(r.data, "has_more", false) ? "; there are more" : "");
    return page_go(c, p, AT);
}

static err undo(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r;
    const char *id;

    TRY(memory_page_ref(c, p, 0, &id));
    json_set_str(c->arena, extra, "run_id", id);
    TRY(page_run(c, p, "memory.audit_undo", extra, &r));
    page_say(c, p, "ok", "%s back%s.", model_counted(c->arena, json_get_int(r.data, "restored", 0), "memory is", "memories are"),
             json_get_int(r.data, "kept", 0) ? "; the others have lost their place" : "");
    return page_go(c, p, AT);
}

const struct page_row junk_pages[] = {
    {.method = "GET", .path = AT, .name = "page.junk", .perm = PERM_MEMORY_MANAGE, .run = junk_page_report},
    {.method = "GET", .path = AT "/rows", .name = "page.junk.rows", .perm = PERM_MEMORY_MANAGE, .run = rows},
    {.method = "POST", .path = AT "/run", .name = "page.junk.run", .perm = PERM_MEMORY_MANAGE, .run = junk_page_run, .again = junk_page_report},
    {.method = "POST", .path = AT "/clean", .name = "page.junk.clean", .perm = PERM_MEMORY_MANAGE, .run = junk_page_clean, .again = junk_page_report},
    {.method = "POST", .path = AT "/undo/:id", .name = "page.junk.undo", .perm = PERM_MEMORY_MANAGE, .run = undo, .again = junk_page_report},
    {0},
};
