/* Vectors, questions and the truth about them, for bench_vector. */
#ifndef LOCI_BENCH_VECTOR_WORLD_H
#define LOCI_BENCH_VECTOR_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simd.h"

enum { K = 10, DIM = 512 };

struct world {
    const struct simd_kernels *simd;
    const char *rows_path, *queries_path; /* NULL: made up with the likeness of the built-in model's */
    size_t n, n_queries;
    float *rows, *queries;   /* at length 1 */
    float *bound;            /* of each query: what the k-th best row scores */
    const uint64_t *allowed; /* the filter at hand; NULL: all rows */
};

/* Files of float32, DIM numbers a vector; n and n_queries become what there is. Ends the program where it cannot. */
void world_get(struct world *w);
void world_done(struct world *w);
void world_tell(const struct world *w);
/* The truth under the filter at hand, by scanning everything. */
void world_find_bounds(struct world *w);
/* 1 if the row is among the best K for that query. */
size_t world_good(const struct world *w, size_t query, size_t row);

/* About one in `every` of n rows. */
uint64_t *world_some(size_t n, uint32_t every);
/* Ends the program when there is none. */
void *world_room(size_t bytes);
/* CPU time of this thread: the machine has other users. */
double world_now_s(void);

#endif
