/* The scans for aarch64. */
#include "simd_impl.h"

#ifdef __aarch64__

#include <arm_neon.h>
#include <assert.h>

void hadamard_neon(float *x, size_t n)
{
    if (n < 8) {
        hadamard_scalar(x, n);
        return;
    }
    assert((n & (n - 1)) == 0);
    for (size_t i = 0; i < n; i += 4)
        hadamard_scalar(x + i, 4);
    for (size_t half = 4; half < n; half *= 2)
        for (size_t i = 0; i < n; i += 2 * half)
            for (size_t j = i; j < i + half; j += 4) {
                float32x4_t a = vld1q_f32(x + j), b = vld1q_f32(x + j + half);

                vst1q_f32(x + j, vaddq_f32(a, b));
                vst1q_f32(x + j + half, vsubq_f32(a, b));
            }
}

/* What two bytes of 16 rows stand for: at most 4 · SCAN_ENTRY_MAX. */
static inline uint8x16_t two_columns(const uint8_t *codes, const uint8_t *tables)
{
    uint8x16_t a = vld1q_u8(codes), b = vld1q_u8(codes + 64), low = vdupq_n_u8(15);
    uint8x16_t al = vqtbl1q_u8(vld1q_u8(tables), vandq_u8(a, low));
    uint8x16_t ah = vqtbl1q_u8(vld1q_u8(tables + 16), vshrq_n_u8(a, 4));
    uint8x16_t bl = vqtbl1q_u8(vld1q_u8(tables + 32), vandq_u8(b, low));
    uint8x16_t bh = vqtbl1q_u8(vld1q_u8(tables + 48), vshrq_n_u8(b, 4));

    return vaddq_u8(vaddq_u8(al, ah), vaddq_u8(bl, bh));
}

static void scan_neon_sum_block(const uint8_t *codes, const uint8_t *tables, size_t columns, uint16_t *sums)
{
    uint16x8_t low[4], high[4];

    for (int part = 0; part < 4; part++)
        low[part] = high[part] = vdupq_n_u16(0);
    for (size_t j = 0; j < columns; j += 2, codes += 128, tables += 64)
        for (int part = 0; part < 4; part++) {
            uint8x16_t s = two_columns(codes + 16 * part, tables);

            low[part] = vaddw_u8(low[part], vget_low_u8(s));
            high[part] = vaddw_high_u8(high[part], s);
        }
    for (int part = 0; part < 4; part++) {
        vst1q_u16(sums + 16 * part, low[part]);
        vst1q_u16(sums + 16 * part + 8, high[part]);
    }
}

void scan_bits_neon(const struct scan_bits *s)
{
    assert(s->columns % 2 == 0 && s->columns <= SCAN_COLUMNS_MAX);
    for (size_t b = 0; b < s->blocks; b++)
        if (!s->wanted || s->wanted[b])
            scan_neon_sum_block(scan_codes(s, b), s->tables, s->columns, s->sums + b * SCAN_BLOCK);
}

static inline uint64_t pick4(const uint16_t *sums, const float *factors, float32x4_t offset, float32x4_t floor)
{
    static const uint32_t BITS[4] = {1, 2, 4, 8};
    float32x4_t sum = vcvtq_f32_u32(vmovl_u16(vld1_u16(sums)));
    float32x4_t value = vmulq_f32(vaddq_f32(sum, offset), vld1q_f32(factors));

    return vaddvq_u32(vandq_u32(vcgeq_f32(value, floor), vld1q_u32(BITS)));
}

size_t scan_pick_neon(const struct scan_pick *s)
{
    const float32x4_t offset = vdupq_n_f32(s->offset), floor = vdupq_n_f32(s->floor);
    size_t n = 0;

    for (size_t b = 0; b < s->blocks; b++) {
        const float *factors = s->factors + scan_block(s->list, b) * SCAN_BLOCK;
        uint64_t wanted = s->wanted ? s->wanted[b] : UINT64_MAX, picked = 0;

        if (wanted)
            for (size_t r = 0; r < SCAN_BLOCK; r += 4)
                picked |= pick4(s->sums + b * SCAN_BLOCK + r, factors + r, offset, floor) << r;
        picked &= wanted;
        s->picked[b] = picked;
        n += (size_t)__builtin_popcountll(picked);
    }
    return n;
}

void scan_i8_neon(const struct scan_i8 *s)
{
    assert(s->columns % 64 == 0 && s->columns <= 8 * SCAN_COLUMNS_MAX);
    for (size_t i = 0; i < s->n; i++) {
        const int8_t *row = s->codes + s->rows[i] * s->columns;
        int32x4_t even = vdupq_n_s32(0), odd = even;

        for (size_t j = 0; j < s->columns; j += 16) {
            int8x16_t r = vld1q_s8(row + j), q = vld1q_s8(s->query + j);

            even = vpadalq_s16(even, vmull_s8(vget_low_s8(r), vget_low_s8(q)));
            odd = vpadalq_s16(odd, vmull_high_s8(r, q));
        }
        s->dots[i] = vaddvq_s32(vaddq_s32(even, odd));
    }
}

#endif
