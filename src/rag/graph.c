/* Neighbours, paths, parts and figures of the knowledge graph; see graph.h. */
#include "graph.h"

#include <stdlib.h>

#include "access.h"
#include "community.h"
#include "graph_store.h"
#include "knowledge_base.h"
#include "name_graph.h"
#include "node.h"

#define TIES 200000 /* stored edges that figures are computed of */

err graph_neighbors(struct ctx *c, const struct graph_neighbors_in *in, struct graph_part *out)
{
    struct walk_wish wish = {.depth = in->depth, .direction = in->direction, .relation_types = in->relation_types, .kinds = in->kinds,
                             .min_weight = in->min_weight, .co_mentioned = in->co_mentioned, .mentions = in->mentions, .as_of = in->as_of,
                             .limit = (size_t)in->limit + 1, .entity_type = in->entity_type,
                             .node_type = in->node_type < 0 ? NULL : enumx_name(&graph_node_type_enumx, in->node_type)};
    struct graph_walk w;

    if (in->relation_type)
        wish.relation_types = (struct strs){arena_memdup(c->arena, &in->relation_type, sizeof in->relation_type), 1};
    TRY(graph_walk_begin(c, &in->id, 1, &w));
    wish.mentions |= str_eq(w.nodes[0].kind, "chunk") || str_eq(w.nodes[0].kind, "document");
    TRY(graph_walk_all(c, &w, &wish));
    *out = (struct graph_part){.nodes = {w.nodes + 1, w.n - 1}, .edges = {w.edges, w.n_edges}, .truncated = w.truncated};
    return ERR_OK;
}

err graph_path(struct ctx *c, const struct graph_path_in *in, struct graph_path_out *out)
{
    struct walk_wish wish = {.depth = in->max_depth, .direction = in->directed ? EDGE_OUTWARD : EDGE_EITHER, .mentions = in->mentions,
                             .relation_types = in->relation_types, .co_mentioned = in->co_mentioned, .limit = WALK_NODES};
    struct graph_path p;

    TRY(graph_path_find(c, in->source_id, in->target_id, &wish, in->weighted, &p));
    *out = (struct graph_path_out){.found = p.reason == PATH_FOUND, .length = (int64_t)p.edges.n, .reason = p.reason, .nodes = p.nodes,
                                   .edges = p.edges};
    return ERR_OK;
}

err graph_subgraph(struct ctx *c, const struct graph_subgraph_in *in, struct graph_part *out)
{
    struct walk_wish wish = {.depth = in->depth, .co_mentioned = true, .limit = GRAPH_SUBGRAPH_NODES};
    struct graph_walk w;
    struct uuid *ids;

    TRY(graph_walk_begin(c, in->node_ids.v, in->node_ids.n, &w));
    TRY(graph_walk_all(c, &w, &wish));
    *out = (struct graph_part){.nodes = {w.nodes, w.n}, .truncated = w.truncated};
    ids = ARENA_ARRAY(c->arena, struct uuid, w.n + 1);
    for (size_t i = 0; i < w.n; i++)
        ids[i] = w.nodes[i].id;
    if (in->depth) {
        out->edges = (struct list){w.edges, w.n_edges < GRAPH_SUBGRAPH_EDGES ? w.n_edges : GRAPH_SUBGRAPH_EDGES};
        out->truncated |= w.n_edges > GRAPH_SUBGRAPH_EDGES;
        return ERR_OK;
    }
    TRY(graph_store_among(c, ids, w.n, GRAPH_SUBGRAPH_EDGES, &out->edges));
    out->truncated |= out->edges.n == GRAPH_SUBGRAPH_EDGES;
    return ERR_OK;
}

/* ---- figures */

/* Which nodes hang together. */
struct graph_sets {
    uint32_t *parent;
    uint32_t *degree;
    size_t n;
};

static uint32_t graph_set_of(struct graph_sets *s, uint32_t i)
{
    while (s->parent[i] != i)
        i = s->parent[i] = s->parent[s->parent[i]];
    return i;
}

static void graph_sets_join(struct graph_sets *s, uint32_t a, uint32_t b)
{
    s->degree[a]++;
    s->degree[b]++;
    a = graph_set_of(s, a);
    b = graph_set_of(s, b);
    s->parent[a < b ? b : a] = a < b ? a : b;
}

static int graph_hub_order(const void *a, const void *b)
{
    const struct graph_hub *x = a, *y = b;

    return x->degree != y->degree ? (x->degree < y->degree) - (x->degree > y->degree) : uuid_cmp(x->id, y->id);
}

