/* The dense signal: which rows of a snapshot mean most nearly what a query means, and how near given rows are. */
#ifndef LOCI_NEAREST_H
#define LOCI_NEAREST_H

#include "ctx.h"
#include "dense.h"
#include "filter.h"
#include "snapshot.h"

/* A query's vector, made ready for one snapshot; both must outlive it. */
struct nearest {
    const struct snapshot *in;
    struct code_query query;
    struct dense_source *sources; /* one for each segment */
    bool usable;                  /* false: the snapshot has no vectors of this length; nothing is near */
};

/* model_id: whose vector it is. One of another model than the snapshot's, or of another length, is not usable: vectors of
 * different models are never compared. ERR_INVALID: a number that is not finite. */
err nearest_begin(struct ctx *c, const struct snapshot *s, struct uuid model_id, const float *vector, size_t dim,
                  struct nearest *out);

struct nearest_hits {
    struct scored *at; /* the highest cosine first, equal ones by id */
    size_t n;
    struct dense_trace trace;
};

/* The k rows of the filter with the highest cosine. exact: the last choice is made by float32 vectors, which are read in
 * one query; else by bytes, whose cosines are a few ten-thousandths off, and of a hundred one or two among the last may be
 * missing: it is a list of candidates. sure: which are the first so many of these is decided by float32 vectors where bytes cannot
 * tell, which seldom means to read some; 0: it may stay open. */
err nearest_find(struct ctx *c, const struct nearest *q, const struct filter *f, size_t k, size_t sure, bool exact,
                 struct nearest_hits *out);

/* Sets the score of each row of the list to its cosine, in any order and number; 0 where there is no vector. */
err nearest_score(struct ctx *c, const struct nearest *q, struct scored *list, size_t n, bool exact);

/* How the query's cosines lie over the rows of a filter that have a vector: mean and variance of some 256 of them, which the
 * filter alone decides. */
struct nearest_spread {
    size_t n;
    double mean, variance;
};
struct nearest_spread nearest_spread(struct ctx *c, const struct nearest *q, const struct filter *f);

bool nearest_has(const struct snapshot *s, uint32_t row);
/* The cosine of two rows by their bytes; −2 if either has no vector. */
double nearest_between(const struct snapshot *s, uint32_t a, uint32_t b);
/* The float32 vector of a row, of the snapshot's model, in one query; *out NULL: it has none. */
err nearest_vector_of(struct ctx *c, const struct snapshot *s, uint32_t row, const float **out);

#endif
