/* Search over vectors against brute force: every shape of data, filter, way of holding vectors and number of parts. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#undef fail /* err.h has one of its own */
#include "dense.h"
#include "errand.h"
#include "slow.h"
#include "vectors.h"

enum { K = 10, ARENA_CAP = 1 << 28 };

/* ---- an index of a few parts, and the truth about it */

enum { PARTS_MAX = 8 };

struct index {
    struct codec *codec;
    struct vectors vectors;
    size_t n_parts, first[PARTS_MAX + 1]; /* rows of part i: first[i] to first[i + 1] */
    struct dense_source sources[PARTS_MAX];
    struct dense_part *parts[PARTS_MAX];
    uint64_t *filters[PARTS_MAX];
    struct uuid *ids;
    bool *allowed;
};

static const struct simd_kernels *kernels;

static void fill_part(struct index *x, size_t part, enum dense_keep keep)
{
    size_t low = x->first[part], high = x->first[part + 1], n = high - low;

    x->parts[part] = dense_part_new(x->codec, part % 2 ? 0 : n, keep);
    x->filters[part] = calloc((n + 63) / 64 + 1, sizeof(uint64_t));
    assert_true(x->parts[part] && x->filters[part]);
    for (size_t i = low; i < high; i++)
        assert_true(dense_append(x->parts[part], x->vectors.rows + i * x->vectors.dim));
    x->sources[part] = (struct dense_source){x->parts[part], NULL, x->ids + low};
}

/* Ids descend: in a tie the last row wins. */
static struct index index_new(struct vectors v, size_t n_parts, enum dense_keep keep)
{
    struct index x = {.codec = codec_new(kernels ? kernels : simd_available(0), v.dim), .vectors = v, .n_parts = n_parts};

    x.ids = calloc(v.n + 1, sizeof *x.ids);
    x.allowed = malloc(v.n + 1);
    assert_true(x.codec && x.ids && x.allowed);
    memset(x.allowed, 1, v.n + 1);
    for (size_t i = 0; i < v.n; i++)
        for (size_t b = 0; b < 8; b++)
            x.ids[i].b[b] = (uint8_t)((uint64_t)(v.n - i) >> (56 - 8 * b));
    for (size_t p = 0; p < n_parts; p++) {
        x.first[p + 1] = p + 1 == n_parts ? v.n : v.n * (p + 1) * (p + 1) / n_parts / n_parts;
        fill_part(&x, p, keep);
    }
    return x;
}

static void index_done(struct index *x)
{
    for (size_t p = 0; p < x->n_parts; p++) {
        dense_part_free(x->parts[p]);
        free(x->filters[p]);
    }
    free(x->ids);
    free(x->allowed);
    codec_free(x->codec);
    vectors_done(&x->vectors);
}

/* Allows about one row in `every`, at random; 0: none; 1: all, but by a filter; UINT32_MAX: a single row. */
static void index_filter(struct index *x, uint32_t every)
{
    uint64_t state = 77;

    for (size_t p = 0; p < x->n_parts; p++) {
        memset(x->filters[p], 0, ((x->first[p + 1] - x->first[p]) / 64 + 1) * sizeof(uint64_t));
        for (size_t i = x->first[p]; i < x->first[p + 1]; i++) {
            x->allowed[i] = every == UINT32_MAX ? i == x->vectors.n / 2 : every != 0 && draw(&state) % every == 0;
            if (x->allowed[i])
                x->filters[p][(i - x->first[p]) / 64] |= UINT64_C(1) << (i - x->first[p]) % 64;
        }
        x->sources[p].filter = x->filters[p];
    }
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? 1 : x > y ? -1 : 0;
}

struct truth {
    double *cosines; /* by row of the whole */
    double kth;      /* the k-th best allowed */
    size_t n;        /* how many there are to be found: at most k */
};

static struct truth truth_of(const struct index *x, const float *query, size_t k)
{
    struct truth t = {calloc(x->vectors.n + 1, sizeof(double)), -2, 0};
    double *sorted = calloc(x->vectors.n + 1, sizeof(double));

    assert_true(t.cosines && sorted);
    for (size_t i = 0; i < x->vectors.n; i++) {
        t.cosines[i] = vectors_cosine(query, x->vectors.rows + i * x->vectors.dim, x->vectors.dim);
        if (x->allowed[i])
            sorted[t.n++] = t.cosines[i];
    }
    qsort(sorted, t.n, sizeof *sorted, descending);
    t.n = t.n < k ? t.n : k;
    if (t.n)
        t.kth = sorted[t.n - 1];
    free(sorted);
    return t;
}

