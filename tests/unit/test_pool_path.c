/* Keys of pools: their grammar, and changes of rows against the same changes of one plain document. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* ours is another one */

#include "pool_path.h"
#include "pool_work.h"
#include "random.h"

static struct ctx test;

static int begin(void **state)
{
    (void)state;
    test = (struct ctx){.arena = request_arena_new()};
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(test.arena);
    return 0;
}

/* ---- grammar */

static void keys_that_are_and_are_not(void **state)
{
    static const char *const GOOD[] = {"a", "a.b", "a_b", "a%", "a/b", " a ", "é.ü", "1.2.3.4.5.6.7.8"};
    static const char *const BAD[] = {"", ".", ".a", "a.", "a..b", "1.2.3.4.5.6.7.8.9", "a\tb", "a\x7f", "\xff"};
    char segment[POOL_SEGMENT + 2];
    struct pool_path p;

    (void)state;
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        assert_int_equal(pool_path_parse(&test, "/key", GOOD[i], &p), ERR_OK);
        assert_string_equal(pool_path_prefix(test.arena, &p, p.n), GOOD[i]);
        assert_int_equal(pool_path_depth(GOOD[i]), p.n);
    }
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        assert_int_equal(pool_path_parse(&test, "/key", BAD[i], &p), ERR_INVALID);
        ctx_forgive(&test);
    }
    memset(segment, 'x', sizeof segment - 1);
    segment[sizeof segment - 1] = 0;
    assert_int_equal(pool_path_parse(&test, "/key", segment, &p), ERR_INVALID);
    ctx_forgive(&test);
    segment[POOL_SEGMENT] = 0;
    assert_int_equal(pool_path_parse(&test, "/key", segment, &p), ERR_OK);
    assert_true(pool_path_is_segment(segment));
    assert_false(pool_path_is_segment("a.b") || pool_path_is_segment(""));
}

static void only_what_is_below_is_between_from_and_to(void **state)
{
    static const char *const BELOW[] = {"a.b", "a. ", "a.b.c", "a.\xf4\x8f\xbf\xbf"};
    static const char *const BESIDE[] = {"a", "a-", "a/", "a0", "ab.c", "A.b", "a_.b"};
    const char *from = pool_path_from(test.arena, "a"), *to = pool_path_to(test.arena, "a");

    (void)state;
    for (size_t i = 0; i < sizeof BELOW / sizeof *BELOW; i++)
        assert_true(strcmp(BELOW[i], from) > 0 && strcmp(BELOW[i], to) < 0);
    for (size_t i = 0; i < sizeof BESIDE / sizeof *BESIDE; i++)
        assert_false(strcmp(BESIDE[i], from) >= 0 && strcmp(BESIDE[i], to) < 0);
}

/* ---- rows against one document: the model knows nothing of rows, only of a tree */

#define STEPS 400
#define WORLDS 60

static uint64_t seed;

static size_t below_n(size_t n)
{
    return (size_t)(random_next(&seed) % n);
}

static struct pool_path some_path(void)
{
    static const char *const NAMES[] = {"a", "b", "c", "a-", "a_"};
    struct pool_path p = {.n = 0};
    size_t n = 1 + below_n(4);

    while (p.n < n)
        p.segments[p.n++] = NAMES[below_n(5)];
    p.key = pool_path_prefix(test.arena, &p, p.n);
    return p;
}

/* Never an empty object: the model cannot tell one from nothing. */
static struct json *some_value(size_t depth)
{
    static const char *const NAMES[] = {"a", "b", "c"};
    struct json *o;

    if (!depth || below_n(2))
        return below_n(8) ? json_int(test.arena, (int64_t)below_n(1000)) : json_new(test.arena, JSON_NULL);
    o = json_obj(test.arena);
    for (size_t i = 0, from = below_n(3); i <= from; i++)
        json_set(test.arena, o, NAMES[i], some_value(depth - 1));
    return o;
}

/* A tree without its empty objects; NULL: nothing is left. */
static struct json *pruned(const struct json *j)
{
    struct json *o, *copy;

    if (!j)
        return NULL;
    if (j->type != JSON_OBJ) {
        copy = arena_memdup(test.arena, j, sizeof *j);
        copy->next = NULL;
        return copy;
    }
    o = json_obj(test.arena);
    for (const struct json *m = j->first; m; m = m->next) {
        struct json *v = pruned(m);

        if (v)
            json_set(test.arena, o, m->key, v);
    }
    return o->first ? o : NULL;
}

