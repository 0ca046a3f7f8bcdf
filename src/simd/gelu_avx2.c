/* The Gaussian error linear unit with AVX2. */
#include "simd_impl.h"

#ifdef __x86_64__

#include <immintrin.h>
#include <string.h>

#include "gelu.h"

#define AVX2 __attribute__((target("avx2,fma")))
#define LANES 8

AVX2 static inline __m256 gelu_of(__m256 x)
{
    __m256 a = _mm256_min_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), x), _mm256_set1_ps(GELU_FAR));
    __m256 p = _mm256_set1_ps(GELU_P6), e = _mm256_set1_ps(GELU_E5), n, r;
    __m256i power;

    p = _mm256_fmadd_ps(p, a, _mm256_set1_ps(GELU_P5));
    p = _mm256_fmadd_ps(p, a, _mm256_set1_ps(GELU_P4));
    p = _mm256_fmadd_ps(p, a, _mm256_set1_ps(GELU_P3));
    p = _mm256_fmadd_ps(p, a, _mm256_set1_ps(GELU_P2));
    p = _mm256_fmadd_ps(p, a, _mm256_set1_ps(GELU_P1));
    p = _mm256_fmadd_ps(p, a, _mm256_set1_ps(GELU_P0));
    n = _mm256_round_ps(p, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    r = _mm256_sub_ps(n, p);
    e = _mm256_fmadd_ps(e, r, _mm256_set1_ps(GELU_E4));
    e = _mm256_fmadd_ps(e, r, _mm256_set1_ps(GELU_E3));
    e = _mm256_fmadd_ps(e, r, _mm256_set1_ps(GELU_E2));
    e = _mm256_fmadd_ps(e, r, _mm256_set1_ps(GELU_E1));
    e = _mm256_fmadd_ps(e, r, _mm256_set1_ps(GELU_E0));
    power = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23); /* n is 1 to 30 */
    e = _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_castps_si256(e), power));
    return _mm256_fnmadd_ps(a, e, _mm256_max_ps(x, _mm256_setzero_ps()));
}

AVX2 void gelu_avx2(float *x, size_t n)
{
    float rest[LANES] = {0};
    size_t i = 0;

    for (; n - i >= LANES; i += LANES)
        _mm256_storeu_ps(x + i, gelu_of(_mm256_loadu_ps(x + i)));
    if (i == n)
        return;
    memcpy(rest, x + i, (n - i) * sizeof *x);
    _mm256_storeu_ps(rest, gelu_of(_mm256_loadu_ps(rest)));
    memcpy(x + i, rest, (n - i) * sizeof *x);
}

#endif
