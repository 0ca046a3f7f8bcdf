/* The dense signal over an account's index: against brute force, with filters, deletions, other models, and rows given. */
#include "graphtest.h"

#include <math.h>

#include "config.h"
#include "db.h"
#include "index.h"
#include "nearest.h"
#include "node.h"
#include "simd.h"
#include "vector.h"
#include "vectors.h"

enum { N = 1800, DIM = 96, K = 10, ROUNDS = 4 };

static struct recall_index *ri, *big, *small;
static struct vectors rows;
static struct uuid ids[N], mine;

static const struct snapshot *look(void)
{
    const struct snapshot *s;
    const char *degraded;

    test_app.recall = ri;
    OK(index_snapshot(&test, &s, &degraded));
    assert_null(degraded);
    mine = s->model_id;
    return s;
}

static struct filter readable(const struct snapshot *s, uint64_t kinds)
{
    struct filter f;

    filter_make(test.arena, s, &(struct filter_in){.readable = test.access->readable, .n_readable = test.access->n, .kinds = kinds,
                                                   .now = test.now.us}, &f);
    return f;
}

static void put(size_t i, const char *model)
{
    struct nums values = {ARENA_ARRAY(test.arena, double, DIM), DIM};
    struct vector v;

    for (size_t j = 0; j < DIM; j++)
        values.v[j] = (double)rows.rows[i * DIM + j];
    OK(vector_put(&test, ids[i], model, values, &v));
}

/* In several segments: each piece is seen before the next is written. */
static void write_all(void)
{
    struct node_new *in = ARENA_ARRAY(test.arena, struct node_new, N);

    for (size_t i = 0; i < N; i++)
        in[i] = (struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = i % 3 ? "note" : "episode",
                                  .title = "", .body = "a text"};
    for (size_t i = 0; i < N; i += 60)
        OK(node_create_many(&test, in + i, 60, ids + i, NULL));
    for (size_t i = 0; i < N; i++) {
        if (i % 150 == 0)
            look();
        if (i % 7) /* the others have none */
            put(i, "mine");
    }
}

static int by_cosine(const void *a, const void *b, void *arg)
{
    const double *cosines = arg;
    double x = cosines[*(const size_t *)a], y = cosines[*(const size_t *)b];

    return x > y ? -1 : x < y;
}

/* How many of the best k, by brute force over what `wanted` says, were found. */
static size_t agree(const struct snapshot *s, const float *query, const struct nearest_hits *hits, bool (*wanted)(size_t i))
{
    double cosines[N];
    size_t order[N], n = 0, found = 0;

    for (size_t i = 0; i < N; i++) {
        cosines[i] = vectors_cosine(query, rows.rows + i * DIM, DIM);
        if (i % 7 && wanted(i))
            order[n++] = i;
    }
    qsort_r(order, n, sizeof *order, by_cosine, cosines);
    assert_int_equal(hits->n, n < K ? n : K);
    for (size_t h = 0; h < hits->n; h++)
        for (size_t i = 0; i < hits->n; i++)
            found += uuid_eq(snapshot_id(s, hits->at[h].row), ids[order[i]]);
    return found;
}

static bool all(size_t i)
{
    return i < N;
}

static bool episodes(size_t i)
{
    return i % 3 == 0;
}

static bool not_the_first_hundred(size_t i)
{
    return i >= 100;
}

static bool late_episodes(size_t i)
{
    return episodes(i) && not_the_first_hundred(i);
}

static void same_as_brute_force(uint64_t kinds, bool (*wanted)(size_t i))
{
    const struct snapshot *s = look();
    struct filter f = readable(s, kinds);
    struct vectors queries = vectors_new(ROUNDS, DIM, VECTORS_CLUSTERED, 5);

    for (size_t i = 0; i < ROUNDS; i++) {
        const float *query = queries.rows + i * DIM;
        struct nearest q;
        struct nearest_hits hits;

        OK(nearest_begin(&test, s, mine, query, DIM, &q));
        OK(nearest_find(&test, &q, &f, K, 0, true, &hits));
        assert_int_equal(agree(s, query, &hits, wanted), hits.n);
        OK(nearest_find(&test, &q, &f, K, 0, false, &hits));
        assert_true(agree(s, query, &hits, wanted) + 1 >= hits.n);
    }
    vectors_done(&queries);
}

static void finds_what_brute_force_finds(void **state)
{
    (void)state;
    act(ALICE);
    write_all();
    assert_true(look()->n_segments > 1);
    same_as_brute_force(0, all);
    same_as_brute_force(1ull << segment_kind("episode"), episodes);
}

