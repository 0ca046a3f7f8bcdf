/* A query over parts, made ready: lists, weights, filters. For sparse_top.c and sparse_score.c. */
#ifndef LOCI_SPARSE_RUN_H
#define LOCI_SPARSE_RUN_H

#include <math.h>

#include "sparse_list.h"
#include "sparse_scope.h"

/* Scores are sums of whole multiples of 1 / SCORE_ONE: in whatever order they are added, the sum is the
   same, and equal texts have equal scores. */
#define SCORE_ONE 4294967296.0

/* What a clause weighs. */
struct weight {
    double rarity; /* ln(1 + odds against having it): the evidence, if it is certainly meant */
    double idf;    /* the same, as far as it is believed: see find_weights() */
    double scale;  /* idf * (K1 + 1) * SCORE_ONE */
    uint64_t with; /* rows that match */
};

/* A word of the query, for titles. */
struct title_word {
    uint32_t hash;
    double idf;
};

/* K1 * (length + LENGTH) / (mean + LENGTH) = base + slope * length, in halves. */
struct norm {
    double base, slope;
};

struct sparse_search {
    struct arena *arena;
    const struct sparse_query *q;
    const struct sparse_part *parts;
    size_t n_parts;
    struct list *lists;             /* of part p and clause c: [p * q->n + c] */
    struct weight *weights;         /* of a clause */
    struct title_word *title_words; /* by hash */
    size_t n_title_words;
    struct norm norm;
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
    return contribution(&s->weights[clause], &s->norm, tf, index->lengths[row]);
}

/* What sentences give together: the root of their squares, between their sum, as if all of them were meant, and the greatest,
 * as if one were. */
static inline uint64_t score_join(const uint64_t *sums, size_t n)
{
    double squares = 0;

    if (n == 1)
        return sums[0];
    for (size_t i = 0; i < n; i++)
        squares += (double)sums[i] * (double)sums[i];
    return (uint64_t)(int64_t)sqrt(squares);
}

/* What the title of a row adds: the rarity of its words that the query has, the more the more of the whole they are. */
uint64_t score_title(const struct sparse_search *s, uint32_t part, uint32_t row);

#endif
