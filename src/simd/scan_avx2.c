/* The scans for x86-64 with AVX2. */
#include "simd_impl.h"

#ifdef __x86_64__

#include <assert.h>
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))
#define INLINE AVX2 static inline __attribute__((always_inline))

/* ---- the transform */

/* One step within a register: swapped holds each lane's partner, sign is −0 in the lanes that are second of their pairs
 * (there x is taken from its partner). */
INLINE __m256 step_within(__m256 x, __m256 swapped, __m256 sign)
{
    return _mm256_add_ps(swapped, _mm256_xor_ps(x, sign));
}

/* Three steps, over lanes 1, 2 and 4 apart. */
INLINE __m256 eight(__m256 x)
{
    const __m256 one = _mm256_setr_ps(0, -0.0f, 0, -0.0f, 0, -0.0f, 0, -0.0f);
    const __m256 two = _mm256_setr_ps(0, 0, -0.0f, -0.0f, 0, 0, -0.0f, -0.0f);
    const __m256 four = _mm256_setr_ps(0, 0, 0, 0, -0.0f, -0.0f, -0.0f, -0.0f);

    x = step_within(x, _mm256_permute_ps(x, 0xb1), one);
    x = step_within(x, _mm256_permute_ps(x, 0x4e), two);
    return step_within(x, _mm256_permute2f128_ps(x, x, 1), four);
}

AVX2 void hadamard_avx2(float *x, size_t n)
{
    if (n < 8) {
        hadamard_scalar(x, n);
        return;
    }
    assert((n & (n - 1)) == 0);
    for (size_t i = 0; i < n; i += 8)
        _mm256_storeu_ps(x + i, eight(_mm256_loadu_ps(x + i)));
    for (size_t half = 8; half < n; half *= 2)
        for (size_t i = 0; i < n; i += 2 * half)
            for (size_t j = i; j < i + half; j += 8) {
                __m256 a = _mm256_loadu_ps(x + j), b = _mm256_loadu_ps(x + j + half);

                _mm256_storeu_ps(x + j, _mm256_add_ps(a, b));
                _mm256_storeu_ps(x + j + half, _mm256_sub_ps(a, b));
            }
}

/* ---- 1-bit codes: a byte of 32 rows at a time, looked up four bits at a time */

INLINE __m256i table_at(const uint8_t *table)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table));
}

/* What two bytes of each row stand for: at most 4 · SCAN_ENTRY_MAX. */
INLINE __m256i two_columns(const uint8_t *codes, const uint8_t *tables)
{
    const __m256i low = _mm256_set1_epi8(15);
    __m256i a = _mm256_loadu_si256((const __m256i *)codes), b = _mm256_loadu_si256((const __m256i *)(codes + 64));
    __m256i al = _mm256_shuffle_epi8(table_at(tables), _mm256_and_si256(a, low));
    __m256i ah = _mm256_shuffle_epi8(table_at(tables + 16), _mm256_and_si256(_mm256_srli_epi16(a, 4), low));
    __m256i bl = _mm256_shuffle_epi8(table_at(tables + 32), _mm256_and_si256(b, low));
    __m256i bh = _mm256_shuffle_epi8(table_at(tables + 48), _mm256_and_si256(_mm256_srli_epi16(b, 4), low));

    return _mm256_add_epi8(_mm256_add_epi8(al, ah), _mm256_add_epi8(bl, bh));
}

/* Bytes are summed as words: `odd` gets each upper byte, `all` both, and what is too much is taken off at the end. */
INLINE void store_sums(__m256i all, __m256i odd, uint16_t *sums)
{
    __m256i even = _mm256_sub_epi16(all, _mm256_slli_epi16(odd, 8));
    __m256i low = _mm256_unpacklo_epi16(even, odd), high = _mm256_unpackhi_epi16(even, odd);

    _mm256_storeu_si256((__m256i *)sums, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(sums + 16), _mm256_permute2x128_si256(low, high, 0x31));
}

