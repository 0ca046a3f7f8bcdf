/* Parts of the page of one node; see memory_html.h. */
#include "memory_html.h"

#include <string.h>

#include "access.h"
#include "context_snapshot.h"
#include "diff.h"
#include "edge.h"
#include "limit.h"
#include "model.h"
#include "space_room.h"
#include "team.h"

#define EDGES 50
#define EVENTS 10
#define MADE_FROM "DERIVED_FROM"

/* ---- what it said before */

/* Title and text as one. */
static const char *node_page_whole(struct ctx *c, const struct node *n)
{
    return str_empty(n->title) ? n->body : arena_printf(c->arena, "%s\n\n%s", n->title, n->body);
}

/* The place in the list of the state that is compared with what came after it. */
static size_t compared(const struct page_call *p, const struct page *page)
{
    const char *asked = page_query(p, "change");
    const struct node *v = page->items;

    for (size_t i = 0; asked && i < page->n; i++)
        if (str_eq(asked, UUID_STR(v[i].id)))
            return i;
    return 0;
}

err put_versions(struct ctx *c, struct page_call *p, const struct node *n, const struct names *names)
{
    struct json *list = put_list(c, p->model, "versions");
    const struct node *v;
    struct page page;
    size_t shown;

    TRY(node_versions(c, n->id, true, LIMIT_PAGE_DEFAULT, page_query(p, "cursor"), &page));
    v = page.items;
    shown = compared(p, &page);
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);
        const char *author = names_find(names, v[i].author_id);

        put_id(c, row, "id", v[i].id);
        json_set_int(c->arena, row, "version", v[i].version);
        json_set_str(c->arena, row, "author", author ? author : v[i].author_kind);
        json_set_str(c->arena, row, "text", v[i].excerpt);
        put_time(c, row, "at", v[i].updated_at);
        json_set_bool(c->arena, row, "is_compared", i == shown);
    }
    put_listing(c, p, node_place(c, n->id), &page);
    if (!page.n)
        return ERR_OK;
    json_set(c->arena, p->model, "diff", model_diff(c->arena, node_page_whole(c, &v[shown]),
                                                    node_page_whole(c, shown ? &v[shown - 1] : n)));
    json_set_str(c->arena, p->model, "diff_words", arena_printf(c->arena, "from version %lld to version %lld", (long long)v[shown].version,
                                                                (long long)(shown ? v[shown - 1].version : n->version)));
    return ERR_OK;
}

/* ---- what it is joined to */

static void put_edge(struct ctx *c, struct json *row, const struct edge *e, const struct node_brief *other, bool out)
{
    put_id(c, row, "id", other->id);
    json_set_str(c->arena, row, "name", node_name(c, other->title, other->kind));
    json_set_str(c->arena, row, "kind", other->kind);
    json_set_str(c->arena, row, "relation", e->relation);
    json_set_bool(c->arena, row, "is_out", out && !e->bidirectional);
    json_set_bool(c->arena, row, "is_both", e->bidirectional);
    json_set_str(c->arena, row, "weight", arena_printf(c->arena, "%.2f", e->weight));
    json_set_str(c->arena, row, "confidence", arena_printf(c->arena, "%.2f", e->confidence));
    put_time(c, row, "valid_from", e->valid_from);
    put_time(c, row, "valid_to", e->valid_to);
    put_time(c, row, "at", e->recorded_at);
}

err put_edges(struct ctx *c, struct page_call *p, const struct node *n)
{
    struct json *from = put_list(c, p->model, "sources"), *made = put_list(c, p->model, "results"), *edges = json_arr(c->arena);
    struct node_brief *others;
    const struct edge *e;
    struct uuid *ids;
    struct page page;

    if (!page_may(c, PERM_GRAPH_READ))
        return ERR_OK;
    TRY(edge_list(c, &(struct edge_filter){.node_id = n->id, .direction = EDGE_EITHER, .limit = EDGES}, &page));
    e = page.items;
    ids = ARENA_ARRAY(c->arena, struct uuid, page.n + 1);
    others = ARENA_ARRAY(c->arena, struct node_brief, page.n + 1);
    for (size_t i = 0; i < page.n; i++)
        ids[i] = uuid_eq(e[i].source_id, n->id) ? e[i].target_id : e[i].source_id;
    TRY(node_briefs(c, ids, page.n, others));
    for (size_t i = 0; i < page.n; i++) {
        bool out = uuid_eq(e[i].source_id, n->id);
        struct json *list = !str_eq(e[i].relation, MADE_FROM) ? edges : out ? from : made;

        if (!uuid_is_nil(others[i].id))
            put_edge(c, add_row(c, list), &e[i], &others[i], out);
    }
    if (edges->first)
        json_set(c->arena, json_set(c->arena, p->model, "edges", json_obj(c->arena)), "rows", edges);
    json_set_bool(c->arena, p->model, "has_more_edges", page.has_more);
    return ERR_OK;
}

