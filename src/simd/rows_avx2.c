/* What a transformer does row by row, with AVX2. Tails are masked: no lane outside is read or written. */
#include "simd_impl.h"

#ifdef __x86_64__

#include <immintrin.h>
#include <math.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define LANES 8

/* All bits where a lane is among the first left ones. */
AVX2 static inline __m256i lanes_of(size_t left)
{
    static const int32_t STEPS[2 * LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};

    return _mm256_loadu_si256((const __m256i *)(STEPS + LANES - (left < LANES ? left : LANES)));
}

AVX2 static inline float sum_of(__m256 v)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

AVX2 static inline float max_of(__m256 v)
{
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}

/* eˣ for x ≤ 0 within two units in the last place: x = n·ln 2 + r, a polynomial in r, times 2ⁿ. What is smaller than the
 * smallest normal number counts as that. */
AVX2 static inline __m256 exp_of(__m256 x)
{
    __m256 n, r, p = _mm256_set1_ps(1.9875691e-4f);

    x = _mm256_max_ps(x, _mm256_set1_ps(-87.3f));
    n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504f)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375f), x);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4f), r);
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.3981999e-3f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(8.3334519e-3f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(4.1665795e-2f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.6666665e-1f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(5.0000001e-1f));
    p = _mm256_add_ps(_mm256_fmadd_ps(p, _mm256_mul_ps(r, r), r), _mm256_set1_ps(1));
    return _mm256_castsi256_ps(
        _mm256_add_epi32(_mm256_castps_si256(p), _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23)));
}

AVX2 void layer_norm_avx2(const float *x, size_t n, double epsilon, const float *gain, const float *bias, float *out)
{
    __m256 sum = _mm256_setzero_ps(), squares = sum, mean, scale;

    for (size_t i = 0; i < n; i += LANES)
        sum = _mm256_add_ps(sum, _mm256_maskload_ps(x + i, lanes_of(n - i)));
    mean = _mm256_set1_ps(sum_of(sum) / (float)n);
    for (size_t i = 0; i < n; i += LANES) {
        __m256i m = lanes_of(n - i);
        __m256 d = _mm256_and_ps(_mm256_castsi256_ps(m), _mm256_sub_ps(_mm256_maskload_ps(x + i, m), mean));

        squares = _mm256_fmadd_ps(d, d, squares);
    }
    scale = _mm256_set1_ps(1 / sqrtf(sum_of(squares) / (float)n + (float)epsilon));
    for (size_t i = 0; i < n; i += LANES) {
        __m256i m = lanes_of(n - i);
        __m256 d = _mm256_mul_ps(_mm256_sub_ps(_mm256_maskload_ps(x + i, m), mean), scale);

        d = _mm256_fmadd_ps(d, _mm256_maskload_ps(gain + i, m), _mm256_maskload_ps(bias + i, m));
        _mm256_maskstore_ps(out + i, m, d);
    }
}

AVX2 void softmax_avx2(float *x, size_t n, float scale)
{
    __m256 top = _mm256_set1_ps(x[0]), sum = _mm256_setzero_ps(), by = _mm256_set1_ps(scale), share;

    for (size_t i = 0; i < n; i += LANES) {
        __m256i m = lanes_of(n - i);

        top = _mm256_max_ps(top, _mm256_blendv_ps(top, _mm256_maskload_ps(x + i, m), _mm256_castsi256_ps(m)));
    }
    top = _mm256_set1_ps(max_of(top));
    for (size_t i = 0; i < n; i += LANES) {
        __m256i m = lanes_of(n - i);
        __m256 v = _mm256_mul_ps(by, _mm256_sub_ps(_mm256_maskload_ps(x + i, m), top));
        __m256 e = exp_of(_mm256_min_ps(v, _mm256_setzero_ps()));

        _mm256_maskstore_ps(x + i, m, e);
        sum = _mm256_add_ps(sum, _mm256_and_ps(_mm256_castsi256_ps(m), e));
    }
    share = _mm256_set1_ps(1 / sum_of(sum));
    for (size_t i = 0; i < n; i += LANES) {
        __m256i m = lanes_of(n - i);

        _mm256_maskstore_ps(x + i, m, _mm256_mul_ps(share, _mm256_maskload_ps(x + i, m)));
    }
}

