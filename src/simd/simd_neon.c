/* The kernels for aarch64; baseline Advanced SIMD, so nothing needs to be asked of the CPU. */
#include "simd_impl.h"

#ifdef __aarch64__

#include <arm_neon.h>
#include <assert.h>

static float simd_neon_dot_f32(const float *a, const float *b, size_t n)
{
    float32x4_t s0 = vdupq_n_f32(0), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;
    float sum;

    for (; n - i >= 16; i += 16) {
        s0 = vfmaq_f32(s0, vld1q_f32(a + i), vld1q_f32(b + i));
        s1 = vfmaq_f32(s1, vld1q_f32(a + i + 4), vld1q_f32(b + i + 4));
        s2 = vfmaq_f32(s2, vld1q_f32(a + i + 8), vld1q_f32(b + i + 8));
        s3 = vfmaq_f32(s3, vld1q_f32(a + i + 12), vld1q_f32(b + i + 12));
    }
    for (; n - i >= 4; i += 4)
        s0 = vfmaq_f32(s0, vld1q_f32(a + i), vld1q_f32(b + i));
    sum = vaddvq_f32(vaddq_f32(vaddq_f32(s0, s1), vaddq_f32(s2, s3)));
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static int32_t simd_neon_dot_i8(const int8_t *a, const int8_t *b, size_t n)
{
    int32x4_t s0 = vdupq_n_s32(0), s1 = s0;
    size_t i = 0;
    int32_t sum;

    assert(n <= SIMD_I8_MAX);
    for (; n - i >= 16; i += 16) {
        int8x16_t va = vld1q_s8(a + i), vb = vld1q_s8(b + i);

        /* each product goes to 32 bits on its own: two of (−128)² no longer fit 16 */
        s0 = vpadalq_s16(s0, vmull_s8(vget_low_s8(va), vget_low_s8(vb)));
        s1 = vpadalq_s16(s1, vmull_high_s8(va, vb));
    }
    sum = vaddvq_s32(vaddq_s32(s0, s1));
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

const struct simd_kernels simd_neon = { .name = "neon", .dot_f32 = simd_neon_dot_f32, .dot_i8 = simd_neon_dot_i8,
    SIMD_MATRIX_ROW(scalar), SIMD_SCAN_ROW(neon) };

#endif