static size_t row_of(const struct index *x, const struct dense_hit *h)
{
    assert_true(h->source < x->n_parts);
    assert_true(h->row < x->first[h->source + 1] - x->first[h->source]);
    return x->first[h->source] + h->row;
}

/* What holds for any result; returns how many of the hits belong among the best. `error`: of a score. */
static size_t check_result(const struct index *x, const struct truth *t, const struct dense_result *r, double error)
{
    size_t good = 0;

    assert_int_equal(r->n, t->n);
    for (size_t i = 0; i < r->n; i++) {
        const struct dense_hit *h = r->hits + i;
        size_t row = row_of(x, h);

        assert_true(x->allowed[row]);
        assert_true(fabs((double)h->score - t->cosines[row]) <= error);
        if (i) {
            const struct dense_hit *before = h - 1;

            assert_true(before->score >= h->score);
            assert_true(before->score > h->score || uuid_cmp(x->ids[row_of(x, before)], x->ids[row]) < 0);
        }
        good += t->cosines[row] >= t->kth - 1e-6;
    }
    return good;
}

/* ---- recall */

struct recall_case {
    enum vectors_shape shape;
    size_t n, dim, parts;
    enum dense_keep keep;
    bool exact;
    uint32_t every; /* see index_filter */
    unsigned threads;
    double at_least;
    bool in_cells; /* all parts but the first */
};

static double recall_of(struct index *x, const struct recall_case *c, size_t queries)
{
    struct vectors questions = vectors_new(queries, c->dim, c->shape, 999);
    size_t good = 0, all = 0;

    for (size_t i = 0; i < queries; i++) {
        /* half of the questions are near a row */
        const float *row = x->vectors.rows + (i * 7919 % x->vectors.n) * c->dim;
        float *question = questions.rows + i * c->dim;
        struct arena *a = arena_new(ARENA_CAP);
        struct dense_options options = {.k = K, .exact = c->exact, .threads = c->threads};
        struct code_query q;
        struct dense_result r;
        struct truth t;

        for (size_t d = 0; d < c->dim && i % 2; d++)
            question[d] = row[d] + 0.3f * question[d];
        t = truth_of(x, question, K);
        assert_true(codec_query(x->codec, a, question, &q));
        assert_int_equal(dense_search(a, &q, x->sources, x->n_parts, &options, &r), ERR_OK);
        good += check_result(x, &t, &r, c->keep == DENSE_VECTORS ? 4e-6 : 0.002);
        all += t.n;
        free(t.cosines);
        arena_free(a);
    }
    vectors_done(&questions);
    return all ? (double)good / (double)all : 1;
}

static void put_into_cells(struct index *x, size_t part, const struct dense_part *like)
{
    struct dense_part *old = x->parts[part];

    x->parts[part] = dense_in_cells(old, like);
    assert_non_null(x->parts[part]);
    assert_true(dense_cells(x->parts[part]) > 0);
    assert_true(dense_bytes(x->parts[part]) > dense_rows(old) * codec_dim(x->codec));
    x->sources[part].part = x->parts[part];
    dense_part_free(old);
}

static bool is_left_out(void)
{
    static int cases;

    return cases++ % slow_times(1, 16, 40) != 0;
}

static void check_recall(struct recall_case c, size_t queries)
{
    struct index x;
    double recall;

    if (is_left_out())
        return;
    x = index_new(vectors_new(c.n, c.dim, c.shape, c.n + c.shape), c.parts, c.keep);
    for (size_t p = c.parts > 1; p < c.parts && c.in_cells; p++)
        put_into_cells(&x, p, p ? x.parts[p - 1] : NULL);
    if (c.every)
        index_filter(&x, c.every);
    recall = recall_of(&x, &c, queries);
    if (recall < c.at_least)
        print_error("shape %d, %zu rows of %zu, 1 in %u, %s: recall %.4f\n", (int)c.shape, c.n, c.dim, c.every,
                    c.exact ? "exact" : "default", recall);
    assert_true(recall >= c.at_least);
    index_done(&x);
}

static void recall_of_every_shape(void **unused)
{
    (void)unused;
    for (enum vectors_shape s = 0; s < VECTORS_SHAPES; s++)
        check_recall((struct recall_case){s, 6000, 128, 1, DENSE_VECTORS, .at_least = 0.99}, 60);
}