static int graph_id_order(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

/* The nodes that have an edge: names that share chunks, and the ends of stored edges. */
static struct uuid *graph_ids(struct ctx *c, const struct name_graph *g, const struct list *ties, size_t *n)
{
    const struct graph_tie *t = ties->v;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, g->n + 2 * ties->n + 1);
    size_t all = 0;

    for (size_t i = 0; i < g->n; i++)
        ids[all++] = g->ids[i];
    for (size_t i = 0; i < ties->n; i++) {
        ids[all++] = t[i].source_id;
        ids[all++] = t[i].target_id;
    }
    qsort(ids, all, sizeof *ids, graph_id_order);
    *n = 0;
    for (size_t i = 0; i < all; i++)
        if (!*n || !uuid_eq(ids[*n - 1], ids[i]))
            ids[(*n)++] = ids[i];
    return ids;
}

static uint32_t graph_place(const struct uuid *ids, size_t n, struct uuid id)
{
    return (uint32_t)((const struct uuid *)bsearch(&id, ids, n, sizeof id, graph_id_order) - ids);
}

static int64_t graph_sets_fill(struct graph_sets *s, const struct uuid *ids, const struct name_graph *g, const struct list *ties)
{
    const struct graph_tie *t = ties->v;
    int64_t shared = 0;

    for (uint32_t i = 0; i < s->n; i++)
        s->parent[i] = i;
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = g->first[i]; k < g->first[i + 1]; k++)
            if (g->links[k].to > i && g->links[k].shared >= 2) {
                graph_sets_join(s, graph_place(ids, s->n, g->ids[i]), graph_place(ids, s->n, g->ids[g->links[k].to]));
                shared++;
            }
    for (size_t i = 0; i < ties->n; i++)
        graph_sets_join(s, graph_place(ids, s->n, t[i].source_id), graph_place(ids, s->n, t[i].target_id));
    return shared;
}

static err graph_most_connected(struct ctx *c, const struct graph_sets *s, const struct uuid *all, struct graph_statistics *out)
{
    struct graph_hub *hubs = ARENA_ARRAY(c->arena, struct graph_hub, s->n + 1);
    struct uuid ids[GRAPH_TOP];
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        if (s->degree[i])
            hubs[n++] = (struct graph_hub){.id = all[i], .degree = s->degree[i]};
    if (n)
        qsort(hubs, n, sizeof *hubs, graph_hub_order);
    n = n < GRAPH_TOP ? n : GRAPH_TOP;
    for (size_t i = 0; i < n; i++)
        ids[i] = hubs[i].id;
    out->most_connected = (struct list){hubs, n};
    return n ? graph_store_titles(c, ids, n, hubs) : ERR_OK;
}

static err graph_count_all(struct ctx *c, struct uuids spaces, struct graph_statistics *out)
{
    const struct graph_count *kinds;

    TRY(graph_store_counts(c, spaces, false, &out->kinds));
    TRY(graph_store_counts(c, spaces, true, &out->entity_types));
    TRY(graph_store_relations(c, spaces, &out->relations));
    TRY(community_count(c, spaces, &out->communities));
    kinds = out->kinds.v;
    for (size_t i = 0; i < out->kinds.n; i++)
        out->nodes += kinds[i].n;
    return ERR_OK;
}

static void graph_add_shared(struct ctx *c, struct graph_statistics *out, int64_t shared)
{
    struct graph_count *v = ARENA_ARRAY(c->arena, struct graph_count, out->relations.n + 1);
    const struct graph_count *was = out->relations.v;

    for (size_t i = 0; i < out->relations.n; i++) {
        v[i] = was[i];
        out->edges += was[i].n;
    }
    out->edges += shared;
    if (shared)
        v[out->relations.n++] = (struct graph_count){"co_mentioned", shared};
    out->relations.v = v;
}

err graph_statistics(struct ctx *c, struct uuid knowledge_base_id, struct graph_statistics *out)
{
    struct uuids spaces;
    struct name_graph g;
    struct graph_sets s;
    struct list ties;
    struct uuid *ids;

    *out = (struct graph_statistics){0};
    TRY(knowledge_base_readable_spaces(c, knowledge_base_id, &spaces));
    TRY(graph_count_all(c, spaces, out));
    TRY(name_graph_load(c, spaces.v, spaces.n, &g));
    TRY(graph_store_ties(c, spaces, TIES, &ties));
    ids = graph_ids(c, &g, &ties, &s.n);
    s.parent = ARENA_ARRAY(c->arena, uint32_t, s.n + 1);
    s.degree = ARENA_ARRAY(c->arena, uint32_t, s.n + 1);
    graph_add_shared(c, out, graph_sets_fill(&s, ids, &g, &ties));
    for (uint32_t i = 0; i < s.n; i++)
        out->components += s.degree[i] && graph_set_of(&s, i) == i;
    out->isolated = out->nodes;
    for (uint32_t i = 0; i < s.n; i++)
        out->isolated -= s.degree[i] != 0;
    out->components += out->isolated;
    out->avg_degree = out->nodes ? 2.0 * (double)out->edges / (double)out->nodes : 0;
    out->density = out->nodes > 1 ? (double)out->edges / ((double)out->nodes * (double)(out->nodes - 1)) : 0;
    out->truncated = g.is_cut || ties.n == TIES;
    return graph_most_connected(c, &s, ids, out);
}
