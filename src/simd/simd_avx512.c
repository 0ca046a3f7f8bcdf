/* The kernels for x86-64 with AVX-512 F, BW and VNNI. */
#include "simd_impl.h"

#ifdef __x86_64__

#include <assert.h>
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vnni")))

/* sum + a[0..16) · b[0..16) */
AVX512 static inline __m512 fma16(const float *a, const float *b, __m512 sum)
{
    return _mm512_fmadd_ps(_mm512_loadu_ps(a), _mm512_loadu_ps(b), sum);
}

/* Tails are masked loads: lanes outside the mask are not read, so they cannot fault. */
AVX512 static float dot_f32(const float *a, const float *b, size_t n)
{
    __m512 s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;

    for (; n - i >= 64; i += 64) {
        s0 = fma16(a + i, b + i, s0);
        s1 = fma16(a + i + 16, b + i + 16, s1);
        s2 = fma16(a + i + 32, b + i + 32, s2);
        s3 = fma16(a + i + 48, b + i + 48, s3);
    }
    for (; n - i >= 16; i += 16)
        s0 = fma16(a + i, b + i, s0);
    if (i < n) {
        __mmask16 rest = (__mmask16)((1u << (n - i)) - 1);

        s1 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(rest, a + i), _mm512_maskz_loadu_ps(rest, b + i), s1);
    }
    return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)));
}

/* vpdpbusd multiplies unsigned by signed bytes, so a is lifted by 128 (flip the top bit) and 128 · b is taken
   off again at the end. Lanes may wrap on the way; modulo 2³² the difference is exact all the same, and it
   fits. */
struct sums {
    __m512i lifted; /* Σ (a + 128) · b */
    __m512i excess; /* Σ 128 · b */
};

AVX512 static inline void add64(struct sums *s, __m512i a, __m512i b)
{
    const __m512i top = _mm512_set1_epi8(-128); /* as an unsigned byte: 128 */

    s->lifted = _mm512_dpbusd_epi32(s->lifted, _mm512_xor_si512(a, top), b);
    s->excess = _mm512_dpbusd_epi32(s->excess, top, b);
}

AVX512 static int32_t dot_i8(const int8_t *a, const int8_t *b, size_t n)
{
    struct sums even = {_mm512_setzero_si512(), _mm512_setzero_si512()}, odd = even;
    size_t i = 0;

    assert(n <= SIMD_I8_MAX);
    for (; n - i >= 128; i += 128) {
        add64(&even, _mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
        add64(&odd, _mm512_loadu_si512(a + i + 64), _mm512_loadu_si512(b + i + 64));
    }
    if (n - i >= 64) {
        add64(&even, _mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
        i += 64;
    }
    if (i < n) {
        /* b is 0 outside the mask, so a's lift does no harm there */
        __mmask64 rest = (UINT64_C(1) << (n - i)) - 1;

        add64(&odd, _mm512_maskz_loadu_epi8(rest, a + i), _mm512_maskz_loadu_epi8(rest, b + i));
    }
    return _mm512_reduce_add_epi32(_mm512_add_epi32(_mm512_sub_epi32(even.lifted, even.excess),
                                                    _mm512_sub_epi32(odd.lifted, odd.excess)));
}

const struct simd_kernels simd_avx512 = { .name = "avx512", .dot_f32 = dot_f32, .dot_i8 = dot_i8,
    SIMD_MATRIX_ROW(avx512), SIMD_SCAN_ROW(avx512) };

#endif