/* The document that the rows make, in the way pool_read does it. */
static struct json *document(const struct pool_entry *rows, size_t n)
{
    struct json *root = json_obj(test.arena);

    for (size_t i = 0; i < n; i++)
        pool_path_graft(test.arena, root, 0, rows[i].key, rows[i].value);
    return root;
}

static void no_row_is_below_another(const struct pool_entry *rows, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        assert_true(strcmp(rows[i - 1].key, rows[i].key) < 0);
        assert_false(str_starts(rows[i].key, pool_path_from(test.arena, rows[i - 1].key)));
    }
}

/* What is written down of a change: the rows for the next one, in their order. */
static size_t commit(const struct pool_work *w, struct pool_entry *rows)
{
    size_t n = 0;

    for (size_t pass = 0; pass < 2; pass++) {
        const struct pool_slot *from = pass ? w->made : w->rows;

        for (size_t i = 0; i < (pass ? w->n_made : w->n); i++) {
            size_t at = n;

            if (from[i].fate == POOL_DROPPED)
                continue;
            for (; at && strcmp(rows[at - 1].key, from[i].e.key) > 0; at--)
                rows[at] = rows[at - 1];
            rows[at] = from[i].e;
            n++;
        }
    }
    return n;
}

static void check_read(struct pool_work *w, const struct json *model, const struct pool_entry *rows, size_t n)
{
    struct pool_path p = some_path();
    const struct json *there = pool_path_get(model, &p, 0);
    struct pool_seen seen;
    struct json *want = pruned(there), *have;

    pool_work_see(w, &p, &seen);
    have = pruned(seen.is_below ? pool_path_get(document(rows, n), &p, 0) : seen.value);
    assert_true(want ? have && json_equal(want, have) : !have);
}

/* What has an end of its own becomes a row of its own; what cannot be written there leaves all as it is. */
static void split(struct pool_work *w, const struct pool_path *p, bool fits)
{
    const struct pool_entry *row;
    size_t parts, rows = 0;

    assert_null(pool_work_split(w, p, &row, &parts));
    assert_true(fits || !row);
    for (size_t i = 0; row && i < w->n; i++)
        rows += w->rows[i].fate == POOL_DROPPED;
    assert_int_equal(rows, row ? 1 : 0);
    assert_true(!row || str_starts(p->key, pool_path_from(test.arena, row->key)));
}

/* One change of both. */
static void change(struct pool_work *w, struct json **model)
{
    struct pool_path p = some_path(), root = {.key = ""};
    struct json *v = some_value(3), *o = json_obj(test.arena), *then;

    switch (below_n(4)) {
    case 0:
        then = pool_path_cut(test.arena, *model, &p, 0);
        assert_true(pool_work_cut(w, &p) || !then); /* an empty object may go, of which the model knows nothing */
        *model = then ? then : *model;
        break;
    case 1:
        json_set(test.arena, o, p.segments[0], v);
        assert_null(pool_work_merge(w, &root, o));
        *model = arena_memdup(test.arena, pool_path_merge(test.arena, *model, o), sizeof **model);
        break;
    default:
        then = pool_path_set(test.arena, *model, &p, 0, v);
        if (below_n(2))
            split(w, &p, then != NULL);
        assert_int_equal(pool_work_set(w, &p, v), then != NULL);
        *model = then ? then : *model;
    }
    then = pruned(*model);
    *model = then ? then : json_obj(test.arena);
}

static void rows_and_a_document_agree(void **state)
{
    (void)state;
    for (uint64_t world = 1; world <= WORLDS; world++) {
        struct pool_entry rows[STEPS];
        struct json *model = json_obj(test.arena), *have;
        size_t n = 0;

        seed = world * 7919;
        for (size_t i = 0; i < STEPS; i++) {
            struct pool_work w;

            pool_work_begin(&w, test.arena, rows, n, 16);
            change(&w, &model);
            n = commit(&w, rows);
            assert_true(n < STEPS - 16);
            no_row_is_below_another(rows, n);
            have = pruned(document(rows, n));
            assert_true(json_equal(model, have ? have : json_obj(test.arena)));
            pool_work_begin(&w, test.arena, rows, n, 1);
            check_read(&w, model, rows, n);
        }
        arena_reset(test.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_that_are_and_are_not),
        cmocka_unit_test(only_what_is_below_is_between_from_and_to),
        cmocka_unit_test(rows_and_a_document_agree),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