static void recall_of_every_shape_when_exact(void **unused)
{
    (void)unused;
    for (enum vectors_shape s = 0; s < VECTORS_SHAPES; s++)
        check_recall((struct recall_case){s, 6000, 128, 2, DENSE_VECTORS, true, .at_least = 0.999}, 60);
}

static void recall_under_filters(void **unused)
{
    static const uint32_t EVERY[] = {1, 2, 10, 100, 3000, UINT32_MAX};

    (void)unused;
    for (enum vectors_shape s = 0; s < VECTORS_SHAPES; s++)
        for (size_t f = 0; f < sizeof EVERY / sizeof EVERY[0]; f++)
            check_recall((struct recall_case){s, 6000, 96, 3, DENSE_VECTORS, .every = EVERY[f], .at_least = 0.99}, 50);
}

static void recall_in_cells(void **unused)
{
    static const uint32_t EVERY[] = {0, 1, 10, 100, UINT32_MAX};

    (void)unused;
    for (enum vectors_shape s = 0; s < VECTORS_SHAPES; s++)
        for (size_t f = 0; f < sizeof EVERY / sizeof EVERY[0]; f++)
            for (int exact = 0; exact < 2; exact++)
                check_recall((struct recall_case){ s, 6000, 96, 1 + f % 3, DENSE_VECTORS, exact, EVERY[f],
                                                   .at_least = exact ? 0.999 : 0.98, .in_cells = true },
                             40);
}

/* Near the cells' centres little has to be read, and the same few rows are missing or there under any numbers. */
static void cells_spare_work_and_keep_numbers(void **unused)
{
    struct index x = index_new(vectors_new(20000, 64, VECTORS_CLUSTERED, 4), 1, DENSE_VECTORS);
    struct dense_part *again = dense_part_new(x.codec, 0, DENSE_VECTORS);
    struct arena *a = arena_new(ARENA_CAP);
    struct dense_options options = {.k = K};
    struct dense_result r;
    struct code_query q;

    (void)unused;
    put_into_cells(&x, 0, NULL);
    assert_true(codec_query(x.codec, a, x.vectors.rows + 64 * 77, &q));
    assert_int_equal(dense_search(a, &q, x.sources, 1, &options, &r), ERR_OK);
    assert_true(r.trace.cells > 0 && r.trace.cells < dense_cells(x.parts[0]));
    assert_true(r.trace.scanned > 0);
    assert_int_equal(r.hits[0].row, 77);
    for (uint32_t i = 0; i < 300; i++) {
        struct dense_hit hit = {.row = i};

        assert_true(dense_append_row(again, x.parts[0], i));
        assert_int_equal(dense_score(a, &q, x.sources, &options, &hit, 1), ERR_OK);
        assert_true(fabs((double)hit.score - vectors_cosine(q.vector, x.vectors.rows + i * 64u, 64)) < 1e-5);
        assert_true(fabs((double)(dense_between(again, i, x.parts[0], 77) - hit.score)) < 0.01);
    }
    dense_part_free(again);
    arena_free(a);
    index_done(&x);
}

/* Allows the rows of a part alone whose cosine to a question is below what `share` of them have. */
static void allow_far(struct index *x, const float *question, double share)
{
    size_t n = x->vectors.n;
    struct truth all = truth_of(x, question, (size_t)((1 - share) * (double)n));

    memset(x->filters[0], 0, (n / 64 + 1) * sizeof(uint64_t));
    for (size_t i = 0; i < n; i++) {
        x->allowed[i] = all.cosines[i] < all.kth;
        if (x->allowed[i])
            x->filters[0][i / 64] |= UINT64_C(1) << i % 64;
    }
    x->sources[0].filter = x->filters[0];
    free(all.cosines);
}

/* Where the near cells hold nothing that may be found, others are looked into. What the default lacks is not lost there: of what is
 * left some hundreds are so close to the tenth that bytes cannot tell them apart, and exact takes more of them to the float32. */
