/* One node, whatever its kind: what it says and said, where it comes from, what it is joined to, who reaches it, how it fades. */
#include "memory_html.h"

#include <string.h>

#include "limit.h"
#include "model.h"
#include "node_kind.h"
#include "node_score_html.h"
#include "space.h"

#define ASKED 80 /* characters of a text that has no title */

/* ---- where else one finds it */

/* Kinds that their own room changes may have a page there: the entries and facts of a context, the keys of a pool. */
static void put_room(struct ctx *c, struct json *m, const struct node *n, const struct space *s)
{
    const struct node_kind *k = node_kind_find(n->kind);
    const char *href = NULL;
    struct json *room;

    if (!k || k->flags & KIND_GENERIC)
        return;
    if (s->kind == SPACE_CONTEXT && k->flags & KIND_OWN && page_may(c, PERM_CONTEXT_READ))
        href = arena_printf(c->arena, "/admin/memory/%s/entries/%s", UUID_STR(n->space_id), UUID_STR(n->id));
    else if (s->kind == SPACE_POOL)
        href = arena_printf(c->arena, "/admin/pools/%s", UUID_STR(n->space_id));
    room = json_set(c->arena, m, "room", json_obj(c->arena));
    json_set_str(c->arena, room, "writer", k->writer);
    json_set_str(c->arena, room, "href", href);
}

static err put_space(struct ctx *c, struct json *m, const struct node *n)
{
    struct json *space = json_set(c->arena, m, "space", json_obj(c->arena));
    struct space s;

    TRY(space_get(c, n->space_id, &s));
    put_id(c, space, "id", s.id);
    json_set_str(c->arena, space, "name", s.name);
    json_set_str(c->arena, space, "kind", enumx_name(&space_kind_enumx, (int)s.kind));
    put_room(c, m, n, &s);
    return ERR_OK;
}

static void node_page_put_author(struct ctx *c, struct json *m, const struct node *n, const struct names *names)
{
    const char *name = names_find(names, n->author_id);
    bool has_page = name && (str_eq(n->author_kind, "agent") || page_may(c, PERM_ACCOUNT_READ));

    json_set_str(c->arena, m, "author", name ? name : uuid_is_nil(n->author_id) ? "Loci" : n->author_kind);
    json_set_str(c->arena, m, "author_href", !has_page ? NULL
                 : arena_printf(c->arena, "/admin/%s/%s", str_eq(n->author_kind, "agent") ? "agents" : "users", UUID_STR(n->author_id)));
}

/* ---- what it is */

static void put_numbers(struct ctx *c, struct json *m, const struct node *n)
{
    json_set_str(c->arena, m, "importance", arena_printf(c->arena, "%.4f", n->importance_score));
    json_set_str(c->arena, m, "stored", arena_printf(c->arena, "%.4f", n->importance));
    json_set_str(c->arena, m, "decay", n->decay_rate > 0 && !n->is_pinned ? arena_printf(c->arena, "%.3g", n->decay_rate) : NULL);
    json_set_str(c->arena, m, "confidence", arena_printf(c->arena, "%.2f", n->confidence));
    json_set_str(c->arena, m, "trust", arena_printf(c->arena, "%.2f", n->trust));
    json_set_str(c->arena, m, "access_count", model_count(c->arena, n->access_count));
    json_set_str(c->arena, m, "referenced_count", model_count(c->arena, n->referenced_count));
    json_set_str(c->arena, m, "occurrences", n->occurrences > 1 ? model_count(c->arena, n->occurrences) : NULL);
    json_set_str(c->arena, m, "tokens", model_count(c->arena, n->tokens));
    json_set_int(c->arena, m, "version", n->version);
}

static void put_times(struct ctx *c, struct json *m, const struct node *n)
{
    put_time(c, m, "created_at", n->created_at);
    put_time(c, m, "updated_at", n->updated_at);
    put_time(c, m, "accessed_at", n->last_access_at);
    put_time(c, m, "valid_from", n->valid_from);
    put_time(c, m, "valid_to", n->valid_to);
    put_time(c, m, "expires_at", n->expires_at);
    put_time(c, m, "archived_at", n->archived_at);
}

static void put_texts(struct ctx *c, struct json *m, const struct node *n)
{
    const struct json *attrs = json_opened(c->arena, n->attrs);

    json_set_str(c->arena, m, "name", node_name(c, n->title, n->kind));
    json_set_str(c->arena, m, "title", n->title);
    json_set_str(c->arena, m, "body", n->body);
    json_set_str(c->arena, m, "attrs", json_is(attrs, JSON_OBJ) && attrs->first ? json_text_pretty(c->arena, attrs) : NULL);
    json_set_str(c->arena, m, "kind", n->kind);
    json_set_str(c->arena, m, "source", n->source_id ? arena_printf(c->arena, "%s %s", n->source_kind ? n->source_kind : "", n->source_id)
                                                     : n->source_kind);
}

