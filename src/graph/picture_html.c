/* The graph as a picture and as tables: what lies around a node, and the shortest way to another. */
#include "graph_html.h"

#include <string.h>

#include "around.h"
#include "limit.h"
#include "model.h"
#include "node.h"
#include "node_kind.h"
#include "parts_html.h"
#include "relation.h"

#define DEPTH 2
#define NODES 60
#define CANDIDATES 12

static int64_t picture_page_number(const struct page_call *p, const char *name, int64_t otherwise, int64_t max)
{
    const char *text = page_query(p, name);
    int64_t v;

    return text && str_to_i64(text, &v) && v >= 1 && v <= max ? v : otherwise;
}

static const char *picture_page_name_of(struct ctx *c, const char *title, const char *kind)
{
    return str_empty(title) ? arena_printf(c->arena, "%s without a title", kind) : title;
}

/* ---- the settings */

static void add_numbers(struct ctx *c, struct json *m, const char *name, const int *values, size_t n, int64_t shown)
{
    struct json *list = put_list(c, m, name);

    for (size_t i = 0; i < n; i++) {
        const char *text = arena_printf(c->arena, "%d", values[i]);

        add_choice(c, list, text, text, values[i] == shown);
    }
}

static void picture_page_add_settings(struct ctx *c, struct page_call *p)
{
    static const int DEPTHS[] = {1, 2, 3, 4}, CAPS[] = {30, 60, 100, 150};
    struct json *kinds = put_list(c, p->model, "kinds"), *relations = put_list(c, p->model, "relations");
    const char *kind = page_query(p, "kind"), *relation = page_query(p, "relation");
    const struct relation *r;
    const struct node_kind *k;

    add_choice(c, kinds, "", "any", !kind);
    for (size_t i = 0; (k = node_kind_at(i)); i++)
        add_choice(c, kinds, k->name, k->name, str_eq(k->name, kind));
    add_choice(c, relations, "", "any", !relation);
    for (size_t i = 0; (r = relation_at(i)); i++)
        if (!(r->flags & REL_VIRTUAL))
            add_choice(c, relations, r->name, r->name, str_eq(r->name, relation));
    add_numbers(c, p->model, "depths", DEPTHS, sizeof DEPTHS / sizeof *DEPTHS, picture_page_number(p, "depth", DEPTH, AROUND_DEPTH));
    add_numbers(c, p->model, "caps", CAPS, sizeof CAPS / sizeof *CAPS, picture_page_number(p, "max", NODES, AROUND_NODES));
}

/* As a person reads it and read_node() understands it: the name, and the id that says which of those named so. */
static const char *known_as(struct ctx *c, const char *title, const char *kind, struct uuid id)
{
    return arena_printf(c->arena, "%s · %s", picture_page_name_of(c, title, kind), UUID_STR(id));
}

/* This page with another node in the place of that name, and the same settings. */
static const char *with_node(struct ctx *c, const struct page_call *p, const char *name, struct uuid id)
{
    static const char *const KEPT[] = {"depth", "max", "kind", "relation"};
    struct json *query = json_obj(c->arena);

    if (!str_eq(name, "node"))
        json_set_str(c->arena, query, "node", page_query(p, "node"));
    put_id(c, query, name, id);
    for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++)
        if (page_query(p, KEPT[i]))
            json_set_str(c->arena, query, KEPT[i], page_query(p, KEPT[i]));
    return model_href(c->arena, "/admin/graph", query);
}

static const char *centred(struct ctx *c, const struct page_call *p, struct uuid id)
{
    return with_node(c, p, "node", id);
}

/* ---- what was found */

static const struct around_node *node_at(const struct around *a, struct uuid id)
{
    for (size_t i = 0; i < a->n; i++)
        if (uuid_eq(a->nodes[i].id, id))
            return &a->nodes[i];
    return NULL;
}

static void picture_page_add_nodes(struct ctx *c, const struct page_call *p, struct json *m, const struct around *a)
{
    struct json *list = put_list(c, m, "nodes");

    for (size_t i = 0; i < a->n; i++) {
        const struct around_node *n = &a->nodes[i];
        struct json *row = add_row(c, list);

        put_id(c, row, "id", n->id);
        json_set_str(c->arena, row, "name", picture_page_name_of(c, n->title, n->kind));
        json_set_str(c->arena, row, "kind", n->kind);
        json_set_str(c->arena, row, "depth", arena_printf(c->arena, "%d", n->depth));
        json_set_bool(c->arena, row, "is_middle", i == 0);
        json_set_str(c->arena, row, "centred", centred(c, p, n->id));
        json_set_str(c->arena, row, "known_as", known_as(c, n->title, n->kind, n->id));
    }
}

