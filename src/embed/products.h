/* Products of rows with a model's weights, in the precision of the weights: what both transformers are made of. */
#ifndef LOCI_PRODUCTS_H
#define LOCI_PRODUCTS_H

#include <stddef.h>
#include <stdint.h>

#include "model_file.h"
#include "simd.h"

struct products {
    const struct model_file *model;
    const struct simd_kernels *k;
    enum model_precision precision;
    void *coded;       /* rows in the precision of the weights; not for f32 */
    float *code_scale; /* a number for each row, for int8 */
    int32_t *code_zero;
};

/* Bytes of memory (a multiple of four) for up to rows rows of up to widest numbers, and taking them from there. */
size_t products_size(enum model_precision p, size_t rows, size_t widest);
void products_take(struct products *p, size_t rows, size_t widest, void *memory);

/* Row r of what is multiplied next, in the precision of the weights. f32 needs none of it. */
void product_code_row(struct products *p, size_t r, const float *x, size_t dim);

enum product_how { PRODUCT_ADD = 1, PRODUCT_RELU = 2 };

/* c = a · m + bias, c as wide as the matrix. a: rows as product_code_row() left them in p->coded; floats for f32. */
void product_of_coded(struct products *p, size_t m, const void *a, size_t rows, float *c, int how);
/* The same of floats, row by row without gaps. */
void product_of_rows(struct products *p, size_t m, const float *a, size_t rows, float *c, int how);

#endif
