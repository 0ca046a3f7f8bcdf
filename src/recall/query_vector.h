/* Queries to vectors: by the account's model, kept for a minute in the process and a week in Redis. */
#ifndef LOCI_QUERY_VECTOR_H
#define LOCI_QUERY_VECTOR_H

#include "ctx.h"
#include "uuid.h"

struct query_vector {
    const float *values; /* of unit length; NULL: there is none */
    size_t dim;
    struct uuid model_id; /* whose it is */
    /* Why there is none, where that is a loss: "embedder_off" (switched off, or no model of ours), "embedder_unavailable",
     * "embedder_timeout"; NULL: the text has no letter and no digit, or no node has a vector yet. */
    const char *degraded;
};

/* By the model of that id, or, where it is nil, by the one that serves. One for each of n texts; those that are not held are made in one batch, which takes embed.query_ms at most. Never fails
 * for want of a model: then all are degraded. */
err query_vectors(struct ctx *c, struct uuid model_id, const char *const *texts, size_t n, struct query_vector *out);

#endif
