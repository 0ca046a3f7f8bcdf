/* The best hits so far, in a total order: the higher score first, then the lower id. */
#ifndef LOCI_DENSE_TOP_H
#define LOCI_DENSE_TOP_H

#include "dense.h"

struct dense_top {
    const struct dense_source *sources;
    size_t keep, n, room;  /* n may pass keep for a while; room is at least twice keep */
    struct dense_hit last; /* what comes after this one cannot be among the best; −∞ until keep are known */
    struct dense_hit *hits;
};

void dense_top_init(struct dense_top *t, struct arena *a, const struct dense_source *sources, size_t keep);

/* Drops all but the best keep. */
void dense_top_trim(struct dense_top *t);

/* Whether a hit with the last one's score comes before it. */
bool dense_top_wins_tie(const struct dense_top *t, const struct dense_hit *hit);

static inline void dense_top_put(struct dense_top *t, const struct dense_hit *hit)
{
    if (hit->score <= t->last.score && (hit->score < t->last.score || !dense_top_wins_tie(t, hit)))
        return;
    if (t->n == t->room)
        dense_top_trim(t);
    t->hits[t->n++] = *hit;
}

static inline void dense_top_add(struct dense_top *t, uint32_t source, uint32_t row, float score)
{
    dense_top_put(t, &(struct dense_hit){.source = source, .row = row, .score = score});
}

/* Trims and puts the best first. */
void dense_top_sort(struct dense_top *t);

#endif
