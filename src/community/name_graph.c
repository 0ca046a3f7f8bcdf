/* The graph of names in memory; see name_graph.h. */
#include "name_graph.h"

#include <stdlib.h>
#include <string.h>

#include "name_graph_store.h"

struct name_pair {
    uint32_t a, b, shared;
    float weight;
};

struct name_pairs {
    struct name_pair *v;
    size_t n, cap;
};

static int name_uuid_order(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

size_t name_graph_find(const struct name_graph *g, struct uuid id)
{
    const struct uuid *at = bsearch(&id, g->ids, g->n, sizeof id, name_uuid_order);

    return at ? (size_t)(at - g->ids) : SIZE_MAX;
}

static void name_graph_nodes(struct ctx *c, const struct name_use *uses, size_t n, const struct name_tie *ties, size_t n_ties,
                             struct name_graph *g)
{
    size_t all = n + 2 * n_ties;

    g->ids = ARENA_ARRAY(c->arena, struct uuid, all + 1);
    for (size_t i = 0; i < n; i++)
        g->ids[i] = uses[i].entity_id;
    for (size_t i = 0; i < n_ties; i++) {
        g->ids[n + 2 * i] = ties[i].source_id;
        g->ids[n + 2 * i + 1] = ties[i].target_id;
    }
    qsort(g->ids, all, sizeof *g->ids, name_uuid_order);
    for (size_t i = 0; i < all; i++)
        if (!g->n || !uuid_eq(g->ids[g->n - 1], g->ids[i]))
            g->ids[g->n++] = g->ids[i];
}

static void name_pairs_add(struct ctx *c, struct name_pairs *p, struct name_pair x)
{
    if (p->n == p->cap) {
        struct name_pair *more = ARENA_ARRAY(c->arena, struct name_pair, p->cap = p->cap ? 2 * p->cap : 4096);

        if (p->n)
            memcpy(more, p->v, p->n * sizeof *more);
        p->v = more;
    }
    if (x.a > x.b)
        x = (struct name_pair){x.b, x.a, x.shared, x.weight};
    p->v[p->n++] = x;
}

/* One chunk: uses[0..n). */
static void name_pairs_of_chunk(struct ctx *c, const struct name_graph *g, const struct name_use *uses, size_t n, struct name_pairs *p)
{
    uint32_t at[NAME_GRAPH_CROWD];

    if (n < 2 || n > NAME_GRAPH_CROWD)
        return;
    for (size_t i = 0; i < n; i++)
        at[i] = (uint32_t)name_graph_find(g, uses[i].entity_id);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            name_pairs_add(c, p, (struct name_pair){at[i], at[k], 1, 1.0f / (float)(n - 1)});
}

static int name_pair_order(const void *a, const void *b)
{
    const struct name_pair *x = a, *y = b;

    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static void name_pairs_sum(struct name_pairs *p)
{
    size_t n = 0;

    if (p->n)
        qsort(p->v, p->n, sizeof *p->v, name_pair_order);
    for (size_t i = 0; i < p->n; i++) {
        if (n && !name_pair_order(&p->v[n - 1], &p->v[i])) {
            p->v[n - 1].shared += p->v[i].shared;
            p->v[n - 1].weight += p->v[i].weight;
        } else {
            p->v[n++] = p->v[i];
        }
    }
    p->n = n;
}

static void name_graph_links(struct ctx *c, struct name_graph *g, const struct name_pairs *p)
{
    size_t *at;

    g->first = ARENA_ARRAY(c->arena, size_t, g->n + 2);
    g->links = ARENA_ARRAY(c->arena, struct name_link, 2 * p->n + 1);
    for (size_t i = 0; i < p->n; i++) {
        g->first[p->v[i].a + 1]++;
        g->first[p->v[i].b + 1]++;
        g->n_pairs += p->v[i].shared != 1;
    }
    for (size_t i = 0; i < g->n; i++)
        g->first[i + 1] += g->first[i];
    at = arena_memdup(c->arena, g->first, (g->n + 1) * sizeof *at);
    for (size_t i = 0; i < p->n; i++) { /* pairs ascend, so that the links of each node do */
        const struct name_pair *x = &p->v[i];

        g->links[at[x->b]++] = (struct name_link){x->a, x->shared, x->weight};
    }
    for (size_t i = 0; i < p->n; i++) {
        const struct name_pair *x = &p->v[i];

        g->links[at[x->a]++] = (struct name_link){x->b, x->shared, x->weight};
    }
}

void name_graph_make(struct ctx *c, const struct name_use *uses, size_t n, const struct name_tie *ties, size_t n_ties,
                     struct name_graph *out)
{
    struct name_pairs p = {0};

    *out = (struct name_graph){0};
    name_graph_nodes(c, uses, n, ties, n_ties, out);
    for (size_t i = 0, k; i < n; i += k) {
        for (k = 1; i + k < n && uuid_eq(uses[i + k].chunk_id, uses[i].chunk_id); k++)
            ;
        if (p.n > NAME_GRAPH_PAIRS) {
            out->is_cut = true;
            break;
        }
        name_pairs_of_chunk(c, out, uses + i, k, &p);
    }
    for (size_t i = 0; i < n_ties; i++)
        name_pairs_add(c, &p, (struct name_pair){(uint32_t)name_graph_find(out, ties[i].source_id),
                                                 (uint32_t)name_graph_find(out, ties[i].target_id), 0, (float)ties[i].weight});
    name_pairs_sum(&p);
    name_graph_links(c, out, &p);
}

err name_graph_load(struct ctx *c, const struct uuid *spaces, size_t n, struct name_graph *out)
{
    struct list uses, ties;

    TRY(name_graph_store_uses(c, spaces, n, NAME_GRAPH_MENTIONS, &uses));
    TRY(name_graph_store_ties(c, spaces, n, NAME_GRAPH_MENTIONS, &ties));
    name_graph_make(c, uses.v, uses.n, ties.v, ties.n, out);
    out->is_cut |= uses.n == NAME_GRAPH_MENTIONS;
    return ctx_check_size(c);
}