/* The sample is of ids, so an index that read the same nodes in one piece has the same to the last bit. */
static void a_sample_tells_how_cosines_lie(void **state)
{
    struct recall_index *grown = ri, *fresh;
    struct nearest_spread got[2];
    double sum = 0, squares = 0, n = 0;

    (void)state;
    act(ALICE);
    fresh = recall_index_new(&(struct recall_options){.simd = simd_available(0), .budget = 1u << 30, .reload_after_us = DAY_US}, NULL);
    for (int i = 0; i < 2; i++) {
        const struct snapshot *s;
        struct nearest q;
        struct filter f;

        ri = i ? fresh : grown;
        s = look();
        f = readable(s, 0);
        OK(nearest_begin(&test, s, mine, rows.rows, DIM, &q));
        got[i] = nearest_spread(&test, &q, &f);
        assert_true(i ? s->n_segments == 1 : s->n_segments > 1);
    }
    ri = grown;
    act(ALICE); /* the request's snapshots end before their index */
    recall_index_free(fresh);
    assert_memory_equal(&got[0], &got[1], sizeof *got);
    assert_true(got[0].n >= 600 && got[0].n < 1600);
    for (size_t i = 0; i < N; i++)
        if (i % 7) {
            double cosine = vectors_cosine(rows.rows, rows.rows + i * DIM, DIM);

            sum += cosine;
            squares += cosine * cosine;
            n++;
        }
    assert_true(fabs(got[0].mean - sum / n) < 0.06);
    assert_true(fabs(sqrt(got[0].variance) - sqrt(squares / n - sum / n * sum / n)) < 0.06);
}

static void scores_the_rows_it_is_given(void **state)
{
    const struct snapshot *s;
    const float *query = rows.rows + DIM;
    struct nearest q;

    (void)state;
    act(ALICE);
    s = look();
    OK(nearest_begin(&test, s, mine, query, DIM, &q));
    for (int exact = 0; exact < 2; exact++) {
        struct scored list[40];

        for (size_t i = 0; i < 40; i++)
            list[i].row = snapshot_find(s, ids[N - 1 - 13 * i]);
        OK(nearest_score(&test, &q, list, 40, exact));
        for (size_t i = 0; i < 40; i++) {
            size_t row = N - 1 - 13 * i;
            double cosine = row % 7 ? vectors_cosine(query, rows.rows + row * DIM, DIM) : 0;

            assert_true(fabs((double)list[i].score - cosine) < (exact ? 1e-5 : 4e-3));
        }
    }
    OK(nearest_score(&test, &q, NULL, 0, true));
}

static void compares_row_with_row(void **state)
{
    const struct snapshot *s;
    const float *v;

    (void)state;
    act(ALICE);
    s = look();
    for (size_t i = 1; i < 60; i += 3) {
        uint32_t a = snapshot_find(s, ids[i]), b = snapshot_find(s, ids[N - i]);
        double truth = vectors_cosine(rows.rows + i * DIM, rows.rows + (N - i) * DIM, DIM);

        assert_int_equal(nearest_has(s, a), i % 7 != 0);
        if (i % 7 && (N - i) % 7)
            assert_true(fabs(nearest_between(s, a, b) - truth) < 5e-3);
        else
            assert_true(nearest_between(s, a, b) <= -2);
        OK(nearest_vector_of(&test, s, a, &v));
        assert_int_equal(v != NULL, i % 7 != 0);
        if (v)
            assert_memory_equal(v, rows.rows + i * DIM, DIM * sizeof *v);
    }
}

static void what_is_gone_is_not_found(void **state)
{
    (void)state;
    act(ALICE);
    for (size_t i = 0; i < 100; i++) {
        if (i % 2)
            OK(node_forget(&test, ids[i], 0));
        else if (i % 7)
            OK(vector_delete(&test, ids[i], "mine"));
    }
    same_as_brute_force(0, not_the_first_hundred);
}

static void too_large_for_its_budget_it_holds_codes_only(void **state)
{
    struct index_stats stats;

    (void)state;
    act(ALICE);
    index_stats(ri, &stats);
    assert_int_equal(stats.codes_only, 0);
    ri = small;
    same_as_brute_force(0, not_the_first_hundred);
    index_stats(ri, &stats);
    assert_int_equal(stats.codes_only, 1);
}

/* What an index holds, and where it grows past what it may: read anew, codes only, at the next look. */
static void it_lets_go_of_vectors_while_it_grows(void **state)
{
    struct recall_index *growing = recall_index_new(&(struct recall_options){.simd = simd_available(0), .budget = 15u << 20,
                                                                             .reload_after_us = DAY_US}, NULL);
    struct index_stats stats;

    (void)state;
    act(ALICE);
    ri = growing;
    look();
    index_stats(ri, &stats);
    assert_int_equal(stats.codes_only, 0);
    for (size_t i = 0; i < N; i += 60) {
        struct node_new *in = ARENA_ARRAY(test.arena, struct node_new, 60);

        for (size_t j = 0; j < 60; j++)
            in[j] = (struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = "note", .title = "",
                                      .body = test_text_of(2000)};
        OK(node_create_many(&test, in, 60, ARENA_ARRAY(test.arena, struct uuid, 60), NULL));
        look();
    }
    for (int i = 0; i < 20 && stats.codes_only == 0; i++) { /* each look reads a piece of it */
        look();
        index_stats(ri, &stats);
    }
    assert_int_equal(stats.codes_only, 1);
    same_as_brute_force(0, not_the_first_hundred);
    ri = small;
    arena_reset(test.arena);
    recall_index_free(growing);
}