static void picture_page_add_edges(struct ctx *c, struct json *m, const struct around *a)
{
    struct json *list = put_list(c, m, "edges");

    for (size_t i = 0; i < a->n_edges; i++) {
        const struct around_edge *e = &a->edges[i];
        const struct around_node *from = node_at(a, e->source), *to = node_at(a, e->target);
        struct json *row;

        if (!from || !to)
            continue;
        row = add_row(c, list);
        put_id(c, row, "source", e->source);
        put_id(c, row, "target", e->target);
        json_set_str(c->arena, row, "from", picture_page_name_of(c, from->title, from->kind));
        json_set_str(c->arena, row, "to", picture_page_name_of(c, to->title, to->kind));
        json_set_str(c->arena, row, "relation", e->relation);
        json_set_str(c->arena, row, "weight", arena_printf(c->arena, "%.2f", e->weight));
        json_set_bool(c->arena, row, "is_both", e->bidirectional);
    }
}

static void add_picture(struct ctx *c, struct page_call *p, const struct around *a)
{
    struct json *m = json_set(c->arena, p->model, "picture", json_obj(c->arena));

    picture_page_add_nodes(c, p, m, a);
    picture_page_add_edges(c, m, a);
    put_id(c, m, "id", a->nodes[0].id);
    json_set_str(c->arena, m, "name", picture_page_name_of(c, a->nodes[0].title, a->nodes[0].kind));
    json_set_str(c->arena, m, "n", model_count(c->arena, (int64_t)a->n));
    json_set_str(c->arena, m, "known", arena_printf(c->arena, "%s%s", a->has_more ? "at least " : "",
                                                    model_count(c->arena, (int64_t)a->known)));
    json_set_str(c->arena, m, "reach", arena_printf(c->arena, "%lld", (long long)picture_page_number(p, "depth", DEPTH, AROUND_DEPTH)));
    json_set_bool(c->arena, m, "is_cut", a->has_more || a->n < a->known);
    json_set_bool(c->arena, m, "is_alone", a->n == 1);
}

/* ---- the way to another node */

/* The strongest edge between two neighbours of the way. */
static const char *joined_by(struct ctx *c, const struct around *a, struct uuid from, struct uuid to)
{
    for (size_t i = 0; i < a->n_edges; i++) {
        const struct around_edge *e = &a->edges[i];
        bool forth = uuid_eq(e->source, from) && uuid_eq(e->target, to);

        if (forth || (uuid_eq(e->source, to) && uuid_eq(e->target, from)))
            return arena_printf(c->arena, "%s %s", e->bidirectional ? "↔" : forth ? "→" : "←", e->relation);
    }
    return NULL;
}

static err picture_page_add_way(struct ctx *c, struct page_call *p, struct uuid from, struct uuid to)
{
    struct json *m = json_set(c->arena, p->model, "way", json_obj(c->arena)), *steps = put_list(c, m, "steps");
    struct around a;

    TRY(around_way(c, from, to, page_query(p, "relation"), &a));
    json_set_bool(c->arena, m, "gave_up", a.has_more);
    json_set_str(c->arena, m, "n", a.n ? arena_printf(c->arena, "%zu", a.n - 1) : NULL);
    for (size_t i = 0; i < a.n; i++) {
        struct json *row = add_row(c, steps);

        put_id(c, row, "id", a.nodes[i].id);
        json_set_str(c->arena, row, "name", picture_page_name_of(c, a.nodes[i].title, a.nodes[i].kind));
        json_set_str(c->arena, row, "kind", a.nodes[i].kind);
        json_set_str(c->arena, row, "by", i ? joined_by(c, &a, a.nodes[i - 1].id, a.nodes[i].id) : NULL);
    }
    return ERR_OK;
}

/* ---- where to begin */

