/* Codes of vectors: cosines made of them against those of the vectors, for every length and for awkward numbers. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "codes.h"
#include "vectors.h"

#define EACH(k) (size_t ki_ = 0; ((k) = simd_available(ki_)) != NULL; ki_++)

/* Codes of one vector in memory of their exact size. */
struct coded {
    struct code code;
    size_t width;
};

static struct coded code_of(const struct codec *c, const float *v)
{
    struct coded out = {.width = codec_width(c)};

    out.code.bits = malloc(out.width / 8);
    out.code.bytes = malloc(out.width);
    out.code.rest = malloc(out.width / 4);
    assert_true(out.code.bits && out.code.bytes && out.code.rest);
    assert_true(codec_encode(c, v, &out.code));
    return out;
}

static void coded_done(struct coded *c)
{
    free(c->code.bits);
    free(c->code.bytes);
    free(c->code.rest);
}

/* (sum − centre) · unit: the cosine by bits before the factor. */
static double bits_value(const struct code_query *q, const struct coded *c)
{
    double sum = 0;

    for (size_t j = 0; j < c->width / 8; j++)
        sum += q->tables[j * SCAN_TABLE + (c->code.bits[j] & 15)] + q->tables[j * SCAN_TABLE + 16 + (c->code.bits[j] >> 4)];
    return (sum - (double)q->centre) * (double)q->unit;
}

static double cosine_by_bytes(const struct code_query *q, const struct coded *c)
{
    int32_t dot = codec_simd(q->codec)->dot_i8(q->bytes, c->code.bytes, c->width);

    return (double)dot * (double)q->scale * (double)c->code.scale;
}

static void check_pair(const struct codec *c, const float *v, const float *w)
{
    size_t dim = codec_dim(c);
    struct arena *a = arena_new(1 << 20);
    struct coded coded = code_of(c, w);
    struct code_query q;
    double truth = vectors_cosine(v, w, dim), by_bits, by_bytes, closely, exact;

    assert_true(codec_query(c, a, v, &q));
    closely = (double)codes_closely(&q, coded.code.bytes, coded.code.rest);
    by_bits = bits_value(&q, &coded) * (double)coded.code.factor;
    by_bytes = cosine_by_bytes(&q, &coded);
    exact = (double)codes_cosine(&q, w);
    if (!(fabs(exact - truth) <= 4e-6))
        fail_msg("dim %zu: cosine %.9g, by float32 %.9g", dim, truth, exact);
    if (!(fabs(by_bytes - truth) <= (double)codes_bytes_slack(&q, (float)truth, 6)))
        fail_msg("dim %zu: cosine %.9g, by bytes %.9g", dim, truth, by_bytes);
    if (!(fabs(closely - truth) <= (double)codes_closely_slack(&q, (float)truth, 6) + 2e-6))
        fail_msg("dim %zu: cosine %.9g, closely %.9g", dim, truth, closely);
    if (!(fabs(by_bits - truth) <= (double)(codes_bits_slack(&q, (float)truth, 6) * coded.code.factor)))
        fail_msg("dim %zu: cosine %.9g, by bits %.9g", dim, truth, by_bits);
    coded_done(&coded);
    arena_free(a);
}

static void cosines_of_every_length(void **unused)
{
    (void)unused;
    for (size_t dim = 1; dim <= CODES_DIM_MAX; dim += dim < 200 ? 1 : 1 + dim / 9) {
        struct codec *c = codec_new(simd_available(0), dim);
        struct vectors v = vectors_new(40, dim, VECTORS_CLUSTERED, dim);

        assert_non_null(c);
        assert_int_equal(codec_dim(c), dim);
        assert_true(codec_width(c) >= dim && codec_width(c) < dim + 64 && codec_width(c) % 64 == 0);
        for (size_t i = 0; i + 1 < v.n; i++)
            check_pair(c, v.rows + i * dim, v.rows + (i + 1) * dim);
        vectors_done(&v);
        codec_free(c);
    }
}

static void the_longest_and_one_that_is_no_power_of_two(void **unused)
{
    static const size_t DIMS[] = {CODES_DIM_MAX, CODES_DIM_MAX - 1, 768, 384, 300, 65};

    (void)unused;
    for (size_t d = 0; d < sizeof DIMS / sizeof DIMS[0]; d++) {
        struct codec *c = codec_new(simd_available(0), DIMS[d]);
        struct vectors v = vectors_new(60, DIMS[d], VECTORS_RANDOM, d);

        assert_non_null(c);
        for (size_t i = 0; i + 1 < v.n; i++)
            check_pair(c, v.rows + i * DIMS[d], v.rows + (i + 1) * DIMS[d]);
        vectors_done(&v);
        codec_free(c);
    }
}

