/* Communities on the pages: the themes of the graph with their summaries, and how the graph hangs together. */
#include "community.h"
#include "graph.h"
#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "rag_html.h"

#define COMMUNITIES_SHOWN 20
#define MEMBERS_SHOWN 30

static err put_graph_figures(struct ctx *c, struct page_call *p)
{
    struct json *m = json_set(c->arena, p->model, "figures", json_obj(c->arena));
    struct graph_statistics s;

    TRY(graph_statistics(c, (struct uuid){0}, &s));
    json_set_str(c->arena, m, "nodes", model_count(c->arena, s.nodes));
    json_set_str(c->arena, m, "edges", model_count(c->arena, s.edges));
    json_set_str(c->arena, m, "components", model_count(c->arena, s.components));
    json_set_str(c->arena, m, "communities", model_count(c->arena, s.communities));
    return ERR_OK;
}

static void put_community(struct ctx *c, struct json *row, const struct community *x)
{
    put_id(c, row, "id", x->id);
    json_set_str(c->arena, row, "title", x->title);
    json_set_str(c->arena, row, "summary", x->summary);
    json_set_str(c->arena, row, "size", model_count(c->arena, x->size));
    json_set_bool(c->arena, row, "is_part", x->level > 0);
    json_set_bool(c->arena, row, "stale", x->stale);
    put_time(c, row, "written_at", x->written_at);
}

static err communities_page(struct ctx *c, struct page_call *p)
{
    struct community_filter f = {.level = -1, .min_size = COMMUNITY_MIN_SIZE, .limit = COMMUNITIES_SHOWN, .cursor = page_query(p,
        "cursor")};
    struct json *list = put_list(c, p->model, "communities");
    const struct community *v;
    struct page page;

    TRY(community_list(c, &f, &page));
    v = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_community(c, add_row(c, list), &v[i]);
    put_listing(c, p, "/admin/graph/communities", &page);
    TRY(put_graph_figures(c, p));
    return page_show(p, "communities");
}

static err community_page(struct ctx *c, struct page_call *p)
{
    struct json *names = put_list(c, p->model, "names");
    const struct community_member *v;
    struct community_view x;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(community_get(c, id, &x));
    put_community(c, json_set(c->arena, p->model, "community", json_obj(c->arena)), &x.community);
    v = x.members.v;
    for (size_t i = 0; i < x.members.n && i < MEMBERS_SHOWN; i++) {
        struct json *row = add_row(c, names);

        put_id(c, row, "id", v[i].node_id);
        json_set_str(c->arena, row, "title", v[i].title);
        json_set_str(c->arena, row, "type", v[i].entity_type);
        json_set_str(c->arena, row, "strength", arena_printf(c->arena, "%.1f", v[i].strength));
    }
    return page_show(p, "community");
}

const struct page_row community_pages[] = {
    {.method = "GET", .path = "/admin/graph/communities", .name = "page.communities", .op = "graph.communities", .perm = PERM_GRAPH_READ,
     .run = communities_page},
    {.method = "GET", .path = "/admin/graph/communities/:id", .name = "page.community", .op = "graph.community", .perm = PERM_GRAPH_READ,
     .run = community_page},
    {0},
};
