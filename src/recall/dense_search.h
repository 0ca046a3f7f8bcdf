/* One search under way; seen by dense_*.c only. */
#ifndef LOCI_DENSE_SEARCH_H
#define LOCI_DENSE_SEARCH_H

#include "dense_part.h"
#include "dense_top.h"

/* A source, and what the stages know of its rows: one word, or 64 sums, for each block. */
struct piece {
    const struct dense_part *part;
    size_t blocks;
    const uint64_t *wanted;      /* allowed by the filter, with a vector */
    uint16_t *sums;              /* by scan_bits; only if scanned */
    uint64_t *picked;            /* what is rescored by bytes; wanted itself if there was no scan */
};

struct search {
    struct arena *arena;
    const struct code_query *query;
    const struct dense_source *sources;
    struct piece *pieces;
    size_t n;                    /* sources and pieces */
    size_t blocks;               /* of all pieces */
    const struct dense_options *options;
    struct dense_trace trace;
};

/* Sets the scores of hits by bytes. */
void dense_score_by_bytes(const struct search *s, struct dense_hit *hits, size_t n);
/* By the bytes of the rows and the query as it all but is. */
void dense_score_closely(const struct search *s, struct dense_hit *hits, size_t n);

/* Sets the scores of those hits for which there are float32 vectors, and counts them. */
err dense_score_by_floats(struct search *s, struct dense_hit *hits, size_t n);

/* Runs work on every block of every piece, in as many threads as the search may have; each has a top that keeps `keep`.
 * The best of all are in out. */
struct worker {
    struct search *search;
    const void *arg;
    size_t low, high;            /* its blocks, counted over all pieces */
    struct dense_top top;
    size_t counted;
};
typedef void dense_work(struct worker *w, uint32_t source, size_t block, size_t n);
size_t dense_run(struct search *s, dense_work *work, const void *arg, size_t keep, struct dense_top *out);

#endif