/* Who may, says an old state anew with one click. */
static err put_head(struct ctx *c, struct json *m, const struct node *n)
{
    struct json *head = json_set(c->arena, m, "head", json_obj(c->arena));
    struct node now;

    TRY(node_get(c, n->superseded_by, &now));
    put_id(c, head, "id", now.id);
    json_set_str(c->arena, head, "name", node_name(c, now.title, now.kind));
    json_set_int(c->arena, head, "version", now.version);
    json_set_bool(c->arena, head, "may_edit", access_may_write(c, now.space_id) && page_may(c, PERM_MEMORY_WRITE) && !now.archived_at.us &&
                                                  node_kind_has(now.kind, KIND_GENERIC) && !node_kind_has(now.kind, KIND_FIXED));
    return ERR_OK;
}

static err put_superseded(struct ctx *c, struct json *m, const struct node *n)
{
    struct node_brief b = {0};
    struct json *by;

    if (uuid_is_nil(n->superseded_by))
        return ERR_OK;
    TRY(node_briefs(c, &n->superseded_by, 1, &b));
    if (uuid_is_nil(b.id))
        return ERR_OK;
    if (str_eq(n->status, NODE_VERSION))
        return put_head(c, m, n);
    by = json_set(c->arena, m, "superseded_by", json_obj(c->arena));
    put_id(c, by, "id", b.id);
    json_set_str(c->arena, by, "name", node_name(c, b.title, b.kind));
    return ERR_OK;
}

static void put_rights(struct ctx *c, struct json *m, const struct node *n)
{
    bool writes = access_may_write(c, n->space_id) && page_may(c, PERM_MEMORY_WRITE) && !str_eq(n->status, NODE_VERSION);
    bool own = node_kind_has(n->kind, KIND_OWN), generic = node_kind_has(n->kind, KIND_GENERIC);

    json_set_bool(c->arena, m, "may_pin", writes && !n->archived_at.us);
    json_set_bool(c->arena, m, "may_score", writes && !n->archived_at.us && !own);
    json_set_bool(c->arena, m, "may_edit", writes && !n->archived_at.us && generic && !node_kind_has(n->kind, KIND_FIXED));
    json_set_bool(c->arena, m, "may_archive", writes && !n->archived_at.us);
    json_set_bool(c->arena, m, "may_unarchive", writes && n->archived_at.us);
    json_set_bool(c->arena, m, "may_forget", writes && !own);
    json_set_bool(c->arena, m, "may_see_graph", page_may(c, PERM_GRAPH_READ));
    json_set_bool(c->arena, m, "may_see_audit", page_may(c, PERM_AUDIT_READ));
}

static err node_page_add_node(struct ctx *c, struct page_call *p, const struct node *n, const struct names *names)
{
    struct json *m = json_set(c->arena, p->model, "node", json_obj(c->arena));

    put_id(c, m, "id", n->id);
    put_texts(c, m, n);
    put_node_status(c, m, n);
    put_numbers(c, m, n);
    put_times(c, m, n);
    node_page_put_author(c, m, n, names);
    TRY(put_space(c, m, n));
    return put_superseded(c, m, n);
}

/* The playground, asked for its title or its first words. */
static const char *ask_href(struct ctx *c, const struct node *n)
{
    struct json *query = json_obj(c->arena);

    json_set_str(c->arena, query, "query", str_empty(n->title) ? arena_strndup(c->arena, n->body,
                                                                               str_first_bytes(n->body, ASKED)) : n->title);
    return model_href(c->arena, "/admin/recall", query);
}

err node_page(struct ctx *c, struct page_call *p)
{
    struct names *names;
    struct uuid id;
    struct node n;

    TRY(page_id(c, p, 0, &id));
    TRY(node_get(c, id, &n));
    TRY(names_load(c, &names));
    TRY(node_page_add_node(c, p, &n, names));
    put_rights(c, p->model, &n);
    TRY(put_versions(c, p, &n, names));
    TRY(put_edges(c, p, &n));
    TRY(put_access(c, p, &n, names));
    TRY(put_snapshots(c, p, &n));
    TRY(put_events(c, p, &n, names));
    TRY(put_score(c, p, &n));
    TRY(put_reads(c, p, &n, names));
    TRY(put_chain(c, p, &n));
    put_goes(c, p);
    json_set_str(c->arena, p->model, "ask_href", ask_href(c, &n));
    put_undo(c, p);
    return page_show(p, "node");
}

const struct page_row node_pages[] = {
    {.method = "GET", .path = "/admin/nodes/:id", .name = "page.node", .op = "node.get", .perm = PERM_MEMORY_READ, .run = node_page},
    {0},
};