/* A vector with one coordinate, or two, is what a rotation that mixes badly would not spread. */
static void sparse_vectors_are_spread(void **unused)
{
    static const size_t DIMS[] = {64, 100, 320, 512, 576, 768, 1536, 4032};

    (void)unused;
    for (size_t d = 0; d < sizeof DIMS / sizeof DIMS[0]; d++) {
        size_t dim = DIMS[d], step = dim / 32;
        struct codec *c = codec_new(simd_available(0), dim);
        float *v = calloc(dim, sizeof *v), *w = calloc(dim, sizeof *w);

        assert_true(c && v && w);
        for (size_t i = 0; i < dim; i += step)
            for (size_t j = i ? i - step : 0; j <= i; j += step) {
                v[i] = 1;
                w[i] += 0.5f;
                w[j] += 1;
                check_pair(c, v, w);
                v[i] = w[i] = w[j] = 0;
            }
        free(v);
        free(w);
        codec_free(c);
    }
}

/* How often the truth is further than z standard deviations above what bits say. */
static void bits_err_as_often_as_they_may(void **unused)
{
    enum { DIM = 512, N = 3000 };
    struct codec *c = codec_new(simd_available(0), DIM);
    struct vectors v = vectors_new(N, DIM, VECTORS_CLUSTERED, 1);
    struct arena *a = arena_new(1 << 20);
    struct code_query q;
    size_t over_1 = 0, over_3 = 0;
    double bias = 0;

    (void)unused;
    assert_true(c && codec_query(c, a, v.rows, &q));
    for (size_t i = 1; i < N; i++) {
        struct coded coded = code_of(c, v.rows + i * DIM);
        double truth = vectors_cosine(v.rows, v.rows + i * DIM, DIM), factor = (double)coded.code.factor;
        double below = truth - bits_value(&q, &coded) * factor;

        over_1 += below > (double)codes_bits_slack(&q, (float)truth, 1) * factor;
        over_3 += below > (double)codes_bits_slack(&q, (float)truth, 3) * factor;
        bias += below / N;
        coded_done(&coded);
    }
    assert_in_range(over_1, N / 10, N / 5); /* of normal errors 16 % */
    assert_true(over_3 <= N / 200);         /* 0.13 % */
    assert_true(fabs(bias) < 0.003);
    arena_free(a);
    vectors_done(&v);
    codec_free(c);
}

/* What rounding to bytes lost is known to a quarter. */
static void closely_errs_by_less_than_a_third_of_bytes(void **unused)
{
    enum { DIM = 512, N = 1000 };
    struct codec *c = codec_new(simd_available(0), DIM);
    struct vectors v = vectors_new(N, DIM, VECTORS_CLUSTERED, 1);
    struct arena *a = arena_new(1 << 20);
    struct code_query q;
    double by_bytes = 0, closely = 0;

    (void)unused;
    assert_true(c && codec_query(c, a, v.rows, &q));
    for (size_t i = 1; i < N; i++) {
        struct coded coded = code_of(c, v.rows + i * DIM);
        double truth = vectors_cosine(v.rows, v.rows + i * DIM, DIM);

        by_bytes += pow(cosine_by_bytes(&q, &coded) - truth, 2) / N;
        closely += pow((double)codes_closely(&q, coded.code.bytes, coded.code.rest) - truth, 2) / N;
        coded_done(&coded);
    }
    assert_true(sqrt(closely) < sqrt(by_bytes) / 3);
    assert_true(sqrt(closely) < 1e-4);
    arena_free(a);
    vectors_done(&v);
    codec_free(c);
}

/* The nearer the query, the smaller the error: a vector finds itself with a cosine of 1. */
static void itself_is_at_one(void **unused)
{
    (void)unused;
    for (size_t dim = 1; dim <= 1024; dim += 31) {
        struct codec *c = codec_new(simd_available(0), dim);
        struct vectors v = vectors_new(4, dim, VECTORS_RANDOM, dim);
        struct arena *a = arena_new(1 << 20);

        assert_non_null(c);
        for (size_t i = 0; i < v.n; i++) {
            struct coded coded = code_of(c, v.rows + i * dim);
            struct code_query q;

            assert_true(codec_query(c, a, v.rows + i * dim, &q));
            assert_true(fabs(cosine_by_bytes(&q, &coded) - 1) <= (double)codes_bytes_slack(&q, 1, 1));
            assert_true(fabs(bits_value(&q, &coded) / (double)codes_bits_slack(&q, 1, 4) -
                             1 / (double)(coded.code.factor * codes_bits_slack(&q, 1, 4))) < 1);
            assert_true(codes_cosine(&q, v.rows + i * dim) > 1 - 1e-6f);
            coded_done(&coded);
        }
        arena_free(a);
        vectors_done(&v);
        codec_free(c);
    }
}

static void zero_has_no_likeness(void **unused)
{
    enum { DIM = 100 };
    struct codec *c = codec_new(simd_available(0), DIM);
    struct vectors v = vectors_new(1, DIM, VECTORS_RANDOM, 1);
    float zero[DIM] = {0};
    struct arena *a = arena_new(1 << 20);
    struct coded coded_zero = code_of(c, zero), coded = code_of(c, v.rows);
    struct code_query q;

    (void)unused;
    assert_true(codec_query(c, a, v.rows, &q));
    assert_true(coded_zero.code.factor == 0 && coded_zero.code.scale == 0);
    assert_true(cosine_by_bytes(&q, &coded_zero) == 0);
    assert_true(codes_cosine(&q, zero) == 0);
    assert_true(codec_query(c, a, zero, &q));
    assert_true(q.norm == 0 && q.unit == 0 && q.scale == 0);
    assert_true(cosine_by_bytes(&q, &coded) == 0);
    assert_true(codes_cosine(&q, v.rows) == 0);
    coded_done(&coded);
    coded_done(&coded_zero);
    arena_free(a);
    vectors_done(&v);
    codec_free(c);
}

