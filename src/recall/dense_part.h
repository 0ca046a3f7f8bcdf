/* What a part is made of; seen by dense_*.c only. */
#ifndef LOCI_DENSE_PART_H
#define LOCI_DENSE_PART_H

#include <math.h>

#include "dense.h"

/* What is known of the cells of a part: slots first[i] to first[i + 1] hold the rows of cell i. */
struct dense_cells {
    uint32_t n;
    size_t width;
    uint32_t *first; /* n + 1 */
    int8_t *bytes;   /* of each centre, as a row's */
    float *scales;
    uint8_t *bits; /* and its bits, as a part's */
    float *factors;
    float *lean;              /* the mean cosine of a cell's rows to its centre */
    float *aside;             /* the part of a row that is not along it */
    float reach, reach_exact; /* see dense_cells_limit() */
};

struct dense_cells *dense_cells_new(uint32_t n, size_t width);
void dense_cells_free(struct dense_cells *c);
size_t dense_cells_bytes(const struct dense_cells *c);
size_t dense_cells_slots(const struct dense_cells *c); /* n, up to the end of its block */
/* The cosines of a query to all centres: by bits, and of those that look near by bytes. out has a place for every slot. */
void dense_cells_cosines(const struct dense_cells *c, const struct code_query *q, struct arena *a, float *out);

/* Arrays by slot: the row itself, or where cells have put it; only `present` is by row. Memory past n is zeroed up to the end
 * of its block of SCAN_BLOCK rows at least. */
struct dense_part {
    const struct codec *codec;
    enum dense_keep keep;
    size_t n, vectors, capacity; /* capacity is a multiple of SCAN_BLOCK */
    uint8_t *bits;               /* blocks as scan_bits wants them */
    float *factors;
    int8_t *bytes; /* codec_width() for each row */
    float *scales;
    uint8_t *rest;             /* codec_width() / 4 for each row */
    float *floats;             /* codec_dim() for each row; NULL: not kept */
    uint64_t *present;         /* rows that have a vector */
    struct dense_cells *cells; /* NULL: none, nor the next two */
    uint32_t *row_of, *slot_of;
};

static inline uint32_t dense_slot(const struct dense_part *p, uint32_t row)
{
    return p->slot_of ? p->slot_of[row] : row;
}

static inline uint32_t dense_row(const struct dense_part *p, size_t slot)
{
    return p->row_of ? p->row_of[slot] : (uint32_t)slot;
}

/* No row of a cell that matters is expected above this, if the query's cosine to its centre is `cosine`: a row leans by
 * `lean` to the centre, and `reach` is the share of the rest that the query may have along it, as learned. */
static inline float dense_cells_limit(const struct dense_cells *c, uint32_t cell, float cosine, float reach)
{
    return cosine * c->lean[cell] + reach * c->aside[cell];
}

static inline size_t dense_words(const struct dense_part *p)
{
    return (p->n + SCAN_BLOCK - 1) / SCAN_BLOCK;
}

static inline const float *dense_floats(const struct dense_part *p, uint32_t row)
{
    return p->floats ? p->floats + (size_t)dense_slot(p, row) * codec_dim(p->codec) : NULL;
}

/* A copy whose slots hold these rows (taken over); the caller adds the cells. NULL: no memory. */
struct dense_part *dense_reordered(const struct dense_part *from, uint32_t *row_of);

#endif
