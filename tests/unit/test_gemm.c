/* Products of matrices and the rows of a transformer: every twin against exact sums, within the budgets of gemm.h and
   simd.h, on memory of exactly the size that is used. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simd.h"

#define ULP 0x1p-24

static uint32_t seed = 20240607;

static uint32_t next_random(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

static float random_float(void)
{
    return (float)(int32_t)(next_random() % 20001 - 10000) / 5000.0f;
}

/* Exactly n × size bytes, so that a sanitizer sees one too many. */
static void *exactly(size_t n, size_t size)
{
    void *p = malloc(n * size + (n == 0));

    assert_non_null(p);
    return p;
}

static float *random_floats(size_t n)
{
    float *p = exactly(n, sizeof *p);

    for (size_t i = 0; i < n; i++)
        p[i] = random_float();
    return p;
}

static double of_bf16(uint16_t b)
{
    uint32_t bits = (uint32_t)b << 16;
    float f;

    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* One product, with the numbers it stands for beside it. */
struct example {
    struct gemm g;
    double *a, *w; /* row by row */
    float *c_before;
    void *packed_a, *packed_w;
    float *bias;
};

static size_t packed_at(size_t depth, size_t k, size_t j, size_t group)
{
    return j / GEMM_PANEL * GEMM_PANEL * depth + (k / group * GEMM_PANEL + j % GEMM_PANEL) * group + k % group;
}

static struct example make(size_t rows, size_t depth, size_t columns, bool with_bias)
{
    struct example e = {.g = {.rows = rows, .depth = depth, .columns = columns, .c_stride = columns + 3}};

    e.a = exactly(rows * depth, sizeof *e.a);
    e.w = exactly(depth * columns, sizeof *e.w);
    e.bias = with_bias ? random_floats(columns) : NULL;
    e.c_before = random_floats(rows * e.g.c_stride);
    e.g.bias = e.bias;
    e.g.a_stride = depth;
    return e;
}

static void done(struct example *e)
{
    free(e->a);
    free(e->w);
    free(e->c_before);
    free(e->packed_a);
    free(e->packed_w);
    free(e->bias);
}

/* Runs the product into fresh memory and compares each number; budget: roundings of each sum. */
static void run(struct example *e, const struct simd_kernels *k, void (*gemm)(const struct gemm *g), double budget)
{
    size_t n = e->g.rows * e->g.c_stride;
    float *c = exactly(n, sizeof *c);

    if (n)
        memcpy(c, e->c_before, n * sizeof *c);
    e->g.c = c;
    gemm(&e->g);
    for (size_t r = 0; r < e->g.rows; r++)
        for (size_t j = 0; j < e->g.c_stride; j++) {
            float before = e->c_before[r * e->g.c_stride + j], got = c[r * e->g.c_stride + j];
            double exact = 0, size = 0;

            if (j >= e->g.columns) {
                assert_true(got == before); /* what lies between the rows is not touched */
                continue;
            }
            for (size_t i = 0; i < e->g.depth; i++) {
                double one = e->a[r * e->g.depth + i] * e->w[i * e->g.columns + j];

                exact += one;
                size += fabs(one);
            }
            exact += (e->bias ? (double)e->bias[j] : 0) + (e->g.add ? (double)before : 0);
            size += (e->bias ? fabs((double)e->bias[j]) : 0) + (e->g.add ? fabs((double)before) : 0);
            if (e->g.relu && exact < 0)
                exact = 0;
            if (fabs((double)got - exact) > budget * ULP * size)
                fail_msg("%s: %zu rows, depth %zu, %zu columns: [%zu][%zu] is %.9g, not %.9g", k->name, e->g.rows,
                         e->g.depth, e->g.columns, r, j, (double)got, exact);
        }
    free(c);
}

static void check_f32(const struct simd_kernels *k, size_t rows, size_t depth, size_t columns, unsigned how)
{
    struct example e = make(rows, depth, columns, how & 1);
    float *a = random_floats(rows * depth), *w = random_floats(depth * columns);

    for (size_t i = 0; i < rows * depth; i++)
        e.a[i] = (double)a[i];
    for (size_t i = 0; i < depth; i++)
        for (size_t j = 0; j < columns; j++)
            e.w[i * columns + j] = (double)w[packed_at(depth, i, j, 1)];
    e.g.a = e.packed_a = a;
    e.g.w = e.packed_w = w;
    e.g.w_stride = GEMM_PANEL;
    e.g.w_panel = GEMM_PANEL * depth;
    e.g.add = how & 2;
    e.g.relu = how & 4;
    run(&e, k, k->gemm_f32, (double)depth + 4);
    done(&e);
}

/* Weights that are rows of a wider matrix, as values are in attention. */
static void check_f32_in_place(const struct simd_kernels *k, size_t rows, size_t depth, size_t columns)
{
    struct example e = make(rows, depth, columns, false);
    size_t stride = columns + 5;
    float *a = random_floats(rows * depth), *w = random_floats((depth - 1) * stride + columns);

    for (size_t i = 0; i < rows * depth; i++)
        e.a[i] = (double)a[i];
    for (size_t i = 0; i < depth; i++)
        for (size_t j = 0; j < columns; j++)
            e.w[i * columns + j] = (double)w[i * stride + j];
    e.g.a = e.packed_a = a;
    e.g.w = e.packed_w = w;
    e.g.w_stride = stride;
    e.g.w_panel = GEMM_PANEL;
    run(&e, k, k->gemm_f32, (double)depth + 4);
    done(&e);
}

static void check_bf16(const struct simd_kernels *k, size_t rows, size_t depth, size_t columns, unsigned how)
{
    struct example e = make(rows, depth, columns, how & 1);
    uint16_t *a = exactly(rows * depth, sizeof *a), *w = exactly(depth * columns, sizeof *w);

    for (size_t i = 0; i < rows * depth; i++) {
        float x = random_float();

        k->to_bf16(&x, 1, a + i);
        e.a[i] = of_bf16(a[i]);
    }
    for (size_t i = 0; i < depth; i++)
        for (size_t j = 0; j < columns; j++) {
            float x = random_float();

            k->to_bf16(&x, 1, w + packed_at(depth, i, j, GEMM_PAIR));
            e.w[i * columns + j] = of_bf16(w[packed_at(depth, i, j, GEMM_PAIR)]);
        }
    e.g.a = e.packed_a = a;
    e.g.w = e.packed_w = w;
    e.g.add = how & 2;
    e.g.relu = how & 4;
    run(&e, k, k->gemm_bf16, 2 * ((double)depth + 4));
    done(&e);
}

/* The numbers are small enough for the scaled sum to be compared as one: 8 roundings at most besides it. */
static void check_i8(const struct simd_kernels *k, size_t rows, size_t depth, size_t columns, unsigned how)
{
    struct example e = make(rows, depth, columns, how & 1);
    uint8_t *a = exactly(rows * depth, 1);
    int8_t *w = exactly(depth * columns, 1);
    float *a_scale = random_floats(rows), *w_scale = random_floats(columns);
    int32_t *a_zero = exactly(rows, sizeof *a_zero), *w_sum = exactly(columns, sizeof *w_sum);

    for (size_t r = 0; r < rows; r++) {
        a_zero[r] = (int32_t)(next_random() % 256);
        for (size_t i = 0; i < depth; i++) {
            a[r * depth + i] = (uint8_t)(how & 8 ? 255 : next_random());
            e.a[r * depth + i] = (double)a_scale[r] * (a[r * depth + i] - a_zero[r]);
        }
    }
    for (size_t j = 0; j < columns; j++) {
        w_sum[j] = 0;
        for (size_t i = 0; i < depth; i++) {
            int8_t x = (int8_t)(how & 8 ? (j % 2 ? 127 : -127) : (int)(next_random() % 255) - 127);

            w[packed_at(depth, i, j, GEMM_FOUR)] = x;
            w_sum[j] += x;
            e.w[i * columns + j] = (double)w_scale[j] * x;
        }
    }
    e.g.a = e.packed_a = a;
    e.g.w = e.packed_w = w;
    e.g.a_scale = a_scale;
    e.g.a_zero = a_zero;
    e.g.w_scale = w_scale;
    e.g.w_sum = w_sum;
    e.g.add = how & 2;
    e.g.relu = how & 4;
    run(&e, k, k->gemm_i8, 8);
    done(&e);
    free(a_scale);
    free(w_scale);
    free(a_zero);
    free(w_sum);
}

static void products_are_exact_enough(void **state)
{
    static const size_t DEPTHS[] = {4, 8, 28, 64, 100, 256};
    const struct simd_kernels *k;

    (void)state;
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        for (size_t rows = 0; rows <= 19; rows++)
            for (size_t d = 0; d < sizeof DEPTHS / sizeof *DEPTHS; d++) {
                unsigned how = (unsigned)(rows + d) % 8;

                check_f32(k, rows, DEPTHS[d] - d % 3, GEMM_PANEL * (1 + rows % 3), how);
                check_bf16(k, rows, DEPTHS[d], GEMM_PANEL * (1 + rows % 3), how);
                check_i8(k, rows, DEPTHS[d], GEMM_PANEL * (1 + rows % 3), how);
                if (rows)
                    check_f32_in_place(k, rows, DEPTHS[d] - d % 3, GEMM_PANEL * (1 + rows % 2));
            }
}

static void products_of_a_model_s_size(void **state)
{
    const struct simd_kernels *k;

    (void)state;
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++) {
        check_f32(k, 9, 1536, 64, 7);
        check_bf16(k, 9, 1536, 64, 7);
        check_i8(k, 9, 1536, 64, 7);
        check_i8(k, 3, 1536, 64, 8); /* all at the ends of their ranges */
    }
}

