/* Vectors of texts in Redis, by model and text: for a week, in 64 MiB at most. */
#ifndef LOCI_QUERY_VECTOR_STORE_H
#define LOCI_QUERY_VECTOR_STORE_H

#include "ctx.h"
#include "query_vector_cache.h"

/* model: provider, name and precision. *v NULL: not there. */
err query_vector_store_get(struct ctx *c, const char *model, const unsigned char key[QUERY_KEY], const float **v, size_t *dim);
/* Sends it: whether it arrives nobody waits to learn. */
err query_vector_store_put(struct ctx *c, const char *model, const unsigned char key[QUERY_KEY], const float *v, size_t dim);

#endif
