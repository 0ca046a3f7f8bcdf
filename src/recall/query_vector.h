/* Queries to vectors: by the account's model, kept for a minute. */
#ifndef LOCI_QUERY_VECTOR_H
#define LOCI_QUERY_VECTOR_H

#include "ctx.h"
#include "uuid.h"

struct query_vector {
    const float *values;             /* of unit length; NULL: there is none */
    size_t dim;
    struct uuid model_id;            /* whose it is */
    const char *degraded;            /* why there is none, where that is a loss: "embedder_off" …; else NULL */
};

/* One for each of n texts; those that are not held are made in one batch. Never fails for want of a model. */
err query_vectors(struct ctx *c, const char *const *texts, size_t n, struct query_vector *out);

#endif
