/* The products in plain C, sums in double: the oracle of all others, and what runs where none fits. */
#include <assert.h>
#include <string.h>

#include "simd_impl.h"

/* The epilogue that every product shares. */
static void gemm_scalar_store(const struct gemm *g, size_t row, size_t column, double sum)
{
    float *c = g->c + row * g->c_stride + column;

    if (g->bias)
        sum += (double)g->bias[column];
    if (g->add)
        sum += (double)*c;
    *c = g->relu && sum < 0 ? 0 : (float)sum;
}

void gemm_f32_scalar(const struct gemm *g)
{
    assert(g->columns % GEMM_PANEL == 0);
    for (size_t p = 0; p < g->columns / GEMM_PANEL; p++)
        for (size_t r = 0; r < g->rows; r++) {
            const float *a = (const float *)g->a + r * g->a_stride, *w = (const float *)g->w + p * g->w_panel;
            double sum[GEMM_PANEL] = {0};

            for (size_t k = 0; k < g->depth; k++, w += g->w_stride)
                for (size_t j = 0; j < GEMM_PANEL; j++)
                    sum[j] += (double)a[k] * (double)w[j];
            for (size_t j = 0; j < GEMM_PANEL; j++)
                gemm_scalar_store(g, r, p * GEMM_PANEL + j, sum[j]);
        }
}

static double from_bf16(uint16_t b)
{
    uint32_t bits = (uint32_t)b << 16;
    float f;

    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

void gemm_bf16_scalar(const struct gemm *g)
{
    assert(g->columns % GEMM_PANEL == 0 && g->depth % GEMM_PAIR == 0);
    for (size_t p = 0; p < g->columns / GEMM_PANEL; p++)
        for (size_t r = 0; r < g->rows; r++) {
            const uint16_t *a = (const uint16_t *)g->a + r * g->a_stride;
            const uint16_t *w = (const uint16_t *)g->w + p * GEMM_PANEL * g->depth;
            double sum[GEMM_PANEL] = {0};

            for (size_t k = 0; k < g->depth; k += GEMM_PAIR, w += GEMM_PAIR * GEMM_PANEL) {
                double first = from_bf16(a[k]), second = from_bf16(a[k + 1]);

                for (size_t j = 0; j < GEMM_PANEL; j++)
                    sum[j] += first * from_bf16(w[2 * j]) + second * from_bf16(w[2 * j + 1]);
            }
            for (size_t j = 0; j < GEMM_PANEL; j++)
                gemm_scalar_store(g, r, p * GEMM_PANEL + j, sum[j]);
        }
}

void gemm_i8_scalar(const struct gemm *g)
{
    assert(g->columns % GEMM_PANEL == 0 && g->depth % GEMM_FOUR == 0 && g->depth <= GEMM_DEPTH_I8);
    for (size_t p = 0; p < g->columns / GEMM_PANEL; p++)
        for (size_t r = 0; r < g->rows; r++) {
            const uint8_t *a = (const uint8_t *)g->a + r * g->a_stride;
            const int8_t *w = (const int8_t *)g->w + p * GEMM_PANEL * g->depth;
            int32_t sum[GEMM_PANEL] = {0};

            for (size_t k = 0; k < g->depth; k += GEMM_FOUR, w += GEMM_FOUR * GEMM_PANEL)
                for (size_t j = 0; j < GEMM_PANEL; j++)
                    for (size_t i = 0; i < GEMM_FOUR; i++)
                        sum[j] += a[k + i] * w[4 * j + i];
            for (size_t j = 0; j < GEMM_PANEL; j++) {
                size_t column = p * GEMM_PANEL + j;
                int64_t exact = (int64_t)sum[j] - (int64_t)g->a_zero[r] * g->w_sum[column];

                gemm_scalar_store(g, r, column, (double)g->a_scale[r] * (double)g->w_scale[column] * (double)exact);
            }
        }
}