/* Lengths do not matter, even where squares leave the range of float. */
static void any_length_will_do(void **unused)
{
    static const int EXPONENTS[] = {-140, -126, -70, -40, 0, 40, 63, 80, 120};
    enum { DIM = 130 };
    struct codec *c = codec_new(simd_available(0), DIM);
    struct vectors v = vectors_new(2, DIM, VECTORS_RANDOM, 5);
    double truth = vectors_cosine(v.rows, v.rows + DIM, DIM);

    (void)unused;
    for (size_t i = 0; i < sizeof EXPONENTS / sizeof EXPONENTS[0]; i++)
        for (size_t j = 0; j < sizeof EXPONENTS / sizeof EXPONENTS[0]; j++) {
            struct arena *a = arena_new(1 << 20);
            float query[DIM], row[DIM];
            struct coded coded;
            struct code_query q;
            double allowed = EXPONENTS[i] < -126 || EXPONENTS[j] < -126 ? 1e-2 : 1e-5; /* denormals are coarse */

            for (size_t d = 0; d < DIM; d++) {
                query[d] = ldexpf(v.rows[d], EXPONENTS[i]);
                row[d] = ldexpf(v.rows[DIM + d], EXPONENTS[j]);
            }
            coded = code_of(c, row);
            assert_true(codec_query(c, a, query, &q));
            assert_true(fabs((double)codes_cosine(&q, row) - truth) < allowed);
            assert_true(fabs(cosine_by_bytes(&q, &coded) - truth) < allowed + 0.01);
            coded_done(&coded);
            arena_free(a);
        }
    vectors_done(&v);
    codec_free(c);
}

static void what_is_not_finite_is_refused(void **unused)
{
    static const float BAD[] = {NAN, INFINITY, -INFINITY};
    enum { DIM = 70 };
    struct codec *c = codec_new(simd_available(0), DIM);
    float v[DIM];
    struct arena *a = arena_new(1 << 20);
    struct code_query q;
    struct coded coded;

    (void)unused;
    for (size_t i = 0; i < DIM; i++)
        v[i] = 1;
    coded = code_of(c, v);
    assert_true(codec_query(c, a, v, &q));
    for (size_t b = 0; b < 3; b++)
        for (size_t i = 0; i < DIM; i += 23) {
            struct code_query unused_query;
            float bad[DIM];

            memcpy(bad, v, sizeof bad);
            bad[i] = BAD[b];
            assert_false(codec_encode(c, bad, &coded.code));
            assert_false(codec_query(c, a, bad, &unused_query));
            assert_true(codes_cosine(&q, bad) == 0);
        }
    coded_done(&coded);
    arena_free(a);
    codec_free(c);
}

/* Codes are compared between processes that chose other kernels. */
static void every_machine_makes_the_same_codes(void **unused)
{
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t dim = 1; dim <= CODES_DIM_MAX; dim = dim * 2 + dim / 3 + 1) {
        struct codec *c = codec_new(k, dim), *oracle = codec_new(simd_choose("scalar", NULL, 0), dim);
        struct vectors v = vectors_new(3, dim, VECTORS_CLUSTERED, dim);
        struct arena *a = arena_new(1 << 20);
        struct code_query q, want_q;

        assert_true(c && oracle);
        for (size_t i = 0; i < v.n; i++) {
            struct coded got = code_of(c, v.rows + i * dim), want = code_of(oracle, v.rows + i * dim);

            assert_memory_equal(got.code.bits, want.code.bits, want.width / 8);
            assert_memory_equal(got.code.bytes, want.code.bytes, want.width);
            assert_memory_equal(got.code.rest, want.code.rest, want.width / 4);
            assert_true(got.code.factor == want.code.factor && got.code.scale == want.code.scale);
            coded_done(&got);
            coded_done(&want);
        }
        assert_true(codec_query(c, a, v.rows, &q) && codec_query(oracle, a, v.rows, &want_q));
        assert_memory_equal(q.tables, want_q.tables, codec_width(c) / 8 * SCAN_TABLE);
        assert_memory_equal(q.bytes, want_q.bytes, codec_width(c));
        arena_free(a);
        vectors_done(&v);
        codec_free(c);
        codec_free(oracle);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cosines_of_every_length),
        cmocka_unit_test(the_longest_and_one_that_is_no_power_of_two),
        cmocka_unit_test(sparse_vectors_are_spread),
        cmocka_unit_test(bits_err_as_often_as_they_may),
        cmocka_unit_test(closely_errs_by_less_than_a_third_of_bytes),
        cmocka_unit_test(itself_is_at_one),
        cmocka_unit_test(zero_has_no_likeness),
        cmocka_unit_test(any_length_will_do),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(every_machine_makes_the_same_codes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
