/* The table that each instruction set's file defines; seen by simd.c only. */
#ifndef LOCI_SIMD_IMPL_H
#define LOCI_SIMD_IMPL_H

#include "simd.h"

extern const struct simd_kernels simd_scalar;

/* Before a loop over the rows of a tile: its sums stay in registers only when it is unrolled. */
#ifdef __clang__
#define SIMD_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SIMD_UNROLL _Pragma("GCC unroll 8")
#endif

/* Kernels that stand in files of their own; suffixes name the instruction set. */
#define SIMD_MATRIX_KERNELS(set) \
    void gemm_f32_##set(const struct gemm *g); \
    void gemm_bf16_##set(const struct gemm *g); \
    void gemm_i8_##set(const struct gemm *g); \
    void layer_norm_##set(const float *x, size_t n, double epsilon, const float *gain, const float *bias, float *out); \
    void softmax_##set(float *x, size_t n, float scale); \
    void tanh_##set(float *x, size_t n); \
    void gelu_##set(float *x, size_t n); \
    void to_bf16_##set(const float *x, size_t n, uint16_t *out); \
    void from_half_##set(const uint16_t *x, size_t n, float *out); \
    struct quantized quantize_##set(const float *x, size_t n, uint8_t *out)
#define SIMD_MATRIX_ROW(set) \
    .gemm_f32 = gemm_f32_##set, .gemm_bf16 = gemm_bf16_##set, .gemm_i8 = gemm_i8_##set, \
    .layer_norm = layer_norm_##set, .softmax = softmax_##set, .tanh = tanh_##set, .gelu = gelu_##set, \
    .to_bf16 = to_bf16_##set, .from_half = from_half_##set, .quantize = quantize_##set

#define SIMD_SCAN_KERNELS(set) \
    void hadamard_##set(float *x, size_t n); \
    void scan_bits_##set(const struct scan_bits *s); \
    size_t scan_pick_##set(const struct scan_pick *s); \
    void scan_i8_##set(const struct scan_i8 *s)
#define SIMD_SCAN_ROW(set) \
    .hadamard = hadamard_##set, .scan_bits = scan_bits_##set, .scan_pick = scan_pick_##set, .scan_i8 = scan_i8_##set

/* Where block number b of a scan stands; and what to fetch meanwhile: two blocks on, itself if that one is not read. */
static inline const uint8_t *scan_codes(const struct scan_bits *s, size_t b)
{
    return s->codes + scan_block(s->list, b) * s->columns * SCAN_BLOCK;
}

static inline const uint8_t *scan_ahead(const struct scan_bits *s, size_t b)
{
    bool is_read = b + 2 < s->blocks && (!s->wanted || s->wanted[b + 2]);

    return scan_codes(s, is_read ? b + 2 : b);
}

SIMD_MATRIX_KERNELS(scalar);
SIMD_SCAN_KERNELS(scalar);
#ifdef __x86_64__
SIMD_MATRIX_KERNELS(avx2);
SIMD_MATRIX_KERNELS(avx512);
SIMD_SCAN_KERNELS(avx2);
SIMD_SCAN_KERNELS(avx512);
#endif
#ifdef __aarch64__
SIMD_SCAN_KERNELS(neon);
#endif

#ifdef __x86_64__
extern const struct simd_kernels simd_avx2;   /* AVX2 and FMA: Haswell, Zen 1 and later */
extern const struct simd_kernels simd_avx512; /* AVX-512 F, BW and VNNI: Cascade Lake, Zen 4 and later */
#endif

#ifdef __aarch64__
extern const struct simd_kernels simd_neon; /* Advanced SIMD, part of every aarch64 */
#endif

#endif