static void an_empty_sum_is_the_bias(void **state)
{
    const struct simd_kernels *k;

    (void)state;
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++) {
        check_f32(k, 5, 0, 32, 1);
        check_bf16(k, 5, 0, 32, 3);
        check_i8(k, 5, 0, 32, 1);
    }
}

/* ---- rows */

static void layer_norm_of_every_length(void **state)
{
    const struct simd_kernels *k, *oracle = simd_choose("scalar", NULL, 0);

    (void)state;
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        for (size_t n = 1; n <= 600; n += n < 70 ? 1 : 37) {
            float *x = random_floats(n), *gain = random_floats(n), *bias = random_floats(n);
            float *out = exactly(n, sizeof *out), *exact = exactly(n, sizeof *exact);

            k->layer_norm(x, n, n % 2 ? 1e-6 : 1e-12, gain, bias, out);
            oracle->layer_norm(x, n, n % 2 ? 1e-6 : 1e-12, gain, bias, exact);
            for (size_t j = 0; j < n; j++)
                assert_true(fabs((double)out[j] - (double)exact[j]) <= 1e-5 * (1 + fabs((double)exact[j])));
            k->layer_norm(x, n, n % 2 ? 1e-6 : 1e-12, gain, bias, x);
            assert_memory_equal(x, out, n * sizeof *x);
            free(x);
            free(gain);
            free(bias);
            free(out);
            free(exact);
        }
}

