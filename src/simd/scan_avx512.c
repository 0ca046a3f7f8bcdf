/* The scans for x86-64 with AVX-512. */
#include "simd_impl.h"

#ifdef __x86_64__

#include <assert.h>
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vnni,popcnt")))
#define INLINE AVX512 static inline __attribute__((always_inline))

/* ---- the transform */

/* One step within a register: swapped holds each lane's partner; the lanes in minus are the second of their pairs. */
INLINE __m512 step_within(__m512 x, __m512 swapped, __mmask16 minus)
{
    return _mm512_mask_sub_ps(_mm512_add_ps(x, swapped), minus, swapped, x);
}

/* Four steps, over lanes 1, 2, 4 and 8 apart. */
INLINE __m512 sixteen(__m512 x)
{
    x = step_within(x, _mm512_permute_ps(x, 0xb1), 0xaaaa);
    x = step_within(x, _mm512_permute_ps(x, 0x4e), 0xcccc);
    x = step_within(x, _mm512_shuffle_f32x4(x, x, 0xb1), 0xf0f0);
    return step_within(x, _mm512_shuffle_f32x4(x, x, 0x4e), 0xff00);
}

AVX512 void hadamard_avx512(float *x, size_t n)
{
    if (n < 16) {
        hadamard_scalar(x, n);
        return;
    }
    assert((n & (n - 1)) == 0);
    for (size_t i = 0; i < n; i += 16)
        _mm512_storeu_ps(x + i, sixteen(_mm512_loadu_ps(x + i)));
    for (size_t half = 16; half < n; half *= 2)
        for (size_t i = 0; i < n; i += 2 * half)
            for (size_t j = i; j < i + half; j += 16) {
                __m512 a = _mm512_loadu_ps(x + j), b = _mm512_loadu_ps(x + j + half);

                _mm512_storeu_ps(x + j, _mm512_add_ps(a, b));
                _mm512_storeu_ps(x + j + half, _mm512_sub_ps(a, b));
            }
}

/* ---- 1-bit codes: a byte of 64 rows at a time, looked up four bits at a time */

INLINE __m512i table_at(const uint8_t *table)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)table));
}

/* What two bytes of each row stand for: at most 4 · SCAN_ENTRY_MAX. */
INLINE __m512i two_columns(const uint8_t *codes, const uint8_t *tables)
{
    const __m512i low = _mm512_set1_epi8(15);
    __m512i a = _mm512_loadu_si512(codes), b = _mm512_loadu_si512(codes + 64);
    __m512i al = _mm512_shuffle_epi8(table_at(tables), _mm512_and_si512(a, low));
    __m512i ah = _mm512_shuffle_epi8(table_at(tables + 16), _mm512_and_si512(_mm512_srli_epi16(a, 4), low));
    __m512i bl = _mm512_shuffle_epi8(table_at(tables + 32), _mm512_and_si512(b, low));
    __m512i bh = _mm512_shuffle_epi8(table_at(tables + 48), _mm512_and_si512(_mm512_srli_epi16(b, 4), low));

    return _mm512_add_epi8(_mm512_add_epi8(al, ah), _mm512_add_epi8(bl, bh));
}

/* Bytes are summed as words: `odd` gets each upper byte, `all` both, and what is too much is taken off at the end. */
AVX512 static void sum_block(const uint8_t *codes, const uint8_t *ahead, const uint8_t *tables, size_t columns, uint16_t *sums)
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512i all = _mm512_setzero_si512(), odd = all, even, low, high;

    for (size_t j = 0; j < columns; j += 2, codes += 128, ahead += 128, tables += 64) {
        __m512i s = two_columns(codes, tables);

        _mm_prefetch((const char *)ahead, _MM_HINT_T1);
        _mm_prefetch((const char *)ahead + 64, _MM_HINT_T1);
        all = _mm512_add_epi16(all, s);
        odd = _mm512_add_epi16(odd, _mm512_srli_epi16(s, 8));
    }
    even = _mm512_sub_epi16(all, _mm512_slli_epi16(odd, 8));
    low = _mm512_unpacklo_epi16(even, odd);
    high = _mm512_unpackhi_epi16(even, odd);
    _mm512_storeu_si512(sums, _mm512_permutex2var_epi64(low, first, high));
    _mm512_storeu_si512(sums + 32, _mm512_permutex2var_epi64(low, second, high));
}

AVX512 void scan_bits_avx512(const struct scan_bits *s)
{
    assert(s->columns % 2 == 0 && s->columns <= SCAN_COLUMNS_MAX);
    for (size_t b = 0; b < s->blocks; b++)
        if (!s->wanted || s->wanted[b])
            sum_block(scan_codes(s, b), scan_ahead(s, b), s->tables, s->columns, s->sums + b * SCAN_BLOCK);
}

