/* Reading the net of skills; see skill_net.h. */
#include "skill_net.h"

#include <stdlib.h>

#include "skill_net_store.h"
#include "skill_score.h"

static int skill_net_order(const void *key, const void *row)
{
    return uuid_cmp(*(const struct uuid *)key, ((const struct skill_net_node *)row)->id);
}

size_t skill_net_place(const struct skill_net *net, struct uuid id)
{
    const struct skill_net_node *k = net->n ? bsearch(&id, net->nodes, net->n, sizeof *net->nodes, skill_net_order) : NULL;

    return k ? (size_t)(k - net->nodes) : SIZE_MAX;
}

bool skill_net_needs(const struct skill_net_edge *e)
{
    return str_eq(e->relation, "requires") || str_eq(e->relation, "DEPENDS_ON") || str_eq(e->relation, "composes");
}

err skill_net_read(struct ctx *c, bool archived, struct skill_net *out)
{
    const struct skill_net_row *rows;
    struct list nodes, edges;

    *out = (struct skill_net){0};
    TRY(skill_net_store_nodes(c, skill_spaces(c), archived, &nodes));
    TRY(skill_net_store_edges(c, &edges));
    out->nodes = nodes.v;
    out->n = nodes.n;
    for (size_t i = 0; i < out->n; i++) {
        struct skill_net_node *k = &out->nodes[i];
        int64_t since = k->used_at.us > k->created_at.us ? k->used_at.us : k->created_at.us;

        k->effectiveness_now = skill_effectiveness_now(k->effectiveness, k->is_pinned ? c->now.us : since, c->now.us);
    }
    rows = edges.v;
    out->edges = ARENA_ARRAY(c->arena, struct skill_net_edge, edges.n + 1);
    for (size_t i = 0; i < edges.n; i++) { /* only those with both ends in sight */
        size_t source = skill_net_place(out, rows[i].source_id), target = skill_net_place(out, rows[i].target_id);

        if (source != SIZE_MAX && target != SIZE_MAX)
            out->edges[out->n_edges++] = (struct skill_net_edge){rows[i].id, source, target, rows[i].relation, rows[i].weight,
                                                                 rows[i].confidence};
    }
    return ERR_OK;
}