static void softmax_of_every_length(void **state)
{
    const struct simd_kernels *k;

    (void)state;
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        for (size_t n = 1; n <= 140; n++) {
            float *x = random_floats(n), *out = exactly(n, sizeof *out), far = n % 3 ? 1 : 100;
            double sum = 0, top = -INFINITY;

            for (size_t j = 0; j < n; j++) {
                out[j] = x[j] *= far;
                top = fmax(top, (double)x[j]);
            }
            k->softmax(out, n, 0.125f);
            for (size_t j = 0; j < n; j++)
                sum += exp(0.125 * ((double)x[j] - top));
            for (size_t j = 0; j < n; j++)
                assert_true(fabs((double)out[j] - exp(0.125 * ((double)x[j] - top)) / sum) <= 0x1p-20);
            free(x);
            free(out);
        }
}

static double gelu_exactly(double x)
{
    return x * 0.5 * erfc(-x * M_SQRT1_2);
}

/* Lengths on memory of exactly their size, then every size of number. */
static void gelu_of_every_size(void **state)
{
    const struct simd_kernels *k;

    (void)state;
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++) {
        for (size_t n = 1; n <= 70; n++) {
            float *x = random_floats(n), *out = exactly(n, sizeof *out);

            for (size_t j = 0; j < n; j++)
                out[j] = x[j] *= j % 5 == 0 ? 1e-6f : j % 5 == 1 ? 40 : 1;
            k->gelu(out, n);
            for (size_t j = 0; j < n; j++)
                assert_true(fabs((double)out[j] - gelu_exactly((double)x[j])) <= 0x1p-22 * fmax(1, fabs((double)x[j])));
            free(x);
            free(out);
        }
        for (int j = -800; j <= 800; j++) {
            float x = (float)j / 64, far[] = {0.0f, -0.0f, 1e30f, -1e30f};
            double exact = gelu_exactly((double)x);

            k->gelu(&x, 1);
            assert_true(fabs((double)x - exact) <= 0x1p-22 * fmax(1, fabs((double)j / 64)));
            k->gelu(far, 4);
            assert_true(far[0] == 0 && far[1] == 0 && far[2] == 1e30f && fabsf(far[3]) < 1e-8f);
        }
    }
}

