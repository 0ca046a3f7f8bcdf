/* Attention: every token of a text looks at all of them, with several heads. */
#ifndef LOCI_ATTENTION_H
#define LOCI_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simd.h"

#define ATTENTION_TOKENS 256 /* of the longest text */

struct attention_shape {
    size_t heads, dim; /* dim: of the widest layer */
    bool in_bf16;      /* its products; else in float */
};

/* Where one head of one text is computed. */
struct attention {
    const struct simd_kernels *k;
    struct attention_shape shape;
    float *scores;               /* [tokens][tokens, rounded up to a panel] */
    float *keys;                 /* as panels of columns */
    uint32_t *keys16, *values16; /* the same, and the values, in pairs */
    uint16_t *shares16, *qkv16;
};

/* For texts of up to longest tokens: the bytes it needs, and taking them from memory on a cache line. */
size_t attention_size(const struct attention_shape *shape, size_t longest);
struct attention attention_over(const struct simd_kernels *k, const struct attention_shape *shape, size_t longest, void *memory);

/* One text of n tokens (1 to ATTENTION_TOKENS): a row of qkv has dim queries, dim keys and dim values; dim answers go to each
 * row of out, out_stride apart. */
void attend(const struct attention *a, const float *qkv, size_t n, size_t dim, float *out, size_t out_stride);

#endif