static void what_only_far_cells_hold_is_found(void **unused)
{
    struct index x = index_new(vectors_new(20000, 64, VECTORS_CLUSTERED, 4), 1, DENSE_VECTORS);
    size_t good[2] = {0}, rounds = (size_t)slow_times(8, 4, 2);

    (void)unused;
    put_into_cells(&x, 0, NULL);
    for (size_t i = 0; i < 2 * rounds; i++) {
        struct arena *a = arena_new(ARENA_CAP);
        const float *question = x.vectors.rows + 64 * 977 * (i / 2);
        struct dense_options options = {.k = K, .exact = i % 2};
        struct dense_result r;
        struct code_query q;
        struct truth t;

        memset(x.allowed, 1, x.vectors.n);
        allow_far(&x, question, 0.3);
        t = truth_of(&x, question, K);
        assert_true(codec_query(x.codec, a, question, &q));
        assert_int_equal(dense_search(a, &q, x.sources, 1, &options, &r), ERR_OK);
        assert_true(r.trace.cells > 0);
        good[i % 2] += check_result(&x, &t, &r, 4e-6);
        free(t.cosines);
        arena_free(a);
    }
    if ((double)good[0] < 0.9 * K * (double)rounds || (double)good[1] < 0.99 * K * (double)rounds)
        print_error("%zu and %zu of %zu\n", good[0], good[1], K * rounds);
    assert_true((double)good[0] >= 0.9 * K * (double)rounds);
    assert_true((double)good[1] >= 0.99 * K * (double)rounds);
    index_done(&x);
}

static void recall_without_vectors(void **unused)
{
    (void)unused;
    check_recall((struct recall_case){VECTORS_CLUSTERED, 6000, 512, 1, DENSE_CODES, .at_least = 0.95}, 40);
    check_recall((struct recall_case){VECTORS_EQUAL, 6000, 64, 2, DENSE_CODES, .at_least = 1}, 10);
}

static void recall_in_every_dimension(void **unused)
{
    static const size_t DIMS[] = {1, 2, 3, 17, 64, 65, 300, 768, 1000};

    (void)unused;
    for (size_t d = 0; d < sizeof DIMS / sizeof DIMS[0]; d++)
        check_recall((struct recall_case){VECTORS_CLUSTERED, 3000, DIMS[d], 2, DENSE_VECTORS, .at_least = 0.99}, 20);
    check_recall((struct recall_case){VECTORS_RANDOM, 1500, CODES_DIM_MAX, 1, DENSE_VECTORS, .at_least = 0.99}, 4);
}

static void recall_of_every_size(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 200; n += n < 70 ? 1 : 29)
        check_recall((struct recall_case){VECTORS_CLUSTERED, n ? n : 1, 64, 1 + n % 4, DENSE_VECTORS, .at_least = 1}, 2);
    check_recall((struct recall_case){VECTORS_CLUSTERED, 1105, 64, 1, DENSE_VECTORS, .at_least = 0.99}, 30);
    check_recall((struct recall_case){VECTORS_CLUSTERED, 1106, 64, 5, DENSE_VECTORS, .at_least = 0.99}, 30);
}

static void recall_with_every_kernel(void **unused)
{
    (void)unused;
    for (size_t i = 0; (kernels = simd_available(i)) != NULL; i++)
        check_recall((struct recall_case){VECTORS_CLUSTERED, 3000, 100, 2, DENSE_VECTORS, .at_least = 0.99}, 10);
}

/* ---- sameness */

static struct dense_result search(struct arena *a, const struct index *x, const float *question, struct dense_options o)
{
    struct code_query *q = ARENA_NEW(a, struct code_query);
    struct dense_result r;

    assert_true(codec_query(x->codec, a, question, q));
    assert_int_equal(dense_search(a, q, x->sources, x->n_parts, &o, &r), ERR_OK);
    return r;
}

static void assert_same_hits(const struct index *x, const struct dense_result *r, const struct index *y,
                             const struct dense_result *s)
{
    assert_int_equal(r->n, s->n);
    for (size_t i = 0; i < r->n; i++) {
        assert_int_equal(row_of(x, r->hits + i), row_of(y, s->hits + i));
        assert_true(r->hits[i].score == s->hits[i].score);
    }
}

/* The result depends on the rows, not on how they are spread over parts. */
static void parts_change_nothing(void **unused)
{
    (void)unused;
    for (enum vectors_shape s = 0; s < VECTORS_SHAPES; s++) {
        struct index one = index_new(vectors_new(5000, 64, s, 1), 1, DENSE_VECTORS);
        struct index many = index_new(vectors_new(5000, 64, s, 1), 7, DENSE_VECTORS);

        for (size_t i = 0; i < 20; i++) {
            struct arena *a = arena_new(ARENA_CAP);
            const float *question = one.vectors.rows + i * 211 * 64;
            struct dense_result r = search(a, &one, question, (struct dense_options){.k = 1 + i});
            struct dense_result t = search(a, &many, question, (struct dense_options){.k = 1 + i});

            assert_same_hits(&one, &r, &many, &t);
            arena_free(a);
        }
        index_done(&one);
        index_done(&many);
    }
}