static void tanh_of_every_size(void **state)
{
    const struct simd_kernels *k;

    (void)state;
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        for (size_t n = 1; n <= 40; n++) {
            float *x = random_floats(n), *out = exactly(n, sizeof *out);

            for (size_t j = 0; j < n; j++)
                out[j] = x[j] *= j % 5 == 0 ? 1e-6f : j % 5 == 1 ? 40 : 1;
            k->tanh(out, n);
            for (size_t j = 0; j < n; j++)
                assert_true(fabs((double)out[j] - tanh((double)x[j])) <= 0x1p-21);
            free(x);
            free(out);
        }
}

/* Every finite number of 16 bits, in rows of every length up to 64. */
static void halves_are_exact(void **state)
{
    const struct simd_kernels *k;

    (void)state;
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        for (uint32_t first = 0, n = 1; first < 0x10000; first += n, n = n % 64 + 1) {
            size_t rows = first + n > 0x10000 ? 0x10000 - first : n;
            uint16_t *x = exactly(rows, sizeof *x);
            float *out = exactly(rows, sizeof *out);

            for (size_t j = 0; j < rows; j++)
                x[j] = (uint16_t)(first + j);
            k->from_half(x, rows, out);
            for (size_t j = 0; j < rows; j++) {
                int power = x[j] >> 10 & 31, part = x[j] & 1023;
                double exact = power ? ldexp(1024 + part, power - 25) : ldexp(part, -24);

                if (power < 31)
                    assert_true((double)out[j] == (x[j] & 0x8000 ? -exact : exact));
            }
            free(x);
            free(out);
        }
}

static void bf16_is_the_same_everywhere(void **state)
{
    const float edges[] = {0.0f, -0.0f, 1.00390625f, 1.01171875f, 3.4e38f, -3.4e38f, 1e-40f, INFINITY, -INFINITY, NAN};
    const struct simd_kernels *k, *oracle = simd_choose("scalar", NULL, 0);

    (void)state;
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        for (size_t n = 1; n <= 50; n++) {
            float *x = random_floats(n);
            uint16_t *out = exactly(n, sizeof *out), *exact = exactly(n, sizeof *exact);

            for (size_t j = 0; j < n && n > 30 && j < sizeof edges / sizeof *edges; j++)
                x[j] = edges[j];
            k->to_bf16(x, n, out);
            oracle->to_bf16(x, n, exact);
            assert_memory_equal(out, exact, n * sizeof *out);
            if (n > 30) {
                assert_int_equal(exact[2], 0x3f80); /* a tie, to even: down */
                assert_int_equal(exact[3], 0x3f82); /* and up */
                assert_int_equal(exact[7], 0x7f80);
                assert_true((exact[9] & 0x7f) != 0);
            }
            free(x);
            free(out);
            free(exact);
        }
}

/* Bytes may differ by one where the twins' divisions round differently; what they stand for is always near. */
static void check_quantized(const float *x, size_t n, const uint8_t *q, struct quantized s)
{
    double low = 0, high = 0;

    for (size_t i = 0; i < n; i++) {
        low = fmin(low, (double)x[i]);
        high = fmax(high, (double)x[i]);
    }
    assert_in_range(s.zero, 0, 255);
    for (size_t i = 0; i < n; i++) {
        double back = (double)s.scale * (q[i] - s.zero);

        assert_true(fabs(back - (double)x[i]) <= (high - low) / 255 * 1.01 + 1e-30);
        if (x[i] == 0)
            assert_int_equal(q[i], s.zero);
    }
}

static void quantizing_loses_a_step_at_most(void **state)
{
    const struct simd_kernels *k;

    (void)state;
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        for (size_t n = 1; n <= 150; n++) {
            float *x = random_floats(n);
            uint8_t *q = exactly(n, 1);

            for (size_t j = 0; j < n; j++)
                x[j] = n % 4 == 1 ? fabsf(x[j]) : n % 4 == 2 ? -fabsf(x[j]) : n % 16 == 3 ? 0 : x[j];
            x[n / 2] = 0;
            check_quantized(x, n, q, k->quantize(x, n, q));
            for (size_t j = 0; j < n; j++)
                x[j] *= 1e-33f;
            check_quantized(x, n, q, k->quantize(x, n, q));
            free(x);
            free(q);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_exact_enough),  cmocka_unit_test(products_of_a_model_s_size),
        cmocka_unit_test(an_empty_sum_is_the_bias),   cmocka_unit_test(layer_norm_of_every_length),
        cmocka_unit_test(gelu_of_every_size),
        cmocka_unit_test(softmax_of_every_length),    cmocka_unit_test(tanh_of_every_size),
        cmocka_unit_test(bf16_is_the_same_everywhere), cmocka_unit_test(halves_are_exact),
        cmocka_unit_test(quantizing_loses_a_step_at_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
