/* One search under way; seen by dense_*.c only. */
#ifndef LOCI_DENSE_SEARCH_H
#define LOCI_DENSE_SEARCH_H

#include "dense_part.h"
#include "dense_top.h"

/* Blocks of a source that are looked at together, all of it or those of some cells, and what the stages know of their rows:
 * one word, or 64 sums, for each block. */
struct piece {
    const struct dense_part *part;
    uint32_t source;
    size_t blocks;
    const uint32_t *list;   /* which of the part; NULL: all, one after the other */
    const uint64_t *wanted; /* allowed by the filter, with a vector, of this piece */
    const uint64_t *check;  /* by row: those allowed, if wanted does not know them yet; else NULL */
    uint16_t *sums;         /* by scan_bits; only if scanned */
    uint64_t *picked;       /* what is rescored by bytes */
};

struct search {
    struct arena *arena;
    const struct code_query *query;
    const struct dense_source *sources;
    size_t n_sources;
    const uint64_t **allowed; /* by source: rows allowed by the filter, with a vector */
    struct piece *pieces;
    size_t n_pieces;
    const struct dense_options *options;
    struct dense_trace trace;
};

/* Sets the scores of hits by bytes. */
void dense_score_by_bytes(const struct search *s, struct dense_hit *hits, size_t n);
/* By the bytes of the rows and the query as it all but is. */
void dense_score_closely(const struct search *s, struct dense_hit *hits, size_t n);

/* Sets the scores of those hits for which there are float32 vectors, and counts them. */
err dense_score_by_floats(struct search *s, struct dense_hit *hits, size_t n);

/* Runs work on every block of the pieces from `from` on, in as many threads as the search may have; each has a top that
 * keeps `keep`. The best of all are in out. */
struct worker {
    struct search *search;
    const void *arg;
    size_t from, low, high; /* its blocks, counted over all those pieces */
    struct dense_top top;
    size_t counted;
};
typedef void dense_work(struct worker *w, const struct piece *p, size_t block, size_t n);
size_t dense_run(struct search *s, size_t from, dense_work *work, const void *arg, size_t keep, struct dense_top *out);

/* ---- which pieces; dense_pieces.c */

/* Sets s->allowed; returns how many rows a scan of all would read. */
size_t dense_allow(struct search *s);
/* Sources without cells, whole; those with cells too, if all is set. */
void dense_add_whole(struct search *s, bool all);
/* The cells, and how far a row of each is expected to reach. */
struct near_cells;
struct near_cells *dense_near_cells(struct search *s); /* NULL: no source has cells */
/* Of the cells that were not added yet, the nearest, with so many allowed rows or somewhat more. false: all have been. */
bool dense_add_nearest(struct search *s, struct near_cells *c, size_t rows);
/* And those in which a row above floor may be. */
void dense_add_within(struct search *s, struct near_cells *c, float floor);

#endif
