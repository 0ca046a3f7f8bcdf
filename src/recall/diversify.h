/* Diversity: which hits to take so that they do not all say the same. */
#ifndef LOCI_DIVERSIFY_H
#define LOCI_DIVERSIFY_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct diverse_item {
    double score;
    uint64_t session, document; /* 0: none */
};

struct diverse_in {
    const struct diverse_item *items; /* best first */
    size_t n, want;
    double lambda;                                           /* share of the score against being different; 1: by score alone */
    int64_t per_session, per_document;                       /* at most so many of one; 0: any number */
    double (*likeness)(const void *arg, size_t i, size_t j); /* a cosine */
    const void *arg;
};

/* Which items to take, in which order, at most `want`: out has room for as many. Each time the one with the highest
 * lambda · score − (1 − lambda) · likeness to the nearest that was taken, scores normalised to 0 … 1; of equals the
 * first. */
size_t diversify(struct arena *a, const struct diverse_in *in, size_t *out);

#endif