/* A rough list of a hundred has the ten best, nearly all of the others, and is the same however the rows are spread. */
static void the_first_of_a_rough_list_are_the_best(void **unused)
{
    const struct dense_options rough = {.k = 100, .rough = true};
    size_t first = 0, good = 0, rounds = 0;

    (void)unused;
    for (enum vectors_shape s = 0; s < VECTORS_SHAPES; s++) {
        struct index one, many;

        if (slow_times(0, 1, 1) && s != VECTORS_CLUSTERED)
            continue;
        one = index_new(vectors_new(6000, 128, s, 1), 1, DENSE_CODES);
        many = index_new(vectors_new(6000, 128, s, 1), 3, DENSE_CODES);
        for (size_t i = 0; i < 20; i++, rounds++) {
            struct arena *a = arena_new(ARENA_CAP);
            const float *question = one.vectors.rows + i * 211 * 128;
            struct truth ten = truth_of(&one, question, 10), all = truth_of(&one, question, rough.k);
            struct dense_result r = search(a, &one, question, rough), t = search(a, &many, question, rough);

            assert_same_hits(&one, &r, &many, &t);
            good += check_result(&one, &all, &r, 0.002);
            for (size_t h = 0; h < r.n; h++)
                first += ten.cosines[row_of(&one, r.hits + h)] >= ten.kth - 1e-6;
            free(ten.cosines);
            free(all.cosines);
            arena_free(a);
        }
        index_done(&one);
        index_done(&many);
    }
    assert_true((double)first >= 0.995 * 10 * (double)rounds);
    assert_true((double)good >= 0.95 * 100 * (double)rounds);
}

static void threads_take_part_in_large_searches(void **unused)
{
    struct index x = index_new(vectors_new(210000, 8, VECTORS_RANDOM, 1), 3, DENSE_CODES);
    struct helpers *helpers = helpers_new(2);

    (void)unused;
    for (size_t i = 0; i < 5; i++) {
        struct arena *a = arena_new(ARENA_CAP);
        const float *question = x.vectors.rows + i * 211 * 8;
        struct dense_result r = search(a, &x, question, (struct dense_options){.k = 50, .threads = 1});

        for (unsigned threads = 0; threads <= 5; threads++) {
            struct dense_result s = search(a, &x, question, (struct dense_options){.k = 50, .threads = threads, .helpers = helpers});

            assert_same_hits(&x, &r, &x, &s);
            assert_int_equal(r.trace.rescored, s.trace.rescored);
        }
        arena_free(a);
    }
    helpers_free(helpers);
    index_done(&x);
}

/* Of equals the lower ids come first, and those are the last rows here. */
static void ties_go_by_id(void **unused)
{
    struct index x = index_new(vectors_new(4000, 32, VECTORS_EQUAL, 1), 3, DENSE_VECTORS);
    struct arena *a = arena_new(ARENA_CAP);
    struct dense_result r = search(a, &x, x.vectors.rows, (struct dense_options){.k = 25});

    (void)unused;
    assert_int_equal(r.n, 25);
    for (size_t i = 0; i < r.n; i++)
        assert_int_equal(row_of(&x, r.hits + i), 3999 - i);
    for (size_t p = 0; p < 3; p++)
        x.sources[p].ids = NULL;
    r = search(a, &x, x.vectors.rows, (struct dense_options){.k = 25});
    for (size_t i = 0; i < r.n; i++)
        assert_int_equal(row_of(&x, r.hits + i), i);
    arena_free(a);
    index_done(&x);
}

static void a_zero_query_finds_the_first_ids_at_nothing(void **unused)
{
    struct index x = index_new(vectors_new(3000, 32, VECTORS_RANDOM, 1), 2, DENSE_VECTORS);
    struct arena *a = arena_new(ARENA_CAP);
    float zero[32] = {0};
    struct dense_result r = search(a, &x, zero, (struct dense_options){.k = 5});

    (void)unused;
    assert_int_equal(r.n, 5);
    for (size_t i = 0; i < r.n; i++) {
        assert_int_equal(row_of(&x, r.hits + i), 2999 - i);
        assert_true(r.hits[i].score == 0);
    }
    arena_free(a);
    index_done(&x);
}

/* ---- limits of k, filters that allow nothing */

