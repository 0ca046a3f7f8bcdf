/* What a part is made of; seen by dense_*.c only. */
#ifndef LOCI_DENSE_PART_H
#define LOCI_DENSE_PART_H

#include "dense.h"

/* Arrays by row. Memory past n is zeroed up to the end of its block of SCAN_BLOCK rows at least. */
struct dense_part {
    const struct codec *codec;
    enum dense_keep keep;
    size_t n, vectors, capacity; /* capacity is a multiple of SCAN_BLOCK */
    uint8_t *bits;               /* blocks as scan_bits wants them */
    float *factors;
    int8_t *bytes;               /* codec_width() for each row */
    float *scales;
    float *floats;               /* codec_dim() for each row; NULL: not kept */
    uint64_t *present;           /* rows that have a vector */
};

static inline size_t dense_words(const struct dense_part *p)
{
    return (p->n + SCAN_BLOCK - 1) / SCAN_BLOCK;
}

static inline const float *dense_floats(const struct dense_part *p, uint32_t row)
{
    return p->floats ? p->floats + (size_t)row * codec_dim(p->codec) : NULL;
}

#endif