static void large_segments_are_put_into_cells_behind_the_scenes(void **state)
{
    struct recall_index *celled = recall_index_new(&(struct recall_options){.simd = simd_available(0), .budget = 1u << 30,
                                                                            .reload_after_us = DAY_US, .cells_from = 300}, NULL);
    const struct snapshot *s;
    struct recall_index *before = ri;

    (void)state;
    act(ALICE);
    ri = celled;
    s = look();
    assert_int_equal(s->n_segments, 1);
    index_settle(celled);
    s = look();
    assert_int_equal(s->n_segments, 1);
    assert_true(dense_cells(s->segments[0]->dense) > 0);
    same_as_brute_force(0, not_the_first_hundred);
    same_as_brute_force(1ull << segment_kind("episode"), late_episodes);
    ri = before;
    arena_reset(test.arena);
    recall_index_free(celled);
}

static void vectors_of_another_model_are_not_compared(void **state)
{
    const struct snapshot *s;
    struct nearest q;
    struct nearest_hits hits;
    struct scored one;
    struct filter f;
    struct uuid theirs = {{1}};

    (void)state;
    act(ALICE);
    put(150, "other");
    s = look();
    f = readable(s, 0);
    OK(nearest_begin(&test, s, theirs, rows.rows, DIM, &q));
    assert_false(q.usable);
    OK(nearest_find(&test, &q, &f, K, 0, true, &hits));
    assert_int_equal(hits.n, 0);
    one = (struct scored){snapshot_find(s, ids[151]), 1};
    OK(nearest_score(&test, &q, &one, 1, true));
    assert_true(one.score == 0);
    OK(nearest_begin(&test, s, mine, rows.rows, DIM - 1, &q));
    assert_false(q.usable);
    FAILS(nearest_begin(&test, s, mine, (const float[DIM]){NAN}, DIM, &q), ERR_INVALID);
    same_as_brute_force(0, not_the_first_hundred);
}

/* From here on the rows from `from` to `to` are all but equally near the first coordinate. */
static void crowd(size_t from, size_t to)
{
    uint64_t state = 9;

    for (size_t i = from; i < to; i++) {
        float *row = rows.rows + i * DIM;
        double square = 0, aside;

        for (size_t d = 1; d < DIM; d++)
            square += (double)row[d] * (double)row[d];
        aside = (1 + 1e-4 * draw_unit(&state)) / sqrt(square);
        for (size_t d = 1; d < DIM; d++)
            row[d] = (float)((double)row[d] * aside);
        row[0] = 1;
        if (i % 7)
            put(i, "mine");
    }
}

static void where_codes_cannot_tell_vectors_are_read(void **state)
{
    const float query[DIM] = {1};
    struct nearest_hits hits;
    const struct snapshot *s;
    struct nearest q;
    struct filter f;

    (void)state;
    act(ALICE);
    ri = small;
    crowd(300, 340);
    s = look();
    f = readable(s, 0);
    OK(nearest_begin(&test, s, mine, query, DIM, &q));
    OK(nearest_find(&test, &q, &f, 60, 0, false, &hits));
    assert_int_equal(hits.trace.exact, 0);
    OK(nearest_find(&test, &q, &f, 60, K, false, &hits));
    assert_in_range(hits.trace.exact, K + 1, 40);
    hits.n = K;
    assert_int_equal(agree(s, query, &hits, not_the_first_hundred), K);
    db_test_fail_at(test.db, 1, 1317); /* then it is left to codes after all */
    OK(nearest_find(&test, &q, &f, 60, K, false, &hits));
    assert_int_equal(hits.n, 60);
    assert_int_equal(hits.trace.exact, 0);
    db_test_fail_at(test.db, 0, 0);
}

static int begins(void **state)
{
    int r = graph_group_begins(state);

    test_app.conf = test_conf;
    ri = recall_index_new(&(struct recall_options){.simd = simd_available(0), .budget = 1u << 30, .reload_after_us = DAY_US}, NULL);
    big = ri;
    small = recall_index_new(&(struct recall_options){.simd = simd_available(0), .budget = 1u << 20, .reload_after_us = DAY_US}, NULL);
    rows = vectors_new(N, DIM, VECTORS_CLUSTERED, 3);
    return r;
}

static int ends(void **state)
{
    arena_reset(test.arena);
    recall_index_free(big);
    recall_index_free(small);
    vectors_done(&rows);
    return graph_group_ends(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_brute_force_finds),
        cmocka_unit_test(a_sample_tells_how_cosines_lie),
        cmocka_unit_test(scores_the_rows_it_is_given),
        cmocka_unit_test(compares_row_with_row),
        cmocka_unit_test(what_is_gone_is_not_found),
        cmocka_unit_test(too_large_for_its_budget_it_holds_codes_only),
        cmocka_unit_test(it_lets_go_of_vectors_while_it_grows),
        cmocka_unit_test(large_segments_are_put_into_cells_behind_the_scenes),
        cmocka_unit_test(vectors_of_another_model_are_not_compared),
        cmocka_unit_test(where_codes_cannot_tell_vectors_are_read),
    };

    return cmocka_run_group_tests(tests, begins, ends);
}