static void any_k(void **unused)
{
    static const size_t KS[] = {0, 1, 2, 100, 1499, 1500, 1501, 100000};
    struct index x = index_new(vectors_new(1500, 64, VECTORS_CLUSTERED, 3), 2, DENSE_VECTORS);

    (void)unused;
    for (size_t i = 0; i < sizeof KS / sizeof KS[0]; i++) {
        struct arena *a = arena_new(ARENA_CAP);
        struct truth t = truth_of(&x, x.vectors.rows, KS[i]);
        struct dense_result r = search(a, &x, x.vectors.rows, (struct dense_options){.k = KS[i]});

        assert_true(check_result(&x, &t, &r, 4e-6) >= t.n - t.n / 100);
        free(t.cosines);
        arena_free(a);
    }
    index_done(&x);
}

static void nothing_to_find(void **unused)
{
    struct index x = index_new(vectors_new(1500, 64, VECTORS_CLUSTERED, 3), 2, DENSE_VECTORS);
    struct arena *a = arena_new(ARENA_CAP);
    struct dense_part *empty = dense_part_new(x.codec, 0, DENSE_CODES);
    struct dense_source nowhere = {empty, NULL, NULL};
    struct dense_options options = {.k = K};
    struct code_query q;
    struct dense_result r;

    (void)unused;
    index_filter(&x, 0);
    r = search(a, &x, x.vectors.rows, options);
    assert_int_equal(r.n, 0);
    assert_int_equal(r.trace.allowed, 0);
    assert_int_equal(r.trace.scanned + r.trace.rescored + r.trace.exact, 0);
    assert_true(empty && codec_query(x.codec, a, x.vectors.rows, &q));
    assert_int_equal(dense_search(a, &q, &nowhere, 1, &options, &r), ERR_OK);
    assert_int_equal(r.n, 0);
    assert_int_equal(dense_search(a, &q, NULL, 0, &options, &r), ERR_OK);
    assert_int_equal(r.n, 0);
    dense_part_free(empty);
    arena_free(a);
    index_done(&x);
}

/* ---- rows without vectors, copies, growth */

static void rows_without_a_vector_are_never_found(void **unused)
{
    enum { DIM = 70, N = 2000 };
    struct vectors v = vectors_new(N, DIM, VECTORS_CLUSTERED, 4);
    struct codec *codec = codec_new(simd_available(0), DIM);
    struct dense_part *p = dense_part_new(codec, 0, DENSE_VECTORS), *copy = dense_part_new(codec, N, DENSE_VECTORS);
    struct dense_source sources[2] = {{p, NULL, NULL}, {copy, NULL, NULL}};
    struct dense_options options = {.k = N};
    struct arena *a = arena_new(ARENA_CAP);
    struct code_query q;
    struct dense_result r, of_copy;

    (void)unused;
    v.rows[3 * DIM] = NAN;
    for (size_t i = 0; i < N; i++)
        assert_true(dense_append(p, i % 3 == 1 ? NULL : v.rows + i * DIM));
    for (uint32_t i = 0; i < N; i++)
        assert_true(dense_append_row(copy, p, i));
    assert_int_equal(dense_rows(p), N);
    assert_int_equal(dense_vectors(p), N - (N + 1) / 3 - 1);
    assert_int_equal(dense_vectors(copy), dense_vectors(p));
    assert_false(dense_has(p, 1) || dense_has(p, 3) || dense_has(p, N));
    assert_true(dense_has(p, 0));
    assert_true(codec_query(codec, a, v.rows, &q));
    assert_int_equal(dense_search(a, &q, sources, 1, &options, &r), ERR_OK);
    assert_int_equal(dense_search(a, &q, sources + 1, 1, &options, &of_copy), ERR_OK);
    assert_int_equal(r.n, dense_vectors(p));
    assert_int_equal(of_copy.n, r.n);
    for (size_t i = 0; i < r.n; i++) {
        assert_true(r.hits[i].row % 3 != 1 && r.hits[i].row != 3);
        assert_int_equal(r.hits[i].row, of_copy.hits[i].row);
        assert_true(r.hits[i].score == of_copy.hits[i].score);
    }
    dense_part_free(p);
    dense_part_free(copy);
    codec_free(codec);
    arena_free(a);
    vectors_done(&v);
}

