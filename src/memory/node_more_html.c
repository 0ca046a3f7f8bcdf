/* More parts of the page of one node: who read it, what took whose place, and what would go with it. See memory_html.h. */
#include "memory_html.h"

#include "access.h"
#include "access_log.h"
#include "around.h"
#include "model.h"
#include "space.h"

#define READS 10
#define CHAIN 20 /* links that are shown of who took whose place */
#define SUPERSEDED "SUPERSEDED_BY"

/* ---- who read it */

static const char *reader(const struct access_event *e, const struct names *names)
{
    struct uuid id = uuid_is_nil(e->agent_id) ? e->user_id : e->agent_id;
    const char *name = names_find(names, id);

    return name ? name : uuid_is_nil(id) ? "Loci" : "deleted user or agent";
}

/* Only contexts keep a log of reads; of all else Loci knows how often, not by whom. */
err put_reads(struct ctx *c, struct page_call *p, const struct node *n, const struct names *names)
{
    struct access_filter f = {.action = -1, .success = -1, .entry_id = n->id, .limit = READS};
    struct json *m, *rows;
    const struct access_event *e;
    struct page page;
    struct space s;

    TRY(space_get(c, n->space_id, &s));
    if (s.kind != SPACE_CONTEXT || !access_may_manage(c, n->space_id) || !page_may(c, PERM_CONTEXT_MANAGE))
        return ERR_OK;
    TRY(access_log_list(c, arena_strdup(c->arena, UUID_STR(n->space_id)), &f, &page));
    m = json_set(c->arena, p->model, "reads", json_obj(c->arena));
    json_set_str(c->arena, m, "href", arena_printf(c->arena, "/admin/memory/%s/log?entry=%s", UUID_STR(n->space_id), UUID_STR(n->id)));
    rows = put_list(c, m, "rows");
    e = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "who", reader(&e[i], names));
        json_set_str(c->arena, row, "what", enumx_name(&access_action_enumx, (int)e[i].action));
        json_set_bool(c->arena, row, "is_refused", !e[i].success);
        put_time(c, row, "at", e[i].created_at);
    }
    return ERR_OK;
}

/* ---- what took whose place */

static const struct around_node *node_more_page_of(const struct around *a, struct uuid id)
{
    for (size_t i = 0; i < a->n; i++)
        if (uuid_eq(a->nodes[i].id, id))
            return &a->nodes[i];
    return NULL;
}

/* The one that took its place (or, backwards, whose place it took), of the edges that are known; nil: none. */
static struct uuid node_more_page_follow(const struct around *a, struct uuid id, bool backwards)
{
    for (size_t i = 0; i < a->n_edges; i++)
        if (uuid_eq(backwards ? a->edges[i].target : a->edges[i].source, id))
            return backwards ? a->edges[i].source : a->edges[i].target;
    return (struct uuid){0};
}

err put_chain(struct ctx *c, struct page_call *p, const struct node *n)
{
    struct uuid at = n->id, before;
    struct around a;
    struct json *list;

    if (!page_may(c, PERM_GRAPH_READ))
        return ERR_OK;
    TRY(around_find(c, &(struct around_wish){.id = n->id, .depth = AROUND_DEPTH, .relation = SUPERSEDED, .max = CHAIN}, &a));
    if (!a.n_edges)
        return ERR_OK;
    list = put_list(c, json_set(c->arena, p->model, "chain", json_obj(c->arena)), "links");
    for (size_t i = 0; i < a.n && !uuid_is_nil(before = node_more_page_follow(&a, at, true)); i++)
        at = before;
    for (size_t i = 0; i < a.n && !uuid_is_nil(at); i++, at = node_more_page_follow(&a, at, false)) {
        const struct around_node *link = node_more_page_of(&a, at);
        struct json *row = add_row(c, list);

        put_id(c, row, "id", at);
        json_set_str(c->arena, row, "name", link ? node_name(c, link->title, link->kind) : "another");
        json_set_bool(c->arena, row, "is_this", uuid_eq(at, n->id));
    }
    return ERR_OK;
}

/* ---- what forgetting would do */

static size_t node_more_page_length(const struct json *list)
{
    return json_is(list, JSON_ARR) ? list->len : 0;
}

static void node_more_page_tell(struct ctx *c, struct json *list, size_t n, bool at_least, const char *one, const char *many)
{
    if (n)
        json_push(list, json_str(c->arena, arena_printf(c->arena, "%s%zu %s", at_least ? "at least " : "", n,
                                                        n == 1 && !at_least ? one : many)));
}

void put_goes(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "goes");
    bool more = json_get_bool(p->model, "has_more_edges", false);
    size_t edges = node_more_page_length(json_get(json_get(p->model, "edges"), "rows")) + node_more_page_length(json_get(p->model, "sources")) +
                   node_more_page_length(json_get(p->model, "results"));

    node_more_page_tell(c, list, edges, more, "edge will be hidden", "edges will be hidden");
    node_more_page_tell(c, list, node_more_page_length(json_get(p->model, "versions")), json_get(p->model, "pager") && json_get_str(json_get(p->model, "pager"), "next"),
                        "older version will be hidden", "older versions will be hidden");
    node_more_page_tell(c, list, node_more_page_length(json_get(p->model, "results")), more, "derived memory stays",
                        "derived memories stay");
    node_more_page_tell(c, list, node_more_page_length(json_get(p->model, "snapshots")), false, "snapshot keeps a copy",
                        "snapshots keep a copy");
}
