/* Walks over the graph; see graph_walk.h. */
#include "graph_walk.h"

#include <math.h>
#include <string.h>

#include "clock.h"
#include "graph_walk_store.h"
#include "node.h"

ENUMX_DEFINE(walk_source, WALK_SOURCE);
ENUMX_DEFINE(path_reason, PATH_REASON);

/* ---- what was met */

static uint32_t *walk_slot(const struct graph_walk *w, struct uuid id)
{
    size_t i = (size_t)hash_bytes(&id, sizeof id, 0) & (w->slots - 1);

    while (w->places[i] && !uuid_eq(w->nodes[w->places[i] - 1].id, id))
        i = (i + 1) & (w->slots - 1);
    return &w->places[i];
}

size_t graph_walk_find(const struct graph_walk *w, struct uuid id)
{
    uint32_t place = *walk_slot(w, id);

    return place ? place - 1 : SIZE_MAX;
}

static void walk_add(struct graph_walk *w, struct walk_node n)
{
    n.untrusted = true;
    w->nodes[w->n] = n;
    *walk_slot(w, n.id) = (uint32_t)++w->n;
}

static size_t walk_add_edge(struct ctx *c, struct graph_walk *w, const struct walk_edge *e)
{
    if (w->n_edges == w->cap_edges) {
        struct walk_edge *more = ARENA_ARRAY(c->arena, struct walk_edge, w->cap_edges = w->cap_edges ? 2 * w->cap_edges : 256);

        if (w->n_edges)
            memcpy(more, w->edges, w->n_edges * sizeof *more);
        w->edges = more;
    }
    w->edges[w->n_edges] = *e;
    return w->n_edges++;
}

err graph_walk_begin(struct ctx *c, const struct uuid *ids, size_t n, struct graph_walk *w)
{
    struct node_brief *briefs = ARENA_ARRAY(c->arena, struct node_brief, n + 1);

    *w = (struct graph_walk){.cap = WALK_NODES + n, .slots = 65536, .until_us = clock_monotonic_us() + WALK_US};
    w->nodes = ARENA_ARRAY(c->arena, struct walk_node, w->cap + 1);
    w->places = ARENA_ARRAY(c->arena, uint32_t, w->slots);
    TRY(node_briefs(c, ids, n, briefs));
    for (size_t i = 0; i < n; i++) {
        if (uuid_is_nil(briefs[i].id) || str_eq(briefs[i].status, NODE_VERSION))
            return fail(c, ERR_NOT_FOUND, "no node %s", UUID_STR(ids[i]));
        if (graph_walk_find(w, ids[i]) == SIZE_MAX)
            walk_add(w, (struct walk_node){.id = ids[i], .space_id = briefs[i].space_id, .kind = briefs[i].kind, .title = briefs[i].title,
                                           .from = w->n, .edge = SIZE_MAX});
    }
    return ERR_OK;
}

/* ---- steps */

/* Of a node that many edges meet, the strongest are followed. */
static bool walk_is_followed(uint32_t *degrees, size_t node)
{
    return ++degrees[node] <= WALK_DEGREE;
}

static void walk_take(struct ctx *c, struct graph_walk *w, const struct list *rows, size_t limit, bool is_seen_twice,
                      uint32_t *degrees)
{
    const struct walk_row *v = rows->v;

    for (size_t i = 0; i < rows->n; i++) {
        size_t near = graph_walk_find(w, v[i].near), far = graph_walk_find(w, v[i].far), edge;

        if (near == SIZE_MAX)
            continue;
        if (!walk_is_followed(degrees, near) || (far == SIZE_MAX && (w->n >= limit || w->n >= w->cap))) {
            w->truncated = true;
            continue;
        }
        if (far != SIZE_MAX && far < w->first)
            continue; /* the way it was come by */
        if (is_seen_twice && far != SIZE_MAX && far < near)
            continue; /* both ends lie on this level: once */
        edge = walk_add_edge(c, w, &v[i].edge);
        if (far == SIZE_MAX)
            walk_add(w, (struct walk_node){v[i].far, v[i].far_space, v[i].far_kind, v[i].far_title, w->nodes[near].distance + 1, near, edge,
                                           true, v[i].near});
    }
}

