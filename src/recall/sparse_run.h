/* A query over parts, made ready: lists, weights, filters. For sparse_top.c and sparse_score.c. */
#ifndef LOCI_SPARSE_RUN_H
#define LOCI_SPARSE_RUN_H

#include "sparse_list.h"
#include "sparse_scope.h"

/* Scores are sums of whole multiples of 1 / SCORE_ONE: in whatever order they are added, the sum is the
   same, and equal texts have equal scores. */
#define SCORE_ONE 4294967296.0

/* What a clause weighs in the rows of a group. */
struct weight {
    double idf;
    double scale;  /* idf * times * (k1 + 1) * SCORE_ONE */
    uint64_t with; /* rows that match */
};

/* k1 * (1 - b + b * length / mean) = base + slope * length, in halves. */
struct norm {
    double base, slope;
};

struct sparse_search {
    struct arena *arena;
    const struct sparse_query *q;
    const struct sparse_part *parts;
    size_t n_parts;
    struct list *lists;                      /* of part p and clause c: [p * q->n + c] */
    struct weight (*weights)[SPARSE_GROUPS]; /* of a clause */
    struct norm norms[SPARSE_GROUPS];
    struct totals totals;
    const uint64_t **filters; /* of a part: its own, and what the query requires and excludes */
};

static inline uint64_t contribution(const struct weight *w, const struct norm *norm, uint32_t tf,
                                    uint32_t length)
{
    const double k = norm->base + norm->slope * (double)length;
    const int64_t score = (int64_t)(w->scale * (double)tf / ((double)tf + k)); /* signed: one instruction */

    return score ? (uint64_t)score : 1;
}

static inline uint64_t row_contribution(const struct sparse_search *s, const struct sparse *index,
                                        size_t clause, uint32_t row, uint32_t tf)
{
    const uint32_t packed = index->lengths[row];

    return contribution(&s->weights[clause][packed & 1], &s->norms[packed & 1], tf, packed >> 1);
}

#endif