/* Large enough for huge pages, grown from nothing. */
static void memory_is_counted(void **unused)
{
    enum { DIM = 512, N = 9000 };
    struct codec *codec = codec_new(simd_available(0), DIM);
    struct dense_part *grown = dense_part_new(codec, 0, DENSE_CODES), *sized = dense_part_new(codec, N, DENSE_CODES);
    struct vectors v = vectors_new(1, DIM, VECTORS_RANDOM, 1);
    size_t empty = dense_bytes(grown);

    (void)unused;
    assert_true(grown && sized && empty > 64 * 704 && empty < 64 * 828);
    for (size_t i = 0; i < N; i++) {
        assert_true(dense_append(grown, v.rows));
        assert_true(dense_append(sized, v.rows));
    }
    assert_true(dense_bytes(sized) >= N * 712u && dense_bytes(sized) < N * 712u + (4u << 20));
    assert_true(dense_bytes(grown) >= dense_bytes(sized) && dense_bytes(grown) < 2 * dense_bytes(sized));
    dense_part_free(grown);
    dense_part_free(sized);
    vectors_done(&v);
    codec_free(codec);
}

/* ---- fetching, scoring */

struct shelf {
    const struct index *index;
    size_t calls, asked;
    bool is_closed;
    err answer;
};

static err take(void *arg, const struct dense_hit *hits, size_t n, const float **vectors)
{
    struct shelf *s = arg;

    s->calls++;
    s->asked += n;
    for (size_t i = 0; i < n; i++)
        if (!s->is_closed)
            vectors[i] = s->index->vectors.rows + row_of(s->index, hits + i) * s->index->vectors.dim;
    return s->answer;
}

static void vectors_are_fetched_in_one_go(void **unused)
{
    struct index codes = index_new(vectors_new(5000, 128, VECTORS_CLUSTERED, 5), 3, DENSE_CODES);
    struct index held = index_new(vectors_new(5000, 128, VECTORS_CLUSTERED, 5), 3, DENSE_VECTORS);

    (void)unused;
    for (size_t i = 0; i < 20; i++) {
        struct arena *a = arena_new(ARENA_CAP);
        struct shelf shelf = {.index = &codes};
        struct dense_options options = {.k = K, .fetch = take, .fetch_arg = &shelf};
        const float *question = codes.vectors.rows + i * 97 * 128;
        struct dense_result r = search(a, &codes, question, options), s;

        assert_int_equal(shelf.calls, 1);
        assert_in_range(shelf.asked, K, 8 * K + 64);
        assert_int_equal(shelf.asked, r.trace.exact);
        s = search(a, &held, question, (struct dense_options){.k = K});
        assert_same_hits(&codes, &r, &held, &s);
        assert_true(r.hits[0].is_exact);

        shelf.is_closed = true;
        r = search(a, &codes, question, options);
        assert_int_equal(r.n, K);
        assert_false(r.hits[0].is_exact);
        arena_free(a);
    }
    index_done(&codes);
    index_done(&held);
}

/* Random rows, but the first `alike`, whose angles to the first coordinate are all but the same. */
static struct index crowd(size_t alike, float tilt)
{
    enum { DIM = 128 };
    struct vectors v = vectors_new(4000, DIM, VECTORS_RANDOM, 8);
    uint64_t state = 21;

    for (float *row = v.rows; row < v.rows + alike * DIM; row += DIM) {
        double square = 0, aside;

        for (size_t d = 1; d < DIM; d++)
            square += (double)row[d] * (double)row[d];
        aside = (double)tilt * (1 + 1e-4 * draw_unit(&state)) / sqrt(square);
        for (size_t d = 1; d < DIM; d++)
            row[d] = (float)((double)row[d] * aside);
        row[0] = 1;
    }
    return index_new(v, 3, DENSE_CODES);
}

/* How many of the ten nearest to the first coordinate are found; *asked: how many vectors were fetched. */
static size_t find_in(struct index *x, size_t sure, size_t *asked)
{
    struct arena *a = arena_new(ARENA_CAP);
    struct shelf shelf = {.index = x};
    struct dense_options options = {.k = 100, .rough = true, .sure = sure, .fetch = take, .fetch_arg = &shelf};
    float question[128] = {1};
    struct truth t = truth_of(x, question, K);
    size_t good = 0;
    struct dense_result r;

    if (!sure)
        options.fetch = NULL;
    r = search(a, x, question, options);
    assert_int_equal(r.n, 100);
    for (size_t i = 0; i < K; i++)
        good += t.cosines[row_of(x, r.hits + i)] >= t.kth;
    assert_true(shelf.calls <= 1);
    *asked = shelf.asked;
    free(t.cosines);
    arena_free(a);
    return good;
}

