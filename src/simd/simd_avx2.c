/* The kernels for x86-64 with AVX2 and FMA. */
#include "simd_impl.h"

#ifdef __x86_64__

#include <assert.h>
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))

AVX2 static inline float sum_f32(__m256 v)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    s = _mm_add_ss(s, _mm_movehdup_ps(s));
    return _mm_cvtss_f32(s);
}

AVX2 static inline int32_t sum_i32(__m256i v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
    return _mm_cvtsi128_si32(s);
}

/* sum + a[0..8) · b[0..8) */
AVX2 static inline __m256 fma8(const float *a, const float *b, __m256 sum)
{
    return _mm256_fmadd_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b), sum);
}

/* Four sums, because an FMA takes four cycles and two start in each; more would wait for the loads anyway. */
AVX2 static float dot_f32(const float *a, const float *b, size_t n)
{
    __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;
    float sum;

    for (; n - i >= 32; i += 32) {
        s0 = fma8(a + i, b + i, s0);
        s1 = fma8(a + i + 8, b + i + 8, s1);
        s2 = fma8(a + i + 16, b + i + 16, s2);
        s3 = fma8(a + i + 24, b + i + 24, s3);
    }
    for (; n - i >= 8; i += 8)
        s0 = fma8(a + i, b + i, s0);
    sum = sum_f32(_mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3)));
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Eight times two products of a[0..16) · b[0..16). Widened to 16 bits first: vpmaddubsw would saturate. */
AVX2 static inline __m256i mul16(const int8_t *a, const int8_t *b)
{
    __m256i wa = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)a));
    __m256i wb = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)b));

    return _mm256_madd_epi16(wa, wb);
}

AVX2 static int32_t dot_i8(const int8_t *a, const int8_t *b, size_t n)
{
    __m256i s0 = _mm256_setzero_si256(), s1 = s0;
    size_t i = 0;
    int32_t sum;

    assert(n <= SIMD_I8_MAX);
    for (; n - i >= 32; i += 32) {
        s0 = _mm256_add_epi32(s0, mul16(a + i, b + i));
        s1 = _mm256_add_epi32(s1, mul16(a + i + 16, b + i + 16));
    }
    if (n - i >= 16) {
        s0 = _mm256_add_epi32(s0, mul16(a + i, b + i));
        i += 16;
    }
    sum = sum_i32(_mm256_add_epi32(s0, s1));
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

const struct simd_kernels simd_avx2 = { .name = "avx2", .dot_f32 = dot_f32, .dot_i8 = dot_i8,
    SIMD_MATRIX_ROW(avx2), SIMD_SCAN_ROW(avx2) };

#endif
