/* Attention in float, and in bf16 for the precisions that round the weights as well. */
#include "attention.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define HEAD_MAX 128 /* numbers of a head */

_Static_assert(ATTENTION_TOKENS % GEMM_PANEL == 0 && HEAD_MAX % GEMM_PANEL == 0, "whole panels are enough");

static size_t whole_panels(size_t n)
{
    return (n + GEMM_PANEL - 1) / GEMM_PANEL * GEMM_PANEL;
}

/* Every part is a whole number of cache lines. */
static size_t lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

struct sizes {
    size_t scores, keys, values16, shares16, qkv16;
};

static struct sizes sizes_of(const struct attention_shape *shape, size_t n)
{
    size_t number = shape->in_bf16 ? sizeof(uint16_t) : sizeof(float), head = shape->dim / shape->heads;
    size_t columns = whole_panels(n), even = (n + 1) / 2 * 2;
    struct sizes s = {.scores = lines(n * columns * sizeof(float)), .keys = lines(columns * head * number)};

    if (shape->in_bf16) {
        s.values16 = lines(even * head * number);
        s.shares16 = lines(n * even * number);
        s.qkv16 = lines(n * 3 * shape->dim * number);
    }
    return s;
}

size_t attention_size(const struct attention_shape *shape, size_t longest)
{
    struct sizes s = sizes_of(shape, longest);

    return s.scores + s.keys + s.values16 + s.shares16 + s.qkv16;
}

struct attention attention_over(const struct simd_kernels *k, const struct attention_shape *shape, size_t longest, void *memory)
{
    struct sizes s = sizes_of(shape, longest);
    struct attention a = {.k = k, .shape = *shape, .scores = memory};
    uint8_t *at = (uint8_t *)memory + s.scores;

    a.keys = (float *)at;
    a.keys16 = (uint32_t *)at;
    a.values16 = (uint32_t *)(at += s.keys);
    a.shares16 = (uint16_t *)(at += s.values16);
    a.qkv16 = (uint16_t *)(at + s.shares16);
    return a;
}

static void softmax_rows(const struct attention *a, size_t n, size_t head)
{
    float scale = 1 / sqrtf((float)head);

    for (size_t r = 0; r < n; r++)
        a->k->softmax(a->scores + r * whole_panels(n), n, scale);
}

/* ---- float: the values are used where they lie */

/* Columns without a key stay 0. */
static void pack_keys(float *out, const float *keys, size_t n, size_t stride, size_t head)
{
    if (n % GEMM_PANEL)
        memset(out + n / GEMM_PANEL * GEMM_PANEL * head, 0, GEMM_PANEL * head * sizeof *out);
    for (size_t t = 0; t < n; t++) {
        float *to = out + t / GEMM_PANEL * GEMM_PANEL * head + t % GEMM_PANEL;

        for (size_t i = 0; i < head; i++)
            to[i * GEMM_PANEL] = keys[t * stride + i];
    }
}

static void attend_f32(const struct attention *a, const float *qkv, size_t n, size_t dim, float *out, size_t out_stride)
{
    size_t head = dim / a->shape.heads, columns = whole_panels(n);
    struct gemm likeness = {
        .rows = n, .depth = head, .columns = columns, .a = qkv, .a_stride = 3 * dim,
        .w = a->keys, .w_stride = GEMM_PANEL, .w_panel = GEMM_PANEL * head, .c = a->scores, .c_stride = columns,
    };
    struct gemm answer = {
        .rows = n, .depth = n, .columns = head, .a = a->scores, .a_stride = columns,
        .w = qkv + 2 * dim, .w_stride = 3 * dim, .w_panel = GEMM_PANEL, .c = out, .c_stride = out_stride,
    };

    pack_keys(a->keys, qkv + dim, n, 3 * dim, head);
    a->k->gemm_f32(&likeness);
    softmax_rows(a, n, head);
    a->k->gemm_f32(&answer);
}

/* ---- bf16: two neighbours always travel together */

static uint32_t pair(uint16_t first, uint16_t second)
{
    return (uint32_t)second << 16 | first;
}

static void pack_keys16(uint32_t *out, const uint16_t *keys, size_t n, size_t stride, size_t head)
{
    if (n % GEMM_PANEL)
        memset(out + n / GEMM_PANEL * GEMM_PANEL * head / 2, 0, GEMM_PANEL * head / 2 * sizeof *out);
    for (size_t t = 0; t < n; t++) {
        uint32_t *to = out + t / GEMM_PANEL * GEMM_PANEL * head / 2 + t % GEMM_PANEL;

        for (size_t i = 0; i < head / 2; i++)
            to[i * GEMM_PANEL] = pair(keys[t * stride + 2 * i], keys[t * stride + 2 * i + 1]);
    }
}

/* Pairs of tokens; one without a partner gets a 0. */
static void pack_values16(uint32_t *out, const uint16_t *values, size_t n, size_t stride, size_t head)
{
    static const uint16_t NOTHING[HEAD_MAX];
    size_t pairs = (n + 1) / 2;

    for (size_t t = 0; t < pairs; t++) {
        const uint16_t *first = values + 2 * t * stride, *second = 2 * t + 1 < n ? first + stride : NOTHING;

        for (size_t p = 0; p < head / GEMM_PANEL; p++) {
            uint32_t *to = out + (p * pairs + t) * GEMM_PANEL;

            for (size_t j = 0; j < GEMM_PANEL; j++)
                to[j] = pair(first[p * GEMM_PANEL + j], second[p * GEMM_PANEL + j]);
        }
    }
}

static void attend_bf16(const struct attention *a, const uint16_t *qkv, size_t n, size_t dim, float *out,
                        size_t out_stride)
{
    size_t head = dim / a->shape.heads, columns = whole_panels(n), even = (n + 1) / 2 * 2;
    struct gemm likeness = {
        .rows = n, .depth = head, .columns = columns, .a = qkv, .a_stride = 3 * dim, .w = a->keys16,
        .c = a->scores, .c_stride = columns,
    };
    struct gemm answer = {
        .rows = n, .depth = even, .columns = head, .a = a->shares16, .a_stride = even, .w = a->values16,
        .c = out, .c_stride = out_stride,
    };

    pack_keys16(a->keys16, qkv + dim, n, 3 * dim, head);
    pack_values16(a->values16, qkv + 2 * dim, n, 3 * dim, head);
    a->k->gemm_bf16(&likeness);
    softmax_rows(a, n, head);
    for (size_t r = 0; r < n; r++) {
        a->shares16[r * even + even - 1] = 0;
        a->k->to_bf16(a->scores + r * columns, n, a->shares16 + r * even);
    }
    a->k->gemm_bf16(&answer);
}

void attend(const struct attention *a, const float *qkv, size_t n, size_t dim, float *out, size_t out_stride)
{
    size_t head = dim / a->shape.heads;

    assert(n >= 1 && n <= ATTENTION_TOKENS && dim <= a->shape.dim && head <= HEAD_MAX && head % GEMM_PANEL == 0);
    if (a->shape.in_bf16)
        a->k->to_bf16(qkv, n * 3 * dim, a->qkv16);
    for (size_t h = 0; h < a->shape.heads; h++)
        if (a->shape.in_bf16)
            attend_bf16(a, a->qkv16 + h * head, n, dim, out + h * head, out_stride);
        else
            attend_f32(a, qkv + h * head, n, dim, out + h * head, out_stride);
}
