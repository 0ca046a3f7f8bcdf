/* The pages Duplicates: pairs that wait for a decision, side by side with their difference, and merges that can be undone. */
#include "diff.h"
#include "duplicate.h"
#include "memory_html.h"
#include "model.h"

#define AT "/admin/duplicates"
#define MERGES AT "/merges"
#define PAIRS_SHOWN 20
#define MERGES_SHOWN 50

static void put_duplicate_tabs(struct ctx *c, struct page_call *p, bool merges)
{
    struct json *list = put_list(c, p->model, "tabs");

    json_set_str(c->arena, p->model, "tabs_label", "Duplicates");
    add_tab(c, list, "Waiting pairs", AT, !merges);
    add_tab(c, list, "Merges", MERGES, merges);
    add_tab(c, list, "Data quality", "/admin/junk", false);
}

/* A memory of somebody else is shown here, since it waits for a decision; its page has its own gate. */
static const char *href_in(struct ctx *c, struct uuid space_id, struct uuid id)
{
    return access_may_read(c, space_id) ? node_place(c, id) : NULL;
}

static void put_side(struct ctx *c, struct json *row, const char *name, const struct duplicate *d, struct uuid id, const char *title,
                     const char *text)
{
    struct json *side = json_set(c->arena, row, name, json_obj(c->arena));

    put_id(c, side, "id", id);
    json_set_str(c->arena, side, "title", node_name(c, title, d->kind));
    json_set_str(c->arena, side, "text", text);
    json_set_str(c->arena, side, "href", href_in(c, d->space_id, id));
}

static void put_pair(struct ctx *c, struct json *row, const struct duplicate *d)
{
    static const char *const WHY[] = {
        [DUPLICATE_DETAILS] = "differ in a number, date, name or negation", [DUPLICATE_PINNED] = "both are pinned",
        [DUPLICATE_POLICY] = "the context's policy is review", [DUPLICATE_UNDONE] = "a merge was undone",
    };

    put_id(c, row, "id", d->id);
    json_set_str(c->arena, row, "kind", d->kind);
    json_set_str(c->arena, row, "why", WHY[d->reason]);
    json_set_str(c->arena, row, "similarity", arena_printf(c->arena, "%.2f", d->similarity));
    put_time(c, row, "found_at", d->found_at);
    put_side(c, row, "a", d, d->a_id, d->a_title, d->a_text);
    put_side(c, row, "b", d, d->b_id, d->b_title, d->b_text);
    json_set(c->arena, row, "diff", model_diff(c->arena, d->a_text, d->b_text));
}

static err show_pairs(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "pairs");
    const struct duplicate *d;
    struct page page;

    TRY(duplicate_list(c, PAIRS_SHOWN, page_query(p, "cursor"), &page));
    d = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_pair(c, add_row(c, list), &d[i]);
    put_duplicate_tabs(c, p, false);
    put_undo(c, p);
    put_listing(c, p, AT, &page);
    return page_show(p, "duplicates");
}

static err show_merges(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "merges");
    const struct merge *m;
    struct page page;

    TRY(merge_list(c, false, MERGES_SHOWN, page_query(p, "cursor"), &page));
    m = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        put_id(c, row, "id", m[i].id);
        json_set_str(c->arena, row, "kind", m[i].kind);
        json_set_str(c->arena, row, "keeper", node_name(c, m[i].keeper_title, m[i].kind));
        json_set_str(c->arena, row, "keeper_href", href_in(c, m[i].space_id, m[i].keeper_id));
        json_set_str(c->arena, row, "loser", node_name(c, m[i].loser_title, m[i].kind));
        json_set_str(c->arena, row, "loser_href", href_in(c, m[i].space_id, m[i].loser_id));
        json_set_str(c->arena, row, "similarity", arena_printf(c->arena, "%.2f", m[i].similarity));
        json_set_str(c->arena, row, "by", m[i].rule == MERGE_REVIEW ? "a decision" : "the nightly job");
        put_time(c, row, "merged_at", m[i].merged_at);
    }
    put_duplicate_tabs(c, p, true);
    put_listing(c, p, MERGES, &page);
    return page_show(p, "merges");
}

/* ---- deciding */

static err duplicates_page_run_on(struct ctx *c, struct page_call *p, const char *op, struct call_result *r)
{
    struct json *extra = json_obj(c->arena);
    const char *id;

    TRY(memory_page_ref(c, p, 0, &id));
    json_set_str(c->arena, extra, "id", id);
    return page_run(c, p, op, extra, r);
}

static err merge_pair(struct ctx *c, struct page_call *p)
{
    struct call_result r;

    TRY(duplicates_page_run_on(c, p, "duplicate.merge", &r));
    offer_undo(c, p, arena_printf(c->arena, MERGES "/%s/undo", json_get_str(r.data, "id")), "Merged into '%s'.",
               json_get_str(r.data, "keeper_title"));
    return page_go(c, p, AT);
}

static err keep_pair(struct ctx *c, struct page_call *p)
{
    struct call_result r;

    TRY(duplicates_page_run_on(c, p, "duplicate.keep", &r));
    page_say(c, p, "ok", "Both kept. The pair will not be proposed again.");
    return page_go(c, p, AT);
}

static err undo_merge(struct ctx *c, struct page_call *p)
{
    struct call_result r;

    TRY(duplicates_page_run_on(c, p, "merge.undo", &r));
    page_say(c, p, "ok", "Merge undone: '%s' and '%s' are separate again.", json_get_str(r.data, "keeper_title"),
             json_get_str(r.data, "loser_title"));
    return page_go(c, p, MERGES);
}

const struct page_row duplicate_pages[] = {
    {.method = "GET", .path = AT, .name = "page.duplicates", .op = "duplicate.list", .perm = PERM_MEMORY_MANAGE, .run = show_pairs},
    {.method = "GET", .path = MERGES, .name = "page.merges", .op = "merge.list", .perm = PERM_MEMORY_MANAGE, .run = show_merges},
    {.method = "POST", .path = AT "/:id/merge", .name = "page.duplicate.merge", .perm = PERM_MEMORY_MANAGE, .run = merge_pair, .again = show_pairs},
    {.method = "POST", .path = AT "/:id/keep", .name = "page.duplicate.keep", .perm = PERM_MEMORY_MANAGE, .run = keep_pair, .again = show_pairs},
    {.method = "POST", .path = MERGES "/:id/undo", .name = "page.merge.undo", .perm = PERM_MEMORY_MANAGE, .run = undo_merge, .again = show_merges},
    {0},
};
