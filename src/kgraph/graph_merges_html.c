/* Merging nodes on a page: names that look alike, chosen and joined, and the merges that stand. */
#include "graph.h"
#include "graph_merge.h"
#include "kgraph_html.h"
#include "limit.h"
#include "model.h"
#include "parts_html.h"

#define CANDIDATES 50

static err put_candidates(struct ctx *c, struct page_call *p)
{
    struct graph_nodes_in in = {.query = page_query(p, "query"), .node_type = -1, .limit = CANDIDATES};
    struct json *list = put_list(c, p->model, "names");
    const struct graph_node_view *v;
    struct page page;

    json_set_str(c->arena, p->model, "query", in.query);
    if (!in.query)
        return ERR_OK;
    TRY(graph_nodes(c, &in, &page));
    v = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        put_id(c, row, "id", v[i].id);
        json_set_str(c->arena, row, "name", v[i].name);
        json_set_str(c->arena, row, "type", v[i].entity_type);
        json_set_str(c->arena, row, "mentions", model_count(c->arena, v[i].mentions));
        json_set_str(c->arena, row, "edges", model_count(c->arena, v[i].degree));
    }
    return ERR_OK;
}

static void put_losers(struct ctx *c, struct json *row, const struct json *losers)
{
    const struct json *list = json_opened(c->arena, losers);
    struct json *names = put_list(c, row, "losers_named");

    for (const struct json *o = list ? list->first : NULL; o; o = o->next)
        json_set_str(c->arena, add_row(c, names), "name", json_get_str(o, "name"));
}

static err graph_merges_page(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "merges");
    const struct graph_merge *v;
    struct page page;

    TRY(graph_merge_list(c, &(struct thing_page){LIMIT_PAGE_DEFAULT, page_query(p, "cursor")}, &page));
    v = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = put_thing(c, add_row(c, list), &GRAPH_MERGE, &v[i]);

        put_losers(c, row, v[i].losers);
        json_set_bool(c->arena, row, "may_undo", !v[i].undone_at.us && c->now.us - v[i].created_at.us < MERGE_UNDO_DAYS * DAY_US);
    }
    put_listing(c, p, "/admin/graph/merges", &page);
    TRY(put_candidates(c, p));
    return page_show(p, "graph_merges");
}

/* One box is ticked for the node that stays; others for those that become part of it. */
static err graph_merges_post(struct ctx *c, struct page_call *p)
{
    struct strs ticked = page_form_all(c, p, "loser_ids[]");
    const char *keeper = page_form(p, "id");
    struct json *in = json_obj(c->arena), *list = json_set(c->arena, in, "loser_ids", json_arr(c->arena));
    struct call_result r;

    if (!keeper)
        return fail_field(c, "/id", "choose the name that stays");
    json_set_str(c->arena, in, "id", keeper);
    for (size_t i = 0; i < ticked.n; i++)
        if (!str_eq(ticked.v[i], keeper))
            json_push(list, json_str(c->arena, ticked.v[i]));
    if (!list->first)
        return fail_field(c, "/loser_ids", "tick the names that are the same thing");
    TRY(page_run(c, p, "graph.merge", in, &r));
    page_say(c, p, "ok", "Merged.");
    return page_go(c, p, "/admin/graph/merges");
}

const struct page_row graph_merge_pages[] = {
    {.method = "GET", .path = "/admin/graph/merges", .name = "page.graph_merges", .op = "graph.merges", .perm = PERM_GRAPH_MANAGE,
     .run = graph_merges_page},
    {.method = "POST", .path = "/admin/graph/merges", .name = "page.graph_merge", .perm = PERM_GRAPH_MANAGE, .run = graph_merges_post,
     .again = graph_merges_page},
    {.method = "POST", .path = "/admin/graph/merges/:merge_id/undo", .name = "page.graph_merge.undo", .perm = PERM_GRAPH_MANAGE,
     .does = "graph.merge_undo", .said = "Undone.", .go = "/admin/graph/merges", .again = graph_merges_page},
    {0},
};