static void what_codes_cannot_tell_is_fetched(void **unused)
{
    struct index close = crowd(60, 1), clear = crowd(K, 0.2f);
    size_t asked;

    (void)unused;
    assert_true(find_in(&close, 0, &asked) < K); /* or this test says nothing */
    assert_int_equal(find_in(&close, K, &asked), K);
    assert_in_range(asked, K + 1, 60);
    assert_int_equal(find_in(&clear, K, &asked), K);
    assert_int_equal(asked, 0);
    index_done(&close);
    index_done(&clear);
}

static void a_failed_fetch_fails_the_search(void **unused)
{
    struct index x = index_new(vectors_new(500, 64, VECTORS_CLUSTERED, 5), 1, DENSE_CODES);
    struct arena *a = arena_new(ARENA_CAP);
    struct shelf shelf = {.index = &x, .answer = ERR_UNAVAILABLE};
    struct dense_options options = {.k = K, .fetch = take, .fetch_arg = &shelf};
    struct dense_hit hit = {.row = 1};
    struct code_query q;
    struct dense_result r;

    (void)unused;
    assert_true(codec_query(x.codec, a, x.vectors.rows, &q));
    assert_int_equal(dense_search(a, &q, x.sources, 1, &options, &r), ERR_UNAVAILABLE);
    assert_int_equal(dense_score(a, &q, x.sources, &options, &hit, 1), ERR_UNAVAILABLE);
    arena_free(a);
    index_done(&x);
}

static void given_rows_are_scored(void **unused)
{
    enum { N = 300 };
    struct index held = index_new(vectors_new(2000, 96, VECTORS_CLUSTERED, 6), 3, DENSE_VECTORS);
    struct index codes = index_new(vectors_new(2000, 96, VECTORS_CLUSTERED, 6), 3, DENSE_CODES);
    struct arena *a = arena_new(ARENA_CAP);
    struct shelf shelf = {.index = &codes};
    struct dense_options none = {.k = 0}, fetching = {.fetch = take, .fetch_arg = &shelf};
    struct truth t = truth_of(&held, held.vectors.rows, K);
    struct code_query q;
    struct dense_hit exact[N], fetched[N], rough[N];

    (void)unused;
    assert_true(codec_query(held.codec, a, held.vectors.rows, &q));
    for (size_t i = 0; i < N; i++) {
        uint32_t source = (uint32_t)i % 3;
        size_t rows = held.first[source + 1] - held.first[source];

        exact[i] = fetched[i] = rough[i] = (struct dense_hit){.source = source, .row = (uint32_t)(i * 37 % rows)};
    }
    assert_int_equal(dense_score(a, &q, held.sources, &none, exact, N), ERR_OK);
    assert_int_equal(dense_score(a, &q, codes.sources, &fetching, fetched, N), ERR_OK);
    assert_int_equal(dense_score(a, &q, codes.sources, &none, rough, N), ERR_OK);
    assert_int_equal(shelf.calls, 1);
    for (size_t i = 0; i < N; i++) {
        assert_true(exact[i].is_exact && fetched[i].is_exact && !rough[i].is_exact);
        assert_true(fabs((double)exact[i].score - t.cosines[row_of(&held, exact + i)]) < 4e-6);
        assert_true(exact[i].score == fetched[i].score);
        assert_true(fabsf(exact[i].score - rough[i].score) < 0.006f);
    }
    free(t.cosines);
    arena_free(a);
    index_done(&held);
    index_done(&codes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recall_of_every_shape),
        cmocka_unit_test(recall_of_every_shape_when_exact),
        cmocka_unit_test(recall_under_filters),
        cmocka_unit_test(recall_in_cells),
        cmocka_unit_test(cells_spare_work_and_keep_numbers),
        cmocka_unit_test(what_only_far_cells_hold_is_found),
        cmocka_unit_test(recall_without_vectors),
        cmocka_unit_test(recall_in_every_dimension),
        cmocka_unit_test(recall_of_every_size),
        cmocka_unit_test(recall_with_every_kernel),
        cmocka_unit_test(parts_change_nothing),
        cmocka_unit_test(the_first_of_a_rough_list_are_the_best),
        cmocka_unit_test(threads_take_part_in_large_searches),
        cmocka_unit_test(ties_go_by_id),
        cmocka_unit_test(a_zero_query_finds_the_first_ids_at_nothing),
        cmocka_unit_test(any_k),
        cmocka_unit_test(nothing_to_find),
        cmocka_unit_test(rows_without_a_vector_are_never_found),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(vectors_are_fetched_in_one_go),
        cmocka_unit_test(what_codes_cannot_tell_is_fetched),
        cmocka_unit_test(a_failed_fetch_fails_the_search),
        cmocka_unit_test(given_rows_are_scored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
