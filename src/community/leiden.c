/* Leiden's method; see leiden.h. Nodes move to the community where modularity gains most, ties to the lower one; what moved together
 * is refined, then stands for one node of a smaller graph. */
#include "leiden.h"

#include <string.h>

#define LEVELS 20
#define GAIN_LEAST 1e-9

struct leiden_graph {
    size_t n;
    const size_t *first;
    const struct name_link *links;
    double *strength; /* of each node, with what is inside it twice */
    double total;     /* of all strengths */
};

struct leiden_run {
    const struct leiden_graph *g;
    double resolution;
    uint32_t *of;           /* community of each node */
    double *sum;            /* strength of each community */
    uint32_t *size;         /* nodes in it */
    double *weight;         /* from the node looked at; zero between looks */
    uint32_t *near;         /* communities that it has links to */
    const uint32_t *within; /* refining: both must be of the same; NULL: free */
};

static struct leiden_graph leiden_graph_of(struct arena *a, const struct name_graph *g, const double *inside)
{
    struct leiden_graph out = {.n = g->n, .first = g->first, .links = g->links, .strength = ARENA_ARRAY(a, double, g->n + 1)};

    for (size_t i = 0; i < g->n; i++) {
        out.strength[i] = inside ? 2 * inside[i] : 0;
        for (size_t k = g->first[i]; k < g->first[i + 1]; k++)
            out.strength[i] += g->links[k].weight;
        out.total += out.strength[i];
    }
    return out;
}

static struct leiden_run leiden_begin(struct arena *a, const struct leiden_graph *g, double resolution, const uint32_t *start)
{
    struct leiden_run r = {.g = g, .resolution = resolution, .of = ARENA_ARRAY(a, uint32_t, g->n + 1), .sum = ARENA_ARRAY(a, double,
        g->n + 1),
                           .size = ARENA_ARRAY(a, uint32_t, g->n + 1), .weight = ARENA_ARRAY(a, double, g->n + 1),
                           .near = ARENA_ARRAY(a, uint32_t, g->n + 1)};

    for (uint32_t i = 0; i < g->n; i++) {
        r.of[i] = start && start[i] != UINT32_MAX ? start[i] : i;
        r.sum[r.of[i]] += g->strength[i];
        r.size[r.of[i]]++;
    }
    return r;
}

/* The links of a node by community. */
static size_t leiden_look(struct leiden_run *r, uint32_t node)
{
    size_t n = 0;

    for (size_t k = r->g->first[node]; k < r->g->first[node + 1]; k++) {
        const struct name_link *l = &r->g->links[k];
        uint32_t to = r->of[l->to];

        if (l->to == node || (r->within && r->within[l->to] != r->within[node]))
            continue;
        if (r->weight[to] == 0)
            r->near[n++] = to;
        r->weight[to] += l->weight;
    }
    return n;
}