AVX2 static void sum_block(const uint8_t *codes, const uint8_t *ahead, const uint8_t *tables, size_t columns, uint16_t *sums)
{
    __m256i all0 = _mm256_setzero_si256(), odd0 = all0, all1 = all0, odd1 = all0;

    for (size_t j = 0; j < columns; j += 2, codes += 128, ahead += 128, tables += 64) {
        __m256i s0 = two_columns(codes, tables), s1 = two_columns(codes + 32, tables);

        _mm_prefetch((const char *)ahead, _MM_HINT_T1);
        _mm_prefetch((const char *)ahead + 64, _MM_HINT_T1);
        all0 = _mm256_add_epi16(all0, s0);
        odd0 = _mm256_add_epi16(odd0, _mm256_srli_epi16(s0, 8));
        all1 = _mm256_add_epi16(all1, s1);
        odd1 = _mm256_add_epi16(odd1, _mm256_srli_epi16(s1, 8));
    }
    store_sums(all0, odd0, sums);
    store_sums(all1, odd1, sums + 32);
}

AVX2 void scan_bits_avx2(const struct scan_bits *s)
{
    assert(s->columns % 2 == 0 && s->columns <= SCAN_COLUMNS_MAX);
    for (size_t b = 0; b < s->blocks; b++)
        if (!s->wanted || s->wanted[b])
            sum_block(scan_codes(s, b), scan_ahead(s, b), s->tables, s->columns, s->sums + b * SCAN_BLOCK);
}

INLINE uint64_t pick8(const uint16_t *sums, const float *factors, __m256 offset, __m256 floor)
{
    __m256 sum = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)sums)));
    __m256 value = _mm256_mul_ps(_mm256_add_ps(sum, offset), _mm256_loadu_ps(factors));

    return (uint64_t)(unsigned)_mm256_movemask_ps(_mm256_cmp_ps(value, floor, _CMP_GE_OQ));
}

AVX2 size_t scan_pick_avx2(const struct scan_pick *s)
{
    const __m256 offset = _mm256_set1_ps(s->offset), floor = _mm256_set1_ps(s->floor);
    size_t n = 0;

    for (size_t b = 0; b < s->blocks; b++) {
        const uint16_t *sums = s->sums + b * SCAN_BLOCK;
        const float *factors = s->factors + scan_block(s->list, b) * SCAN_BLOCK;
        uint64_t wanted = s->wanted ? s->wanted[b] : UINT64_MAX, picked = 0;

        if (wanted)
            for (size_t r = 0; r < SCAN_BLOCK; r += 8)
                picked |= pick8(sums + r, factors + r, offset, floor) << r;
        picked &= wanted;
        s->picked[b] = picked;
        n += (size_t)__builtin_popcountll(picked);
    }
    return n;
}

/* ---- int8 codes: two rows share the loads of the query */

enum { AHEAD = 12 };

INLINE void fetch_row(const struct scan_i8 *s, size_t i)
{
    const int8_t *row = s->codes + s->rows[i] * s->columns;

    for (size_t j = 0; j < s->columns; j += 64)
        _mm_prefetch((const char *)row + j, _MM_HINT_T1);
}

/* Widened to 16 bits before they are multiplied: vpmaddubsw would saturate. */
INLINE __m256i wide16(const int8_t *p)
{
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p));
}

INLINE int32_t sum_of(__m256i v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

INLINE void two_rows(const struct scan_i8 *s, size_t i, size_t j)
{
    const int8_t *a = s->codes + s->rows[i] * s->columns, *b = s->codes + s->rows[j] * s->columns;
    __m256i sum_a = _mm256_setzero_si256(), sum_b = sum_a;

    for (size_t c = 0; c < s->columns; c += 16) {
        __m256i q = wide16(s->query + c);

        sum_a = _mm256_add_epi32(sum_a, _mm256_madd_epi16(wide16(a + c), q));
        sum_b = _mm256_add_epi32(sum_b, _mm256_madd_epi16(wide16(b + c), q));
    }
    s->dots[i] = sum_of(sum_a);
    s->dots[j] = sum_of(sum_b);
}

AVX2 void scan_i8_avx2(const struct scan_i8 *s)
{
    assert(s->columns % 64 == 0 && s->columns <= 8 * SCAN_COLUMNS_MAX);
    for (size_t i = 0; i < s->n && i < AHEAD; i++)
        fetch_row(s, i);
    for (size_t i = 0; i < s->n; i += 2) {
        for (size_t ahead = i + AHEAD; ahead < s->n && ahead < i + AHEAD + 2; ahead++)
            fetch_row(s, ahead);
        two_rows(s, i, i + 1 < s->n ? i + 1 : i);
    }
}

#endif
