/* Vectors of queries that were asked a moment ago: in this process, by account. */
#ifndef LOCI_QUERY_VECTOR_CACHE_H
#define LOCI_QUERY_VECTOR_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "uuid.h"

#define QUERY_KEY 32 /* SHA-256 of the text */

struct query_key {
    unsigned char b[QUERY_KEY];
};

struct query_vectors; /* struct app.query_vectors */

struct query_vectors *query_vectors_new(void);
void query_vectors_free(struct query_vectors *q);

/* A copy in the arena, or NULL. now: monotonic. */
const float *query_vectors_find(struct query_vectors *q, struct arena *a, struct uuid account, struct uuid model,
                                const unsigned char key[QUERY_KEY], int64_t now, size_t *dim);
void query_vectors_keep(struct query_vectors *q, struct uuid account, struct uuid model, const unsigned char key[QUERY_KEY],
                        int64_t now, const float *v, size_t dim);

#endif