/* Nodes whose title has what was typed, or the newest, to be put in the place of a name of the query. */
static err add_candidates(struct ctx *c, struct page_call *p, const char *list_name, const char *name, const char *q)
{
    struct json *list = put_list(c, p->model, list_name);
    const struct node *n;
    struct page page;

    TRY(node_list(c, &(struct node_filter){.q = q, .kind = str_eq(name, "node") ? page_query(p, "kind") : NULL, .limit = CANDIDATES},
                  &page));
    n = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", picture_page_name_of(c, n[i].title, n[i].kind));
        json_set_str(c->arena, row, "kind", n[i].kind);
        json_set_str(c->arena, row, "text", n[i].excerpt);
        json_set_str(c->arena, row, "centred", with_node(c, p, name, n[i].id));
        json_set_str(c->arena, row, "known_as", known_as(c, n[i].title, n[i].kind, n[i].id));
    }
    return ERR_OK;
}

/* An id, alone or after a name. */
static bool picture_page_read_id(const char *text, struct uuid *id)
{
    size_t n = text ? strlen(text) : 0;

    return n >= UUID_TEXT - 1 && uuid_parse(text + n - (UUID_TEXT - 1), id);
}

/* The place of the only node that is called just so, of those whose title has it; n: none, or several. */
static size_t only_one(const struct node *nodes, size_t n, const char *title)
{
    size_t found = n;

    if (n == 1)
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (!str_eq(nodes[i].title, title))
            continue;
        if (found != n)
            return n;
        found = i;
    }
    return found;
}

/* What was typed as an id, or as a title that only one node has. */
static err picture_page_read_node(struct ctx *c, const char *text, struct uuid *id, bool *found)
{
    const struct node *n;
    struct page page;
    size_t i;

    *found = picture_page_read_id(text, id);
    if (!text || *found)
        return ERR_OK;
    TRY(node_list(c, &(struct node_filter){.q = text, .limit = LIMIT_PAGE}, &page));
    n = page.items;
    i = only_one(n, page.n, text);
    *found = i < page.n;
    if (*found)
        *id = n[i].id;
    return ERR_OK;
}

/* What was typed, as it shall stand there again: a node that was named by its id gets its name before it. */
static err put_typed(struct ctx *c, struct page_call *p, const char *name, const char *typed, struct uuid id)
{
    struct node_brief b = {0};
    struct uuid same;

    if (!uuid_is_nil(id) && picture_page_read_id(typed, &same))
        TRY(node_briefs(c, &id, 1, &b));
    json_set_str(c->arena, p->model, name, uuid_is_nil(b.id) ? typed : known_as(c, b.title, b.kind, id));
    return ERR_OK;
}

/* The other end was typed, and is none or several. */
static err picture_page_add_ends(struct ctx *c, struct page_call *p, bool has_end)
{
    json_set_bool(c->arena, p->model, "no_end", page_query(p, "to") && !has_end);
    return page_query(p, "to") && !has_end ? add_candidates(c, p, "ends", "to", page_query(p, "to")) : ERR_OK;
}

static err graph_page(struct ctx *c, struct page_call *p)
{
    struct around_wish w = {.depth = (int)picture_page_number(p, "depth", DEPTH, AROUND_DEPTH), .relation = page_query(p, "relation"),
                            .kind = page_query(p, "kind"), .max = (size_t)picture_page_number(p, "max", NODES, AROUND_NODES)};
    bool has_middle, has_end;
    struct uuid end = {0};
    struct around a;

    picture_page_add_settings(c, p);
    TRY(picture_page_read_node(c, page_query(p, "node"), &w.id, &has_middle));
    TRY(picture_page_read_node(c, page_query(p, "to"), &end, &has_end));
    TRY(put_typed(c, p, "node_text", page_query(p, "node"), w.id));
    TRY(put_typed(c, p, "to_text", page_query(p, "to"), end));
    if (!has_middle) {
        json_set_bool(c->arena, p->model, "is_asked", page_query(p, "node") != NULL);
        TRY(add_candidates(c, p, "candidates", "node", page_query(p, "node")));
        return page_show(p, "graph");
    }
    TRY(around_find(c, &w, &a));
    add_picture(c, p, &a);
    if (has_end)
        TRY(picture_page_add_way(c, p, w.id, end));
    TRY(picture_page_add_ends(c, p, has_end));
    return page_show(p, "graph");
}

const struct page_row picture_pages[] = {
    {.method = "GET", .path = "/admin/graph", .name = "page.graph", .perm = PERM_GRAPH_READ, .run = graph_page,
     .nav = {.label = "Graph", .icon = "graph", .key = "g"}},
    {0},
};