INLINE uint64_t pick16(const uint16_t *sums, const float *factors, __m512 offset, __m512 floor)
{
    __m512 sum = _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)sums)));
    __m512 value = _mm512_mul_ps(_mm512_add_ps(sum, offset), _mm512_loadu_ps(factors));

    return _mm512_cmp_ps_mask(value, floor, _CMP_GE_OQ);
}

AVX512 size_t scan_pick_avx512(const struct scan_pick *s)
{
    const __m512 offset = _mm512_set1_ps(s->offset), floor = _mm512_set1_ps(s->floor);
    size_t n = 0;

    for (size_t b = 0; b < s->blocks; b++) {
        const uint16_t *sums = s->sums + b * SCAN_BLOCK;
        const float *factors = s->factors + scan_block(s->list, b) * SCAN_BLOCK;
        uint64_t picked = s->wanted ? s->wanted[b] : UINT64_MAX;

        if (picked)
            picked &= pick16(sums, factors, offset, floor) | pick16(sums + 16, factors + 16, offset, floor) << 16 |
                      pick16(sums + 32, factors + 32, offset, floor) << 32 |
                      pick16(sums + 48, factors + 48, offset, floor) << 48;
        s->picked[b] = picked;
        n += (size_t)__builtin_popcountll(picked);
    }
    return n;
}

/* ---- int8 codes: four rows share the loads of the query, while the next four are fetched */

enum { TOGETHER = 4, AHEAD = 2 * TOGETHER };

/* The sums of four registers, one in each lane. */
INLINE __m128i sums_of(__m512i a, __m512i b, __m512i c, __m512i d)
{
    __m512i ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    __m512i cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    __m512i all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));

    return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/* vpdpbusd wants one unsigned side: a row is lifted by 128 (flip the top bit), which adds 128 · Σ query. */
INLINE __m512i lifted(const int8_t *row)
{
    return _mm512_xor_si512(_mm512_loadu_si512(row), _mm512_set1_epi8(-128));
}

/* Row i of the list; past its end, the last. */
INLINE const int8_t *row_at(const struct scan_i8 *s, size_t i)
{
    return s->codes + s->rows[i < s->n ? i : s->n - 1] * s->columns;
}

INLINE void fetch(const int8_t *p)
{
    _mm_prefetch((const char *)p, _MM_HINT_T1);
}

/* One row after the other: what fetches memory by itself likes ascending addresses. */
INLINE __m512i one_row(const struct scan_i8 *s, size_t i)
{
    const int8_t *row = row_at(s, i), *ahead = row_at(s, i + AHEAD);
    __m512i even = _mm512_setzero_si512(), odd = even;
    size_t j = 0;

    for (; j + 128 <= s->columns; j += 128) {
        fetch(ahead + j);
        even = _mm512_dpbusd_epi32(even, lifted(row + j), _mm512_loadu_si512(s->query + j));
        fetch(ahead + j + 64);
        odd = _mm512_dpbusd_epi32(odd, lifted(row + j + 64), _mm512_loadu_si512(s->query + j + 64));
    }
    if (j < s->columns) {
        fetch(ahead + j);
        even = _mm512_dpbusd_epi32(even, lifted(row + j), _mm512_loadu_si512(s->query + j));
    }
    return _mm512_add_epi32(even, odd);
}

INLINE __m128i four_rows(const struct scan_i8 *s, size_t i)
{
    __m512i s0 = one_row(s, i), s1 = one_row(s, i + 1), s2 = one_row(s, i + 2), s3 = one_row(s, i + 3);

    return sums_of(s0, s1, s2, s3);
}

AVX512 void scan_i8_avx512(const struct scan_i8 *s)
{
    __m512i lift = _mm512_setzero_si512();
    __m128i excess;

    assert(s->columns % 64 == 0 && s->columns <= 8 * SCAN_COLUMNS_MAX);
    for (size_t j = 0; j < s->columns; j += 64)
        lift = _mm512_dpbusd_epi32(lift, _mm512_set1_epi8(-128), _mm512_loadu_si512(s->query + j));
    excess = sums_of(lift, lift, lift, lift);
    for (size_t i = 0; i < s->n && i < AHEAD; i++)
        for (size_t j = 0; j < s->columns; j += 64)
            fetch(row_at(s, i) + j);
    for (size_t i = 0; i < s->n; i += TOGETHER) {
        __m128i dots = _mm_sub_epi32(four_rows(s, i), excess);

        if (s->n - i >= TOGETHER)
            _mm_storeu_si128((__m128i *)(s->dots + i), dots);
        else
            for (size_t t = i; t < s->n; t++, dots = _mm_srli_si128(dots, 4))
                s->dots[t] = _mm_cvtsi128_si32(dots);
    }
}

#endif
