/* The scans in plain C: the oracle of all others. */
#include <assert.h>

#include "simd_impl.h"

void hadamard_scalar(float *x, size_t n)
{
    assert(n && (n & (n - 1)) == 0);
    for (size_t half = 1; half < n; half *= 2)
        for (size_t i = 0; i < n; i += 2 * half)
            for (size_t j = i; j < i + half; j++) {
                float a = x[j], b = x[j + half];

                x[j] = a + b;
                x[j + half] = a - b;
            }
}

static void scan_scalar_sum_block(const struct scan_bits *s, size_t block)
{
    const uint8_t *codes = s->codes + scan_block(s->list, block) * s->columns * SCAN_BLOCK, *table = s->tables;
    uint16_t *sums = s->sums + block * SCAN_BLOCK;

    for (size_t r = 0; r < SCAN_BLOCK; r++)
        sums[r] = 0;
    for (size_t j = 0; j < s->columns; j++, codes += SCAN_BLOCK, table += SCAN_TABLE)
        for (size_t r = 0; r < SCAN_BLOCK; r++)
            sums[r] = (uint16_t)(sums[r] + table[codes[r] & 15] + table[16 + (codes[r] >> 4)]);
}

void scan_bits_scalar(const struct scan_bits *s)
{
    assert(s->columns % 2 == 0 && s->columns <= SCAN_COLUMNS_MAX);
    for (size_t b = 0; b < s->blocks; b++)
        if (!s->wanted || s->wanted[b])
            scan_scalar_sum_block(s, b);
}

size_t scan_pick_scalar(const struct scan_pick *s)
{
    size_t n = 0;

    for (size_t b = 0; b < s->blocks; b++) {
        const float *factors = s->factors + scan_block(s->list, b) * SCAN_BLOCK;
        uint64_t wanted = s->wanted ? s->wanted[b] : UINT64_MAX, picked = 0;

        for (uint64_t left = wanted; left; left &= left - 1) {
            size_t r = (size_t)__builtin_ctzll(left);

            if (((float)s->sums[b * SCAN_BLOCK + r] + s->offset) * factors[r] >= s->floor)
                picked |= left & (~left + 1);
        }
        s->picked[b] = picked;
        n += (size_t)__builtin_popcountll(picked);
    }
    return n;
}

void scan_i8_scalar(const struct scan_i8 *s)
{
    assert(s->columns % 64 == 0 && s->columns <= 8 * SCAN_COLUMNS_MAX);
    for (size_t i = 0; i < s->n; i++) {
        const int8_t *row = s->codes + s->rows[i] * s->columns;
        int32_t dot = 0;

        for (size_t j = 0; j < s->columns; j++)
            dot += s->query[j] * row[j];
        s->dots[i] = dot;
    }
}
