/* The number crunching that has wide twins, and the choice of the widest this machine can run. */
#ifndef LOCI_SIMD_H
#define LOCI_SIMD_H

#include <stddef.h>
#include <stdint.h>

#include "gemm.h"
#include "scan.h"

/* The longest int8 vectors whose dot product always fits an int32: 131071 · (−128)² < 2³¹. Longer ones are an
   assert. */
#define SIMD_I8_MAX 131071

/* One instruction set's implementation of every kernel. Pointers need only their type's alignment; n may be
   0; a and b may be the same. No kernel reads outside its n elements.

   dot_f32: Σ a[i]·b[i]. The scalar twin sums in double; the others stay within
   (n/16 + 16)·2⁻²⁴·Σ|a[i]·b[i]| of the exact sum (plus n·2⁻¹⁴⁹ where it is denormal). A NaN in gives NaN;
   where Σ|a[i]·b[i]| leaves the range of float the answer may be NaN or infinite.
   dot_i8: exact for every value, −128 included; n ≤ SIMD_I8_MAX.

   gemm_…: see gemm.h. The wide twins sum in float, one product after the other.

   The rows of a transformer; n ≥ 1, numbers are finite:
   layer_norm: gain · (x − mean) / √(variance + epsilon) + bias; out may be x.
   softmax: x becomes exp(scale · x) / Σ exp(scale · x); scale > 0. Each within 2⁻²⁰ of its exact share.
   tanh: within 2⁻²¹.
   gelu: x · Φ(x), the share of the normal distribution below x; within 2⁻²² · max(1, |x|).
   to_bf16: nearest, ties to even; the same in every twin.
   from_half: exact; of numbers of 16 bits as IEEE 754 has them, finite ones.
   quantize: as unsigned bytes between min(0, least) and max(0, greatest); 0 stays exactly 0; a row that spans
   less than QUANTIZE_LEAST becomes all 0.

   hadamard: the Walsh-Hadamard transform in place, not scaled; n is a power of two; the same bits in every twin.
   scan_…: see scan.h. */
#define QUANTIZE_LEAST 1e-30f
struct simd_kernels {
    const char *name;
    float (*dot_f32)(const float *a, const float *b, size_t n);
    int32_t (*dot_i8)(const int8_t *a, const int8_t *b, size_t n);
    void (*gemm_f32)(const struct gemm *g);
    void (*gemm_bf16)(const struct gemm *g);
    void (*gemm_i8)(const struct gemm *g);
    void (*layer_norm)(const float *x, size_t n, double epsilon, const float *gain, const float *bias, float *out);
    void (*softmax)(float *x, size_t n, float scale);
    void (*tanh)(float *x, size_t n);
    void (*gelu)(float *x, size_t n);
    void (*to_bf16)(const float *x, size_t n, uint16_t *out);
    void (*from_half)(const uint16_t *x, size_t n, float *out);
    struct quantized (*quantize)(const float *x, size_t n, uint8_t *out);
    void (*hadamard)(float *x, size_t n);
    void (*scan_bits)(const struct scan_bits *s);
    size_t (*scan_pick)(const struct scan_pick *s);
    void (*scan_i8)(const struct scan_i8 *s);
};

/* The kernels this CPU and its operating system can run, widest first, "scalar" always last; NULL past the
   end. */
const struct simd_kernels *simd_available(size_t i);

/* The kernels to use for the life of the process. forced is what LOCI_SIMD says: a name out of
   simd_available(), or NULL, "" or "auto" for the widest. NULL if there is no such name here; why then says
   so and names those there are. */
const struct simd_kernels *simd_choose(const char *forced, char *why, size_t why_size);

#endif
