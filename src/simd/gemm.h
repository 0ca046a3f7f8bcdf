/* Products of matrices with packed weights: their layouts, and what every twin must compute. */
#ifndef LOCI_GEMM_H
#define LOCI_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns of one panel. Packed weights are panels side by side; in a panel, the rows of f32 stand one after the other
 * (PANEL floats each), the rows of bf16 in pairs and those of int8 in fours: the 2 (4) numbers of a column together. */
#define GEMM_PANEL 32
#define GEMM_PAIR 2
#define GEMM_FOUR 4

/* c[r][j] = Σ a[r][k] · w[k][j]  (+ bias[j])  (+ c[r][j], if add)  (then at least 0, if relu).
 *
 * columns is a multiple of GEMM_PANEL; depth of GEMM_PAIR for bf16 and of GEMM_FOUR for int8. No alignment is asked for;
 * panels on cache lines are faster. c must not overlap what is read.
 *
 * f32: within (depth + 4) · 2⁻²⁴ · (Σ|a·w| + |bias| + |c|) of the exact value. bf16: a and w are bf16, products and sums
 * f32, within twice that (and denormal products may count as 0). int8: Σ is exact, depth at most GEMM_DEPTH_I8. */
struct gemm {
    size_t rows, depth, columns;
    const void *a;     /* float, bf16 (uint16_t) or uint8_t */
    size_t a_stride;   /* elements from one row to the next */
    const void *w;     /* float, bf16 (uint16_t) or int8_t */
    size_t w_stride;   /* f32 only: floats from one row of a panel to the next; GEMM_PANEL when packed */
    size_t w_panel;    /* f32 only: floats from one panel to the next; GEMM_PANEL · depth when packed */
    const float *bias; /* NULL: none */
    float *c;
    size_t c_stride;
    bool add, relu;

    /* int8 only: Σ a·w stands for a_scale[r] · w_scale[j] · (Σ a·w − a_zero[r] · w_sum[j]). */
    const float *a_scale;
    const int32_t *a_zero;
    const float *w_scale;
    const int32_t *w_sum; /* Σ over k of w[k][j] */
};

/* 255 · 127 · 65,000 < 2³¹ */
#define GEMM_DEPTH_I8 65000

/* A row of activations as unsigned bytes: x[i] ≈ scale · (q[i] − zero). */
struct quantized {
    float scale;
    int32_t zero;
};

#endif
