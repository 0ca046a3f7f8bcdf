/* The Gaussian error linear unit with AVX-512. */
#include "simd_impl.h"

#ifdef __x86_64__

#include <immintrin.h>

#include "gelu.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define LANES 16

AVX512 static inline __m512 gelu_of(__m512 x)
{
    __m512 a = _mm512_min_ps(_mm512_abs_ps(x), _mm512_set1_ps(GELU_FAR));
    __m512 p = _mm512_set1_ps(GELU_P6), e = _mm512_set1_ps(GELU_E5), n, r;

    p = _mm512_fmadd_ps(p, a, _mm512_set1_ps(GELU_P5));
    p = _mm512_fmadd_ps(p, a, _mm512_set1_ps(GELU_P4));
    p = _mm512_fmadd_ps(p, a, _mm512_set1_ps(GELU_P3));
    p = _mm512_fmadd_ps(p, a, _mm512_set1_ps(GELU_P2));
    p = _mm512_fmadd_ps(p, a, _mm512_set1_ps(GELU_P1));
    p = _mm512_fmadd_ps(p, a, _mm512_set1_ps(GELU_P0));
    n = _mm512_roundscale_ps(p, _MM_FROUND_TO_NEAREST_INT);
    r = _mm512_sub_ps(n, p);
    e = _mm512_fmadd_ps(e, r, _mm512_set1_ps(GELU_E4));
    e = _mm512_fmadd_ps(e, r, _mm512_set1_ps(GELU_E3));
    e = _mm512_fmadd_ps(e, r, _mm512_set1_ps(GELU_E2));
    e = _mm512_fmadd_ps(e, r, _mm512_set1_ps(GELU_E1));
    e = _mm512_fmadd_ps(e, r, _mm512_set1_ps(GELU_E0));
    e = _mm512_scalef_ps(e, _mm512_sub_ps(_mm512_setzero_ps(), n));
    return _mm512_fnmadd_ps(a, e, _mm512_max_ps(x, _mm512_setzero_ps()));
}

/* Two at a time: one would wait for itself. */
AVX512 void gelu_avx512(float *x, size_t n)
{
    size_t i = 0;

    for (; n - i >= 2 * LANES; i += 2 * LANES) {
        __m512 left = gelu_of(_mm512_loadu_ps(x + i)), right = gelu_of(_mm512_loadu_ps(x + i + LANES));

        _mm512_storeu_ps(x + i, left);
        _mm512_storeu_ps(x + i + LANES, right);
    }
    for (; i < n; i += LANES) {
        __mmask16 m = (__mmask16)(n - i >= LANES ? 0xffffu : (1u << (n - i)) - 1);

        _mm512_mask_storeu_ps(x + i, m, gelu_of(_mm512_maskz_loadu_ps(m, x + i)));
    }
}

#endif
