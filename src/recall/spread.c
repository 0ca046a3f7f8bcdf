/* Leaky integrate-and-fire over the edges; see spread.h. */
#include "spread.h"

#include <stdlib.h>

#include "row_map.h"

struct net {
    struct arena *arena;
    const struct snapshot *s;
    const struct filter *f;
    const struct spread_options *o;
    struct row_map places;
    struct lit **nodes; /* that were reached; in the order in which they were */
    bool *fired;
    size_t n, cap;
};

static void spread_widen(struct net *net)
{
    struct lit **nodes = net->nodes;
    bool *fired = net->fired;

    net->cap = net->cap ? 2 * net->cap : 256;
    net->nodes = ARENA_ARRAY(net->arena, struct lit *, net->cap);
    net->fired = ARENA_ARRAY(net->arena, bool, net->cap);
    for (size_t i = 0; i < net->n; i++) {
        net->nodes[i] = nodes[i];
        net->fired[i] = fired[i];
    }
}

static uint32_t spread_place_of(struct net *net, uint32_t row)
{
    uint32_t *at = row_map_at(&net->places, row);

    if (*at == NO_PLACE) {
        if (net->n == net->cap)
            spread_widen(net);
        *at = (uint32_t)net->n;
        net->nodes[net->n] = ARENA_NEW(net->arena, struct lit);
        net->nodes[net->n++]->row = row;
    }
    return *at;
}

static void send(struct net *net, const struct lit *from, const struct edge_end *e)
{
    double signal = from->potential * (double)e->edge->weight * (double)e->edge->confidence * net->o->keep;
    uint32_t at;
    struct lit *to;

    if (signal < net->o->least || !filter_has(net->f, e->row))
        return;
    at = spread_place_of(net, e->row);
    to = net->nodes[at];
    if (net->fired[at])
        return;
    to->potential += signal;
    if (signal > to->signal) {
        to->signal = signal;
        to->by = from;
        to->relation = e->relation;
    }
}

static void fire(struct net *net, const struct lit *from)
{
    struct edge_end *ends;
    size_t n = snapshot_edges(net->s, from->row, net->o->as_of, net->arena, &ends);

    for (size_t i = 0; i < n; i++)
        send(net, from, &ends[i]);
}

static int by_potential(const void *a, const void *b, void *arg)
{
    const struct lit *x = *(const struct lit *const *)a, *y = *(const struct lit *const *)b;

    if (x->potential != y->potential)
        return x->potential > y->potential ? -1 : 1;
    return uuid_cmp(snapshot_id(arg, x->row), snapshot_id(arg, y->row));
}

/* Sums of signals do not depend on where rows stand: they fire in the order of strength, then id. */
static void spread_sort(const struct net *net, const struct lit **list, size_t n)
{
    if (n > 1)
        qsort_r(list, n, sizeof *list, by_potential, (void *)(uintptr_t)net->s);
}

/* Those that reached the threshold in this hop. */
static size_t next_front(struct net *net, unsigned hop, const struct lit **front)
{
    size_t n = 0;

    for (size_t i = 0; i < net->n; i++)
        if (!net->fired[i] && net->nodes[i]->potential >= net->o->threshold) {
            net->fired[i] = true;
            net->nodes[i]->hop = hop;
            front[n++] = net->nodes[i];
        }
    spread_sort(net, front, n);
    return n;
}

static size_t plant(struct net *net, const struct scored *seeds, size_t n, const struct lit **front)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t at;

        if (!filter_has(net->f, seeds[i].row))
            continue;
        at = spread_place_of(net, seeds[i].row);
        if (net->fired[at])
            continue;
        net->fired[at] = true;
        net->nodes[at]->potential = (double)seeds[i].score;
        front[k++] = net->nodes[at];
    }
    spread_sort(net, front, k);
    return k;
}

size_t spread(struct arena *a, const struct snapshot *s, const struct filter *f, const struct scored *seeds, size_t n,
              const struct spread_options *o, const struct lit ***out)
{
    struct net net = {.arena = a, .s = s, .f = f, .o = o, .places = {.arena = a}};
    const struct lit **front = ARENA_ARRAY(a, const struct lit *, n + 1), **all;
    size_t in_front = plant(&net, seeds, n, front), total = 0;

    for (unsigned hop = 1; hop <= o->hops && in_front; hop++) {
        for (size_t i = 0; i < in_front; i++)
            fire(&net, front[i]);
        front = ARENA_ARRAY(a, const struct lit *, net.n + 1);
        in_front = next_front(&net, hop, front);
    }
    all = ARENA_ARRAY(a, const struct lit *, net.n + 1);
    for (size_t i = 0; i < net.n; i++)
        if (net.fired[i] && net.nodes[i]->hop)
            all[total++] = net.nodes[i];
    spread_sort(&net, all, total);
    *out = all;
    return total;
}
