/* The table that each instruction set's file defines; seen by simd.c only. */
#ifndef LOCI_SIMD_IMPL_H
#define LOCI_SIMD_IMPL_H

#include "simd.h"

extern const struct simd_kernels simd_scalar;

#ifdef __x86_64__
extern const struct simd_kernels simd_avx2;   /* AVX2 and FMA: Haswell, Zen 1 and later */
extern const struct simd_kernels simd_avx512; /* AVX-512 F, BW and VNNI: Cascade Lake, Zen 4 and later */
#endif

#ifdef __aarch64__
extern const struct simd_kernels simd_neon; /* Advanced SIMD, part of every aarch64 */
#endif

#endif