err graph_walk_step(struct ctx *c, struct graph_walk *w, const struct walk_wish *wish, bool *more)
{
    size_t first = w->first, last = w->n, n = last - first;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    uint32_t *degrees = ARENA_ARRAY(c->arena, uint32_t, last + 1);
    size_t limit = wish->limit ? wish->limit : WALK_NODES;
    struct list rows;

    for (size_t i = 0; i < n; i++)
        ids[i] = w->nodes[first + i].id;
    for (int outward = 1; n && outward >= 0; outward--) {
        TRY(graph_walk_store_edges(c, ids, n, wish, outward, WALK_NODES, &rows));
        w->truncated |= rows.n == WALK_NODES;
        walk_take(c, w, &rows, limit, wish->direction == EDGE_EITHER, degrees);
        if ((outward && wish->direction == EDGE_INWARD) || (!outward && wish->direction == EDGE_OUTWARD))
            continue;
        TRY(graph_walk_store_facts(c, ids, n, wish, outward, WALK_DEGREE, &rows)); /* memory is taken for all of them */
        w->truncated |= rows.n == WALK_DEGREE;
        walk_take(c, w, &rows, limit, wish->direction == EDGE_EITHER, degrees);
    }
    if (n && wish->co_mentioned && !wish->as_of.us && !wish->relation_types.n) {
        TRY(graph_walk_store_co_mentioned(c, ids, n, wish, WALK_NODES, &rows));
        walk_take(c, w, &rows, limit, true, degrees);
        TRY(graph_walk_store_same_names(c, ids, n, WALK_DEGREE, &rows));
        walk_take(c, w, &rows, limit, true, degrees);
    }
    if (n && wish->mentions && !wish->as_of.us && !wish->relation_types.n) {
        TRY(graph_walk_store_chunks(c, ids, n, WALK_DEGREE, &rows));
        walk_take(c, w, &rows, limit, true, degrees);
    }
    w->first = last;
    *more = w->n > last;
    if (*more && (w->n >= limit || clock_monotonic_us() > w->until_us)) {
        w->truncated = true;
        *more = false;
    }
    return ctx_check_size(c);
}

err graph_walk_all(struct ctx *c, struct graph_walk *w, const struct walk_wish *wish)
{
    bool more = true;

    for (int64_t i = 0; i < wish->depth && more; i++)
        TRY(graph_walk_step(c, w, wish, &more));
    return ERR_OK;
}

/* ---- paths */

static double walk_length(const struct walk_edge *e)
{
    double p = e->weight * e->confidence;

    return p > 1e-9 ? -log(p < 1 ? p : 1) : 20;
}

/* From a node back to where its walk began. */
static size_t walk_trace(const struct graph_walk *w, size_t at, struct walk_node *nodes, struct walk_edge *edges)
{
    size_t n = 0;

    for (; w->nodes[at].edge != SIZE_MAX; at = w->nodes[at].from) {
        nodes[n] = w->nodes[at];
        edges[n++] = w->edges[w->nodes[at].edge];
    }
    nodes[n] = w->nodes[at];
    return n;
}

/* The walk from the beginning up to where both met, then that of the end backwards. */
static void path_join(struct ctx *c, const struct graph_walk *a, const struct graph_walk *b, struct uuid met, struct graph_path *out)
{
    size_t ia = graph_walk_find(a, met), ib = graph_walk_find(b, met);
    size_t na = (size_t)a->nodes[ia].distance, nb = (size_t)b->nodes[ib].distance;
    struct walk_node *nodes = ARENA_ARRAY(c->arena, struct walk_node, na + nb + 2), *turned = ARENA_ARRAY(c->arena, struct walk_node,
        na + 1);
    struct walk_edge *edges = ARENA_ARRAY(c->arena, struct walk_edge, na + nb + 1), *back = ARENA_ARRAY(c->arena, struct walk_edge, na + 1);

    walk_trace(a, ia, turned, back);
    for (size_t i = 0; i <= na; i++)
        nodes[i] = turned[na - i];
    for (size_t i = 0; i < na; i++)
        edges[i] = back[na - 1 - i];
    walk_trace(b, ib, nodes + na, edges + na);
    for (size_t i = 0; i <= na + nb; i++)
        nodes[i].distance = (int64_t)i;
    *out = (struct graph_path){PATH_FOUND, {nodes, na + nb + 1}, {edges, na + nb}};
}

/* The node of the last level of one that the other has met, nearest to both. */
static bool path_meet(const struct graph_walk *a, const struct graph_walk *b, struct uuid *met)
{
    int64_t best = INT64_MAX;

    for (size_t i = a->first; i < a->n; i++) {
        size_t k = graph_walk_find(b, a->nodes[i].id);

        if (k != SIZE_MAX && a->nodes[i].distance + b->nodes[k].distance < best) {
            best = a->nodes[i].distance + b->nodes[k].distance;
            *met = a->nodes[i].id;
        }
    }
    return best < INT64_MAX;
}

