/* A second look at the best: other scores for a list of texts. */
#ifndef LOCI_RERANK_H
#define LOCI_RERANK_H

#include <stdbool.h>
#include <stddef.h>

#include "ctx.h"
#include "word_match.h"

#define RERANK_DEPTH 50 /* of the best that are looked at again */

struct rerank_text {
    const char *title, *body;
};

/* What the words alone say, 0 to 1: how many of them, how close, in which order, in the title, with which numbers. */
double rerank_features(const struct query_words *q, const struct word_match *m);

/* Scores of a cross-encoder on another server (settings rerank.url …), scaled to 0 … 1. ERR_UNAVAILABLE: none is
 * configured. The deadline of its own settings, and of the request. */
err rerank_http(struct ctx *c, const char *query, const struct rerank_text *texts, size_t n, double *scores);

#endif