/* tanh |x| = (1 − t) / (1 + t) with t = e⁻²ˣ, and the sign again. */
AVX2 void tanh_avx2(float *x, size_t n)
{
    const __m256 one = _mm256_set1_ps(1), sign = _mm256_set1_ps(-0.0f);

    for (size_t i = 0; i < n; i += LANES) {
        __m256i m = lanes_of(n - i);
        __m256 v = _mm256_maskload_ps(x + i, m);
        __m256 t = exp_of(_mm256_mul_ps(_mm256_andnot_ps(sign, v), _mm256_set1_ps(-2)));
        __m256 h = _mm256_div_ps(_mm256_sub_ps(one, t), _mm256_add_ps(one, t));

        _mm256_maskstore_ps(x + i, m, _mm256_or_ps(h, _mm256_and_ps(v, sign)));
    }
}

AVX2 void to_bf16_avx2(const float *x, size_t n, uint16_t *out)
{
    size_t i = 0;

    for (; n - i >= LANES; i += LANES) {
        __m256 v = _mm256_loadu_ps(x + i);
        __m256i bits = _mm256_castps_si256(v), high = _mm256_srli_epi32(bits, 16);
        __m256i up = _mm256_add_epi32(_mm256_and_si256(high, _mm256_set1_epi32(1)), _mm256_set1_epi32(0x7fff));
        __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, up), 16);
        __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));

        rounded = _mm256_blendv_epi8(rounded, _mm256_or_si256(high, _mm256_set1_epi32(0x40)), nan);
        rounded = _mm256_permute4x64_epi64(_mm256_packus_epi32(rounded, rounded), 0xd8);
        _mm_storeu_si128((__m128i *)(out + i), _mm256_castsi256_si128(rounded));
    }
    to_bf16_scalar(x + i, n - i, out + i);
}

/* As half_to_float() does it. */
AVX2 void from_half_avx2(const uint16_t *x, size_t n, float *out)
{
    size_t i = 0;

    for (; n - i >= LANES; i += LANES) {
        __m256i half = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(x + i)));
        __m256i bits = _mm256_slli_epi32(_mm256_and_si256(half, _mm256_set1_epi32(0x7fff)), 13);
        __m256i sign = _mm256_slli_epi32(_mm256_and_si256(half, _mm256_set1_epi32(0x8000)), 16);
        __m256 size = _mm256_mul_ps(_mm256_castsi256_ps(bits), _mm256_set1_ps(0x1p112f));

        _mm256_storeu_ps(out + i, _mm256_or_ps(size, _mm256_castsi256_ps(sign)));
    }
    from_half_scalar(x + i, n - i, out + i);
}

/* Eight numbers as bytes in the lower half. */
AVX2 static inline __m128i bytes_of(__m256 v, __m256i zero)
{
    __m256i q = _mm256_add_epi32(_mm256_cvtps_epi32(v), zero);
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));

    return _mm_packus_epi16(words, words);
}

AVX2 struct quantized quantize_avx2(const float *x, size_t n, uint8_t *out)
{
    __m256 low = _mm256_setzero_ps(), high = low, per;
    __m256i zero;
    struct quantized q;
    float least, span;
    size_t i = 0;

    for (size_t k = 0; k < n; k += LANES) {
        __m256 v = _mm256_maskload_ps(x + k, lanes_of(n - k));

        low = _mm256_min_ps(low, v);
        high = _mm256_max_ps(high, v);
    }
    least = -max_of(_mm256_sub_ps(_mm256_setzero_ps(), low));
    span = max_of(high) - least;
    per = _mm256_set1_ps(span > QUANTIZE_LEAST ? 255 / span : 0);
    q.scale = span / 255;
    q.zero = (int32_t)lrintf(-least * _mm256_cvtss_f32(per));
    zero = _mm256_set1_epi32(q.zero);
    for (; n - i >= LANES; i += LANES)
        _mm_storel_epi64((__m128i *)(out + i), bytes_of(_mm256_mul_ps(per, _mm256_loadu_ps(x + i)), zero));
    if (i < n) {
        uint8_t rest[16];

        _mm_storeu_si128((__m128i *)rest, bytes_of(_mm256_mul_ps(per, _mm256_maskload_ps(x + i, lanes_of(n - i))), zero));
        for (size_t k = 0; i + k < n; k++)
            out[i + k] = rest[k];
    }
    return q;
}

#endif
