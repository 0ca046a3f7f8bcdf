/* Keeps the best of many hits: a buffer that is halved by selection whenever it is full. */
#include "dense_top.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void dense_top_init(struct dense_top *t, struct arena *a, const struct dense_source *sources, size_t keep)
{
    size_t room = 2 * keep + 64;

    assert(keep > 0);
    *t = (struct dense_top){.sources = sources, .keep = keep, .room = room, .last.score = -INFINITY};
    t->hits = ARENA_ARRAY(a, struct dense_hit, room);
}

/* Negative: a comes before b. */
static int dense_top_compare(const struct dense_source *sources, const struct dense_hit *a, const struct dense_hit *b)
{
    const struct uuid *ids_a, *ids_b;

    if (a->score > b->score || a->score < b->score)
        return a->score > b->score ? -1 : 1;
    ids_a = sources[a->source].ids;
    ids_b = sources[b->source].ids;
    if (ids_a && ids_b) {
        int order = uuid_cmp(ids_a[a->row], ids_b[b->row]);

        if (order)
            return order;
    }
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static void swap(struct dense_hit *a, struct dense_hit *b)
{
    struct dense_hit t = *a;

    *a = *b;
    *b = t;
}

/* Puts the middle one of three at the end of [low, high], as the pivot. */
static void choose_pivot(const struct dense_top *t, size_t low, size_t high)
{
    struct dense_hit *a = t->hits + low, *b = t->hits + low + (high - low) / 2, *c = t->hits + high;

    if (dense_top_compare(t->sources, b, a) < 0)
        swap(a, b);
    if (dense_top_compare(t->sources, c, a) < 0)
        swap(a, c);
    if (dense_top_compare(t->sources, b, c) < 0)
        swap(b, c);
}

/* Puts what comes before the pivot, which stands at the end of [low, high], first, and returns its place then. Nobody can
 * guess which those are, so there is nothing to guess: each is swapped, and the place moves on or does not. */
static size_t divide(const struct dense_top *t, size_t low, size_t high)
{
    const struct dense_hit pivot = t->hits[high];
    size_t store = low;

    for (size_t i = low; i < high; i++) {
        const struct dense_hit hit = t->hits[i];
        bool before = hit.score > pivot.score;

        if (hit.score == pivot.score)
            before = dense_top_compare(t->sources, &hit, &pivot) < 0;
        t->hits[i] = t->hits[store];
        t->hits[store] = hit;
        store += before;
    }
    swap(t->hits + store, t->hits + high);
    return store;
}

/* Hoare's selection: afterwards the best `keep` stand first, the last of them at keep − 1. n is at least keep. */
static void select_best(struct dense_top *t)
{
    size_t low = 0, high = t->n - 1, wanted = t->keep - 1;

    while (low < high) {
        size_t store;

        choose_pivot(t, low, high);
        store = divide(t, low, high);
        if (store == wanted)
            return;
        if (store < wanted)
            low = store + 1;
        else
            high = store - 1;
    }
}

void dense_top_trim(struct dense_top *t)
{
    if (t->n < t->keep)
        return;
    select_best(t);
    t->n = t->keep;
    t->last = t->hits[t->n - 1];
}

bool dense_top_wins_tie(const struct dense_top *t, const struct dense_hit *hit)
{
    return t->n < t->keep || dense_top_compare(t->sources, hit, &t->last) < 0;
}

static int compare_hits(const void *a, const void *b, void *sources)
{
    return dense_top_compare(sources, a, b);
}

void dense_top_sort(struct dense_top *t)
{
    dense_top_trim(t);
    qsort_r(t->hits, t->n, sizeof *t->hits, compare_hits, (void *)(uintptr_t)t->sources);
}
