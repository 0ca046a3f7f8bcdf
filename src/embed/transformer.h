/* The two-layer transformer: rows of token numbers to vectors of unit length. */
#ifndef LOCI_TRANSFORMER_H
#define LOCI_TRANSFORMER_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "model_file.h"
#include "simd.h"

/* One text: 1 to MODEL_TOKENS tokens. */
struct span {
    const uint16_t *ids;
    size_t n;
};

/* n vectors of MODEL_DIM numbers. All texts go through the products together; scratch grows by about 12 KB for each
 * token of them. */
void transform(const struct model_file *m, const struct simd_kernels *k, enum model_precision p, struct arena *scratch,
               const struct span *texts, size_t n, float *out);

#endif
