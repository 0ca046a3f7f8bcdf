/* Vectors that clients bring, their models, and the bytes they are kept as. */
#include "graphtest.h"

#include <math.h>

#include "node.h"
#include "vector.h"

static struct uuid a_note(const char *title)
{
    struct node n;

    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = "note", .title = title}, &n));
    return n.id;
}

static struct nums numbers(size_t n, double first)
{
    struct nums v = {ARENA_ARRAY(test.arena, double, n + 1), n};

    for (size_t i = 0; i < n; i++)
        v.v[i] = first + 0.5 * (double)i;
    return v;
}

static void bytes_are_read_as_they_were_written(void **state)
{
    struct uuid model = {{1, 2, 3}}, back;
    float v[] = {1.5f, -2.25f, 1e-30f, 0.0f};
    const float *w;
    struct bytes blob;
    size_t dim;
    float norm;

    (void)state;
    act(ALICE);
    blob = vector_blob(test.arena, model, v, 4, 3.5f);
    assert_int_equal(blob.n, VECTOR_HEADER + 16);
    assert_memory_equal(blob.p, "LV01", 4);
    assert_true(vector_read_blob(test.arena, blob, &back, &w, &dim, &norm));
    assert_true(uuid_eq(back, model));
    assert_int_equal(dim, 4);
    assert_true(norm == 3.5f);
    assert_memory_equal(w, v, sizeof v);
    for (size_t n = 0; n < blob.n; n++) /* cut anywhere, it is none */
        assert_false(vector_read_blob(test.arena, (struct bytes){blob.p, n}, &back, &w, &dim, &norm));
    ((uint8_t *)(uintptr_t)blob.p)[0] = 'X';
    assert_false(vector_read_blob(test.arena, blob, &back, &w, &dim, &norm));
}

static void a_vector_comes_back_and_knows_when_it_is_stale(void **state)
{
    struct uuid id;
    struct vector v;
    struct node n;
    struct page p;

    (void)state;
    act(ALICE);
    id = a_note("v");
    OK(vector_put(&test, id, "mine", numbers(3, 1), &v));
    OK(vector_get(&test, id, "mine", &v));
    assert_int_equal(v.dim, 3);
    assert_true(v.values.v[2] == 2.0);
    assert_true(fabs(v.norm - sqrt(1 + 2.25 + 4)) < 1e-6);
    assert_false(v.is_stale);
    OK(node_update(&test, id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "w"}, &n));
    OK(vector_get(&test, id, "mine", &v));
    assert_true(v.is_stale);
    OK(vector_put(&test, id, "mine", numbers(3, 5), &v));
    OK(vector_get(&test, id, "mine", &v));
    assert_false(v.is_stale);
    assert_true(v.values.v[0] == 5.0);
    OK(vector_models(&test, 10, NULL, &p));
    assert_int_equal(p.n, 1);
    OK(vector_delete(&test, id, "mine"));
    FAILS(vector_delete(&test, id, "mine"), ERR_NOT_FOUND);
    FAILS(vector_get(&test, id, "mine", &v), ERR_NOT_FOUND);
    FAILS(vector_get(&test, id, "other", &v), ERR_NOT_FOUND);
}

static void vectors_of_a_model_are_of_one_length(void **state)
{
    struct uuid id;
    struct vector v;
    struct nums bad;

    (void)state;
    act(ALICE);
    id = a_note("v");
    OK(vector_put(&test, id, "fixed", numbers(4, 1), &v));
    assert_string_equal(FAILS(vector_put(&test, id, "fixed", numbers(5, 1), &v), ERR_INVALID), "/values");
    assert_string_equal(FAILS(vector_put(&test, id, "new", numbers(0, 1), &v), ERR_INVALID), "/values");
    assert_string_equal(FAILS(vector_put(&test, id, "new", numbers(4097, 1), &v), ERR_INVALID), "/values");
    bad = numbers(3, 1);
    bad.v[1] = 1e300;
    assert_string_equal(FAILS(vector_put(&test, id, "new", bad, &v), ERR_INVALID), "/values/1");
    bad.v[0] = bad.v[1] = bad.v[2] = 0;
    assert_string_equal(FAILS(vector_put(&test, id, "new", bad, &v), ERR_INVALID), "/values");
    assert_int_equal(test_number("SELECT COUNT(*) FROM embedding_model WHERE name = 'new'"), 0);
    OK(vector_put(&test, id, "new", numbers(4096, 1), &v));
}

static void others_see_and_write_nothing(void **state)
{
    struct uuid id;
    struct vector v;

    (void)state;
    act(ALICE);
    id = a_note("private");
    OK(vector_put(&test, id, "mine", numbers(3, 1), &v));
    for (enum actor a = OWNER; a < ACTORS; a++) {
        if (a == ALICE)
            continue;
        act(a);
        FAILS(vector_get(&test, id, "mine", &v), ERR_NOT_FOUND);
        FAILS(vector_put(&test, id, "mine", numbers(3, 1), &v), ERR_NOT_FOUND);
        FAILS(vector_delete(&test, id, "mine"), ERR_NOT_FOUND);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_read_as_they_were_written),
        cmocka_unit_test(a_vector_comes_back_and_knows_when_it_is_stale),
        cmocka_unit_test(vectors_of_a_model_are_of_one_length),
        cmocka_unit_test(others_see_and_write_nothing),
    };

    return cmocka_run_group_tests_name("vector", tests, graph_group_begins, graph_group_ends);
}