/* Moves a node to where it gains most; true: it moved. */
static bool leiden_move(struct leiden_run *r, uint32_t node)
{
    uint32_t own = r->of[node], best = own;
    double part = r->g->total > 0 ? r->resolution * r->g->strength[node] / r->g->total : 0, gain, most;
    size_t n = leiden_look(r, node);

    r->sum[own] -= r->g->strength[node];
    most = r->weight[own] - part * r->sum[own];
    for (size_t i = 0; i < n; i++) {
        gain = r->weight[r->near[i]] - part * r->sum[r->near[i]];
        if (gain > most + GAIN_LEAST || (gain > most - GAIN_LEAST && best != own && r->near[i] < best)) {
            most = gain;
            best = r->near[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        r->weight[r->near[i]] = 0;
    r->sum[best] += r->g->strength[node];
    r->size[own]--;
    r->size[best]++;
    r->of[node] = best;
    return best != own;
}

/* Nodes wait in a ring; whose neighbour left waits again. */
static void leiden_settle(struct arena *a, struct leiden_run *r, const bool *is_touched)
{
    size_t n = r->g->n, head = 0, waiting = 0;
    uint32_t *ring = ARENA_ARRAY(a, uint32_t, n + 1);
    bool *waits = ARENA_ARRAY(a, bool, n + 1);

    for (uint32_t i = 0; i < n; i++)
        if (!is_touched || is_touched[i]) {
            ring[waiting++] = i;
            waits[i] = true;
        }
    while (waiting) {
        uint32_t node = ring[head];

        head = (head + 1) % n;
        waiting--;
        waits[node] = false;
        if (!leiden_move(r, node))
            continue;
        for (size_t k = r->g->first[node]; k < r->g->first[node + 1]; k++) {
            uint32_t to = r->g->links[k].to;

            if (waits[to] || r->of[to] == r->of[node])
                continue;
            ring[(head + waiting++) % n] = to;
            waits[to] = true;
        }
    }
}

/* Within each community, nodes that are still alone join what they hang on: so each part hangs together. */
static uint32_t *leiden_refine(struct arena *a, const struct leiden_run *coarse)
{
    struct leiden_run r = leiden_begin(a, coarse->g, coarse->resolution, NULL);

    r.within = coarse->of;
    for (uint32_t i = 0; i < r.g->n; i++)
        if (r.size[r.of[i]] == 1)
            leiden_move(&r, i);
    return r.of;
}

/* ---- smaller graphs */

/* Names communities 0, 1, 2 … in the order of their lowest node. */
static size_t leiden_number(struct arena *a, uint32_t *of, size_t n)
{
    uint32_t *name = ARENA_ARRAY(a, uint32_t, n + 1);
    size_t next = 0;

    for (size_t i = 0; i < n; i++) {
        if (!name[of[i]])
            name[of[i]] = (uint32_t)++next;
        of[i] = name[of[i]] - 1;
    }
    return next;
}

/* The nodes by community: those of x are order[end[x - 1]] to order[end[x] − 1]. */
static uint32_t *leiden_order(struct arena *a, const uint32_t *of, size_t n_nodes, size_t n, size_t **end)
{
    uint32_t *order = ARENA_ARRAY(a, uint32_t, n_nodes + 1);
    size_t *at = ARENA_ARRAY(a, size_t, n + 2);

    for (size_t i = 0; i < n_nodes; i++)
        at[of[i] + 1]++;
    for (size_t i = 0; i < n; i++)
        at[i + 1] += at[i];
    for (size_t i = 0; i < n_nodes; i++)
        order[at[of[i]]++] = (uint32_t)i;
    *end = at;
    return order;
}

struct leiden_sum {
    const struct name_graph *g;
    const uint32_t *of;
    double *weight; /* to each community; zero between nodes */
    uint32_t *near;
    size_t met;
};

/* Adds the links of one node of community x; what stays inside is the answer. */
static double leiden_sum_node(struct leiden_sum *s, uint32_t node, size_t x)
{
    double inside = 0;

    for (size_t k = s->g->first[node]; k < s->g->first[node + 1]; k++) {
        uint32_t to = s->of[s->g->links[k].to];

        if (to == x) {
            inside += s->g->links[k].weight / 2;
            continue;
        }
        if (s->weight[to] == 0)
            s->near[s->met++] = to;
        s->weight[to] += s->g->links[k].weight;
    }
    return inside;
}

static struct name_graph leiden_shrink(struct arena *a, const struct name_graph *g, double **inside, const uint32_t *of, size_t n)
{
    struct name_graph out = {.n = n, .first = ARENA_ARRAY(a, size_t, n + 2), .links = ARENA_ARRAY(a, struct name_link, g->first[g->n] + 1)};
    struct leiden_sum s = {g, of, ARENA_ARRAY(a, double, n + 1), ARENA_ARRAY(a, uint32_t, n + 1), 0};
    double *more = ARENA_ARRAY(a, double, n + 1);
    size_t *end, used = 0;
    uint32_t *order = leiden_order(a, of, g->n, n, &end);

    for (size_t x = 0; x < n; x++) {
        s.met = 0;
        for (size_t m = x ? end[x - 1] : 0; m < end[x]; m++)
            more[x] += (*inside ? (*inside)[order[m]] : 0) + leiden_sum_node(&s, order[m], x);
        for (size_t i = 0; i < s.met; i++) {
            out.links[used++] = (struct name_link){s.near[i], 0, s.weight[s.near[i]]};
            s.weight[s.near[i]] = 0;
        }
        out.first[x + 1] = used;
    }
    *inside = more;
    return out;
}

/* What a community's nodes reach of each other; a part that is cut off becomes one of its own. */
static void leiden_split(struct arena *a, const struct name_graph *g, uint32_t *of)
{
    uint32_t *part = ARENA_ARRAY(a, uint32_t, g->n + 1), *stack = ARENA_ARRAY(a, uint32_t, g->n + 1);
    bool *seen = ARENA_ARRAY(a, bool, g->n + 1);

    for (uint32_t i = 0; i < g->n; i++) {
        size_t n = 0;

        if (seen[i])
            continue;
        stack[n++] = i;
        seen[i] = true;
        while (n) {
            uint32_t node = stack[--n];

            part[node] = i;
            for (size_t k = g->first[node]; k < g->first[node + 1]; k++) {
                uint32_t to = g->links[k].to;

                if (seen[to] || of[to] != of[i])
                    continue;
                seen[to] = true;
                stack[n++] = to;
            }
        }
    }
    memcpy(of, part, g->n * sizeof *of);
}

/* Each part begins in the community that it was refined in, which is called after the first of them. */
static uint32_t *leiden_parts_begin(struct arena *a, const uint32_t *parts, size_t n, const uint32_t *of, size_t n_nodes)
{
    uint32_t *begin = ARENA_ARRAY(a, uint32_t, n + 1), *named = ARENA_ARRAY(a, uint32_t, n_nodes + 1);

    for (size_t i = 0; i < n_nodes; i++) {
        if (!named[of[i]])
            named[of[i]] = parts[i] + 1;
        begin[parts[i]] = named[of[i]] - 1;
    }
    return begin;
}

uint32_t *leiden(struct arena *a, const struct name_graph *g, double resolution, const uint32_t *start, const bool *is_touched)
{
    uint32_t *out = ARENA_ARRAY(a, uint32_t, g->n + 1), *begin = NULL;
    struct name_graph level = *g;
    double *inside = NULL;

    for (uint32_t i = 0; i < g->n; i++)
        out[i] = i;
    for (int k = 0; k < LEVELS && level.n; k++) {
        struct leiden_graph lg = leiden_graph_of(a, &level, inside);
        struct leiden_run r = leiden_begin(a, &lg, resolution, k ? begin : start);
        uint32_t *parts;
        size_t n;

        leiden_settle(a, &r, k ? NULL : is_touched);
        parts = start ? r.of : leiden_refine(a, &r);
        n = leiden_number(a, parts, level.n);
        if (start || n == level.n) { /* what was found before stays as it is, or nothing joins any more */
            for (size_t i = 0; i < g->n; i++)
                out[i] = r.of[out[i]];
            break;
        }
        begin = leiden_parts_begin(a, parts, n, r.of, level.n);
        for (size_t i = 0; i < g->n; i++)
            out[i] = parts[out[i]];
        level = leiden_shrink(a, &level, &inside, parts, n);
    }
    leiden_split(a, g, out);
    return start ? out : leiden(a, g, resolution, out, NULL); /* single names settle once more: a later run then finds them at rest */
}

void leiden_part(struct arena *a, const struct name_graph *g, const uint32_t *nodes, size_t n, struct name_graph *out)
{
    uint32_t *at = ARENA_ARRAY(a, uint32_t, g->n + 1);
    size_t used = 0;

    *out = (struct name_graph){.n = n, .first = ARENA_ARRAY(a, size_t, n + 2), .ids = ARENA_ARRAY(a, struct uuid, n + 1)};
    for (size_t i = 0; i < n; i++) {
        at[nodes[i]] = (uint32_t)i + 1;
        used += g->first[nodes[i] + 1] - g->first[nodes[i]];
        out->ids[i] = g->ids[nodes[i]];
    }
    out->links = ARENA_ARRAY(a, struct name_link, used + 1);
    used = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = g->first[nodes[i]]; k < g->first[nodes[i] + 1]; k++)
            if (at[g->links[k].to])
                out->links[used++] = (struct name_link){at[g->links[k].to] - 1, g->links[k].shared, g->links[k].weight};
        out->first[i + 1] = used;
    }
}
