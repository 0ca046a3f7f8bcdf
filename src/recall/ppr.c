/* Power iteration over the part of the graph that mass reaches; see ppr.h. */
#include "ppr.h"

#include <string.h>

/* Mass is counted in whole units: sums do not depend on their order. */
#define ONE 1152921504606846976.0 /* 2^60 */

/* Mass of each node of the net, before and after a round. */
struct flow {
    struct mention_net net;
    const struct ppr_options *o;
    const uint32_t *start; /* places */
    const uint64_t *share;
    size_t n_starts;
    uint64_t *now, *next;
    size_t cap;
};

static uint64_t *widened(struct flow *w, const uint64_t *old, size_t n)
{
    uint64_t *at = ARENA_ARRAY(w->net.arena, uint64_t, w->cap);

    if (n)
        memcpy(at, old, n * sizeof *at);
    return at;
}

/* Opening nodes meets others: there is room for all of them. */
static void ppr_make_room(struct flow *w)
{
    size_t n = w->cap;

    if (w->net.n <= w->cap)
        return;
    while (w->cap < w->net.n)
        w->cap = w->cap ? 2 * w->cap : 1024;
    w->now = widened(w, w->now, n);
    w->next = widened(w, w->next, n);
}

static uint64_t part(uint64_t mass, double share)
{
    return (uint64_t)((double)mass * share);
}

/* Whether what a node has is worth the way. */
static bool ppr_is_worth(const struct flow *w, uint32_t place)
{
    const struct net_node *node = &w->net.at[place];
    double mass = (double)w->now[place] / ONE;

    return mass > 0 && mass >= w->o->least && (node->is_text || mass >= w->o->thin * (double)node->df);
}

static void pass_on(struct flow *w, uint32_t place)
{
    uint64_t mass = part(w->now[place], w->o->damping);
    const struct net_node *node = net_open(&w->net, place);

    ppr_make_room(w);
    for (uint32_t i = 0; i < node->n; i++)
        w->next[node->links[i].to] += part(mass, node->links[i].weight);
}

static void round_of(struct flow *w)
{
    uint64_t *swap;
    size_t n = w->net.n;

    memset(w->next, 0, w->cap * sizeof *w->next);
    for (uint32_t i = 0; i < n; i++)
        if (ppr_is_worth(w, i))
            pass_on(w, i);
    for (size_t i = 0; i < w->n_starts; i++)
        w->next[w->start[i]] += part(w->share[i], 1 - w->o->damping);
    swap = w->now;
    w->now = w->next;
    w->next = swap;
}

static size_t results(const struct flow *w, struct scored **out)
{
    struct scored *list = ARENA_ARRAY(w->net.arena, struct scored, w->net.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < w->net.n; i++)
        if (w->net.at[i].is_text && w->now[i])
            list[n++] = (struct scored){(uint32_t)w->net.at[i].key, (float)((double)w->now[i] / ONE)};
    snapshot_sort(w->net.s, list, n);
    *out = list;
    return n;
}

size_t ppr_rank(struct arena *a, const struct snapshot *s, const struct filter *f, const struct ppr_start *starts, size_t n,
                const struct ppr_options *o, struct scored **out)
{
    uint32_t *place = ARENA_ARRAY(a, uint32_t, n + 1);
    uint64_t *share = ARENA_ARRAY(a, uint64_t, n + 1);
    struct flow w = {.net = mention_net_new(a, s, f, &o->net), .o = o, .start = place, .share = share};

    for (size_t i = 0; i < n; i++) {
        if (!starts[i].is_name && !filter_has(f, (uint32_t)starts[i].key))
            continue;
        place[w.n_starts] = starts[i].is_name ? net_name(&w.net, starts[i].key) : net_text(&w.net, (uint32_t)starts[i].key);
        share[w.n_starts++] = (uint64_t)(starts[i].share * ONE);
    }
    ppr_make_room(&w);
    for (size_t i = 0; i < w.n_starts; i++)
        w.now[place[i]] += share[i];
    for (unsigned k = 0; k < o->rounds && w.n_starts; k++)
        round_of(&w);
    return results(&w, out);
}
