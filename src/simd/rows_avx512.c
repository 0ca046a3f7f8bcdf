/* What a transformer does row by row, with AVX-512. Tails are masked: no lane outside is read or written. */
#include "simd_impl.h"

#ifdef __x86_64__

#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "gelu.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define LANES 16

AVX512 static inline __mmask16 lanes_of(size_t left)
{
    return (__mmask16)(left >= LANES ? 0xffffu : (1u << left) - 1);
}

/* eˣ for x ≤ 0 within two units in the last place: x = n·ln 2 + r, a polynomial in r, times 2ⁿ. */
AVX512 static inline __m512 exp_of(__m512 x)
{
    __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), _MM_FROUND_TO_NEAREST_INT);
    __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375f), x), p = _mm512_set1_ps(1.9875691e-4f);

    r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4f), r);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.3981999e-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(8.3334519e-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(4.1665795e-2f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.6666665e-1f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.0000001e-1f));
    p = _mm512_add_ps(_mm512_fmadd_ps(p, _mm512_mul_ps(r, r), r), _mm512_set1_ps(1));
    return _mm512_scalef_ps(p, n);
}

/* Four sums at a time: one would wait for itself. */
AVX512 static inline float four_sums(const __m512 s[4])
{
    return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s[0], s[1]), _mm512_add_ps(s[2], s[3])));
}

AVX512 static float sum_of(const float *x, size_t n)
{
    __m512 sums[4] = {0};
    size_t i = 0;

    for (; n - i >= 4 * LANES; i += 4 * LANES) {
        SIMD_UNROLL
        for (size_t c = 0; c < 4; c++)
            sums[c] = _mm512_add_ps(sums[c], _mm512_loadu_ps(x + i + c * LANES));
    }
    for (; i < n; i += LANES)
        sums[0] = _mm512_add_ps(sums[0], _mm512_maskz_loadu_ps(lanes_of(n - i), x + i));
    return four_sums(sums);
}

/* Σ (x − mean)² */
AVX512 static float squares_of(const float *x, size_t n, __m512 mean)
{
    __m512 sums[4] = {0};
    size_t i = 0;

    for (; n - i >= 4 * LANES; i += 4 * LANES) {
        SIMD_UNROLL
        for (size_t c = 0; c < 4; c++) {
            __m512 d = _mm512_sub_ps(_mm512_loadu_ps(x + i + c * LANES), mean);

            sums[c] = _mm512_fmadd_ps(d, d, sums[c]);
        }
    }
    for (; i < n; i += LANES) {
        __mmask16 m = lanes_of(n - i);
        __m512 d = _mm512_maskz_sub_ps(m, _mm512_maskz_loadu_ps(m, x + i), mean);

        sums[0] = _mm512_fmadd_ps(d, d, sums[0]);
    }
    return four_sums(sums);
}

AVX512 void layer_norm_avx512(const float *x, size_t n, double epsilon, const float *gain, const float *bias, float *out)
{
    __m512 mean = _mm512_set1_ps(sum_of(x, n) / (float)n), scale;

    scale = _mm512_set1_ps(1 / sqrtf(squares_of(x, n, mean) / (float)n + (float)epsilon));
    for (size_t i = 0; i < n; i += LANES) {
        __mmask16 m = lanes_of(n - i);
        __m512 d = _mm512_mul_ps(_mm512_sub_ps(_mm512_maskz_loadu_ps(m, x + i), mean), scale);

        d = _mm512_fmadd_ps(d, _mm512_maskz_loadu_ps(m, gain + i), _mm512_maskz_loadu_ps(m, bias + i));
        _mm512_mask_storeu_ps(out + i, m, d);
    }
}

/* 2ᵗ within 8e-8 of itself. */
AVX512 static inline __m512 power_of_two(__m512 t)
{
    __m512 n = _mm512_roundscale_ps(t, _MM_FROUND_TO_NEAREST_INT), r = _mm512_sub_ps(t, n);
    __m512 p = _mm512_fmadd_ps(_mm512_set1_ps(GELU_E5), r, _mm512_set1_ps(GELU_E4));

    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(GELU_E3));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(GELU_E2));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(GELU_E1));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(GELU_E0));
    return _mm512_scalef_ps(p, n);
}

/* As powers of two: one product for the scale and the base. */
AVX512 void softmax_avx512(float *x, size_t n, float scale)
{
    const __m512 by = _mm512_set1_ps(scale * 1.44269504f);
    __m512 top = _mm512_set1_ps(x[0]), sum = _mm512_setzero_ps(), share;

    for (size_t i = 0; i < n; i += LANES)
        top = _mm512_max_ps(top, _mm512_mask_loadu_ps(top, lanes_of(n - i), x + i));
    top = _mm512_set1_ps(_mm512_reduce_max_ps(top));
    for (size_t i = 0; i < n; i += LANES) {
        __mmask16 m = lanes_of(n - i);
        __m512 e = power_of_two(_mm512_mul_ps(by, _mm512_sub_ps(_mm512_mask_loadu_ps(top, m, x + i), top)));

        _mm512_mask_storeu_ps(x + i, m, e);
        sum = _mm512_mask_add_ps(sum, m, sum, e);
    }
    share = _mm512_set1_ps(1 / _mm512_reduce_add_ps(sum));
    for (size_t i = 0; i < n; i += LANES) {
        __mmask16 m = lanes_of(n - i);

        _mm512_mask_storeu_ps(x + i, m, _mm512_mul_ps(share, _mm512_maskz_loadu_ps(m, x + i)));
    }
}