/* The edges of both walks as one list, over which the likeliest way is looked for: Bellman and Ford, as often as something gets nearer. */
static bool path_weigh(struct ctx *c, struct graph_walk *a, const struct graph_walk *b, struct uuid to, const struct walk_wish *wish)
{
    double *far = ARENA_ARRAY(c->arena, double, a->cap + 1);
    bool moved = true;

    for (size_t i = 0; i < b->n && a->n < a->cap; i++)
        if (graph_walk_find(a, b->nodes[i].id) == SIZE_MAX)
            walk_add(a, b->nodes[i]);
    for (size_t i = 0; i < b->n_edges; i++)
        walk_add_edge(c, a, &b->edges[i]);
    for (size_t i = 0; i < a->n; i++)
        far[i] = i ? INFINITY : 0;
    for (int64_t round = 0; moved && round < wish->depth; round++) {
        double *was = arena_memdup(c->arena, far, a->n * sizeof *far);

        moved = false;
        for (size_t i = 0; i < 2 * a->n_edges; i++) {
            const struct walk_edge *e = &a->edges[i / 2];
            bool forth = wish->direction == EDGE_INWARD ? i & 1 : !(i & 1), is_open = wish->direction == EDGE_EITHER || e->bidirectional;
            size_t x = graph_walk_find(a, i & 1 ? e->target_id : e->source_id), y = graph_walk_find(a, i & 1 ? e->source_id : e->target_id);

            if ((!forth && !is_open) || x == SIZE_MAX || y == SIZE_MAX || was[x] + walk_length(e) >= far[y] - 1e-12)
                continue;
            far[y] = was[x] + walk_length(e);
            a->nodes[y].from = x;
            a->nodes[y].edge = i / 2;
            a->nodes[y].distance = a->nodes[x].distance + 1;
            moved = true;
        }
    }
    a->nodes[0].edge = SIZE_MAX;
    return graph_walk_find(a, to) != SIZE_MAX && isfinite(far[graph_walk_find(a, to)]);
}

static void path_of_one(struct ctx *c, const struct graph_walk *a, struct uuid to, struct graph_path *out)
{
    struct walk_node *nodes, *turned = ARENA_ARRAY(c->arena, struct walk_node, a->n + 1);
    struct walk_edge *edges, *back = ARENA_ARRAY(c->arena, struct walk_edge, a->n + 1);
    size_t n = walk_trace(a, graph_walk_find(a, to), turned, back);

    nodes = ARENA_ARRAY(c->arena, struct walk_node, n + 1);
    edges = ARENA_ARRAY(c->arena, struct walk_edge, n + 1);
    for (size_t i = 0; i <= n; i++) {
        nodes[i] = turned[n - i];
        nodes[i].distance = (int64_t)i;
    }
    for (size_t i = 0; i < n; i++)
        edges[i] = back[n - 1 - i];
    *out = (struct graph_path){PATH_FOUND, {nodes, n + 1}, {edges, n}};
}

err graph_path_find(struct ctx *c, struct uuid from, struct uuid to, const struct walk_wish *wish, bool is_weighted,
                    struct graph_path *out)
{
    static const enum edge_direction AGAINST[] = {[EDGE_EITHER] = EDGE_EITHER, [EDGE_OUTWARD] = EDGE_INWARD, [EDGE_INWARD] = EDGE_OUTWARD};
    struct walk_wish back = *wish;
    struct graph_walk a, b;
    struct uuid met = from;
    bool more = true, found = uuid_eq(from, to);
    int64_t steps = 0;

    back.direction = AGAINST[wish->direction];
    *out = (struct graph_path){.reason = PATH_NONE};
    TRY(graph_walk_begin(c, &from, 1, &a));
    TRY(graph_walk_begin(c, &to, 1, &b));
    for (; steps < wish->depth && more && (!found || is_weighted); steps++) {
        bool from_a = a.n - a.first <= b.n - b.first;

        TRY(from_a ? graph_walk_step(c, &a, wish, &more) : graph_walk_step(c, &b, &back, &more));
        found |= !is_weighted && (from_a ? path_meet(&a, &b, &met) : path_meet(&b, &a, &met));
    }
    if (is_weighted && path_weigh(c, &a, &b, to, wish))
        path_of_one(c, &a, to, out);
    else if (found)
        path_join(c, &a, &b, met, out);
    else
        out->reason = a.truncated || b.truncated ? PATH_CAP : more && steps == wish->depth ? PATH_DEPTH : PATH_NONE;
    return ERR_OK;
}