/* ---- who reaches it */

static void node_page_add_owner(struct ctx *c, struct json *rows, const struct space *s, const struct names *names)
{
    struct json *row;

    if (uuid_is_nil(s->owner_agent_id))
        return;
    row = add_row(c, rows);
    json_set_str(c->arena, row, "grantee_name", names_find(names, s->owner_agent_id));
    json_set_str(c->arena, row, "grantee_href", arena_printf(c->arena, "/admin/agents/%s", UUID_STR(s->owner_agent_id)));
    json_set_str(c->arena, row, "level", enumx_name(&access_level_enumx, ACCESS_MANAGE));
    json_set_str(c->arena, row, "why", "owner of the space");
}

static err node_page_add_grants(struct ctx *c, struct json *rows, const struct space *s, const struct names *names)
{
    struct page page, teams;
    const struct grant *g;

    TRY(grant_list(c, s->id, LIMIT_PAGE, NULL, &page));
    TRY(team_list(c, &(struct team_filter){.limit = LIMIT_PAGE}, &teams));
    g = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, rows);
        const char *by = uuid_is_nil(g[i].granted_by) ? "Loci" : names_find(names, g[i].granted_by);

        put_grantee(c, row, &g[i], names, &teams);
        json_set_str(c->arena, row, "level", enumx_name(&access_level_enumx, (int)g[i].level));
        json_set_str(c->arena, row, "why", arena_printf(c->arena, "granted to the %s by %s", enumx_name(&grantee_kind_enumx, (int)g[i].grantee_kind),
                                                        by ? by : "deleted user or agent"));
        put_time(c, row, "expires_at", g[i].expires_at);
    }
    return ERR_OK;
}

err put_access(struct ctx *c, struct page_call *p, const struct node *n, const struct names *names)
{
    struct json *m = json_set(c->arena, p->model, "access", json_obj(c->arena)), *rows = put_list(c, m, "rows");
    struct space s;

    TRY(space_get(c, n->space_id, &s));
    json_set_str(c->arena, m, "you", enumx_name(&access_level_enumx, (int)access_level(c->access, n->space_id)));
    json_set_bool(c->arena, m, "is_known", access_may_manage(c, n->space_id));
    node_page_add_owner(c, rows, &s, names);
    return access_may_manage(c, n->space_id) && space_room_allows(c, &s, SPACE_LISTS_GRANTS) ? node_page_add_grants(c, rows, &s, names) : ERR_OK;
}

/* ---- where it is kept, and what happened to it */

err put_snapshots(struct ctx *c, struct page_call *p, const struct node *n)
{
    struct json *list = put_list(c, p->model, "snapshots");
    struct context_snapshot *s;
    size_t k;

    TRY(context_snapshot_with(c, n->space_id, n->id, LIMIT_PAGE_DEFAULT, &s, &k));
    for (size_t i = 0; i < k; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", s[i].name);
        json_set_str(c->arena, row, "entries", model_count(c->arena, s[i].entry_count));
        json_set_bool(c->arena, row, "is_automatic", s[i].is_automatic);
        put_id(c, row, "context_id", s[i].context_id);
        put_time(c, row, "at", s[i].created_at);
    }
    return ERR_OK;
}

err put_events(struct ctx *c, struct page_call *p, const struct node *n, const struct names *names)
{
    struct json *list = put_list(c, p->model, "events");
    const struct audit_event *e;
    struct page page;

    if (!page_may(c, PERM_AUDIT_READ))
        return ERR_OK;
    TRY(audit_list(c, &(struct audit_filter){.subject_id = n->id, .limit = EVENTS}, &page));
    e = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "kind", e[i].kind);
        json_set_str(c->arena, row, "actor", actor_name(c, names, &e[i]));
        json_set_str(c->arena, row, "request_id", e[i].request_id);
        put_time(c, row, "at", e[i].at);
    }
    return ERR_OK;
}