/* tanh |x| = (1 − t) / (1 + t) with t = e⁻²ˣ, and the sign again. */
AVX512 void tanh_avx512(float *x, size_t n)
{
    const __m512 one = _mm512_set1_ps(1);
    const __m512i sign = _mm512_set1_epi32((int)0x80000000u);

    for (size_t i = 0; i < n; i += LANES) {
        __mmask16 m = lanes_of(n - i);
        __m512 v = _mm512_maskz_loadu_ps(m, x + i);
        __m512 t = exp_of(_mm512_mul_ps(_mm512_abs_ps(v), _mm512_set1_ps(-2)));
        __m512 h = _mm512_div_ps(_mm512_sub_ps(one, t), _mm512_add_ps(one, t));
        __m512i signs = _mm512_and_si512(_mm512_castps_si512(v), sign);

        _mm512_mask_storeu_ps(x + i, m, _mm512_castsi512_ps(_mm512_or_si512(_mm512_castps_si512(h), signs)));
    }
}

/* Nearest, ties to even; NaN stays NaN: the bits of bf16 in the low half of each lane. */
AVX512 static inline __m512i bf16_of(__m512 v)
{
    __m512i bits = _mm512_castps_si512(v), high = _mm512_srli_epi32(bits, 16);
    __m512i odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
    __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));

    return _mm512_mask_or_epi32(_mm512_srli_epi32(up, 16), _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), high, _mm512_set1_epi32(0x40));
}

AVX512 void to_bf16_avx512(const float *x, size_t n, uint16_t *out)
{
    for (size_t i = 0; i < n; i += LANES) {
        __mmask16 m = lanes_of(n - i);

        if (m == 0xffff)
            _mm256_storeu_si256((__m256i *)(void *)(out + i), _mm512_cvtepi32_epi16(bf16_of(_mm512_loadu_ps(x + i))));
        else
            _mm512_mask_cvtepi32_storeu_epi16(out + i, m, bf16_of(_mm512_maskz_loadu_ps(m, x + i)));
    }
}

AVX512 void from_half_avx512(const uint16_t *x, size_t n, float *out)
{
    size_t i = 0;

    for (; n - i >= LANES; i += LANES)
        _mm512_storeu_ps(out + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(x + i))));
    from_half_scalar(x + i, n - i, out + i);
}

/* The least and the greatest of x, and of 0. Four of each at a time: one would wait for itself. */
AVX512 static void extent_of(const float *x, size_t n, float *least, float *greatest)
{
    __m512 low[4] = {0}, high[4] = {0};
    size_t i = 0;

    for (; n - i >= 4 * LANES; i += 4 * LANES) {
        SIMD_UNROLL
        for (size_t c = 0; c < 4; c++) {
            __m512 v = _mm512_loadu_ps(x + i + c * LANES);

            low[c] = _mm512_min_ps(low[c], v);
            high[c] = _mm512_max_ps(high[c], v);
        }
    }
    for (; i < n; i += LANES) {
        __m512 v = _mm512_maskz_loadu_ps(lanes_of(n - i), x + i);

        low[0] = _mm512_min_ps(low[0], v);
        high[0] = _mm512_max_ps(high[0], v);
    }
    *least = _mm512_reduce_min_ps(_mm512_min_ps(_mm512_min_ps(low[0], low[1]), _mm512_min_ps(low[2], low[3])));
    *greatest = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(high[0], high[1]), _mm512_max_ps(high[2], high[3])));
}

AVX512 static inline __m128i to_bytes(__m512 x, __m512 per, __m512i zero)
{
    __m512i v = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(per, x)), zero);

    return _mm512_cvtusepi32_epi8(_mm512_max_epi32(v, _mm512_setzero_si512()));
}

AVX512 struct quantized quantize_avx512(const float *x, size_t n, uint8_t *out)
{
    __m512 per;
    __m512i zero;
    struct quantized q;
    float least, greatest, span;
    size_t i = 0;

    extent_of(x, n, &least, &greatest);
    span = greatest - least;
    per = _mm512_set1_ps(span > QUANTIZE_LEAST ? 255 / span : 0);
    q.scale = span / 255;
    q.zero = (int32_t)lrintf(-least * _mm512_cvtss_f32(per));
    zero = _mm512_set1_epi32(q.zero);
    for (; n - i >= LANES; i += LANES)
        _mm_storeu_si128((__m128i *)(void *)(out + i), to_bytes(_mm512_loadu_ps(x + i), per, zero));
    if (i < n) {
        __m128i last = to_bytes(_mm512_maskz_loadu_ps(lanes_of(n - i), x + i), per, zero);
        uint8_t all[LANES];

        _mm_storeu_si128((__m128i *)(void *)all, last);
        memcpy(out + i, all, n - i);
    }
    return q;
}

#endif
