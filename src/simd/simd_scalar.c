/* The kernels in plain C, sums in double: the oracle of all others, and what runs where none fits. */
#include <assert.h>

#include "simd_impl.h"

static float simd_scalar_dot_f32(const float *a, const float *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return (float)sum;
}

static int32_t simd_scalar_dot_i8(const int8_t *a, const int8_t *b, size_t n)
{
    int32_t sum = 0;

    assert(n <= SIMD_I8_MAX);
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

const struct simd_kernels simd_scalar = { .name = "scalar", .dot_f32 = simd_scalar_dot_f32, .dot_i8 = simd_scalar_dot_i8,
    SIMD_MATRIX_ROW(scalar), SIMD_SCAN_ROW(scalar) };
