/* Communities of graphs: found again in the same way, connected, and at rest where nothing changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "leiden.h"

#define CLUSTERS 40
#define SIZE 8

/* Chunks that name a cluster's names pairwise, and a few that name two clusters. */
static size_t world(struct arena *a, struct name_use **out, size_t extra)
{
    struct name_use *v = ARENA_ARRAY(a, struct name_use, CLUSTERS * SIZE * SIZE * 2 + 100);
    size_t n = 0;
    uint8_t chunk = 0;

    for (uint8_t k = 0; k < CLUSTERS; k++)
        for (uint8_t i = 0; i < SIZE; i++)
            for (uint8_t m = 0; m < 4; m++) {
                struct uuid c = {{1, k, i, chunk}};

                for (uint8_t x = 0; x < 3; x++)
                    v[n++] = (struct name_use){c, {{2, k, (uint8_t)((i + x * (m + 1)) % SIZE)}}};
                chunk++;
            }
    for (uint8_t k = 0; k + 1 < CLUSTERS; k++) {
        struct uuid c = {{3, k}};

        v[n++] = (struct name_use){c, {{2, k, 0}}};
        v[n++] = (struct name_use){c, {{2, (uint8_t)(k + 1), 1}}};
    }
    for (size_t i = 0; i < extra; i++) {
        struct uuid c = {{4, (uint8_t)i}};

        v[n++] = (struct name_use){c, {{2, 7, (uint8_t)i}}};
        v[n++] = (struct name_use){c, {{5, 7}}};
    }
    *out = v;
    return n;
}

static struct name_graph graph_of(struct ctx *c, size_t extra)
{
    struct name_use *uses;
    size_t n = world(c->arena, &uses, extra);
    struct name_graph g;

    name_graph_make(c, uses, n, NULL, 0, &g);
    return g;
}

static void clusters(void **state)
{
    struct ctx *c = *state;
    struct name_graph g = graph_of(c, 0);
    uint32_t *of = leiden(c->arena, &g, 1, NULL, NULL), *again = leiden(c->arena, &g, 1, NULL, NULL);
    size_t alike = 0;

    assert_int_equal(g.n, CLUSTERS * SIZE);
    for (size_t i = 0; i < g.n; i++) {
        assert_true(of[i] == again[i]);
        assert_true(of[i] <= i);
        assert_true(of[of[i]] == of[i]);
        alike += i % SIZE == 0 || of[i] == of[i - 1];
    }
    assert_true(alike > g.n * 95 / 100); /* names of one cluster are together */
}

static void at_rest(void **state)
{
    struct ctx *c = *state;
    struct name_graph g = graph_of(c, 0), more = graph_of(c, 3);
    uint32_t *of = leiden(c->arena, &g, 1, NULL, NULL), *start = ARENA_ARRAY(c->arena, uint32_t, more.n + 1);
    bool *touched = ARENA_ARRAY(c->arena, bool, more.n + 1);
    size_t changed = 0;
    uint32_t *warm;

    for (size_t i = 0; i < more.n; i++) {
        size_t at = name_graph_find(&g, more.ids[i]);

        touched[i] = at == SIZE_MAX;
        start[i] = at == SIZE_MAX ? UINT32_MAX : (uint32_t)name_graph_find(&more, g.ids[of[at]]);
    }
    assert_int_equal(more.n, g.n + 1);
    warm = leiden(c->arena, &more, 1, start, touched);
    for (size_t i = 0; i < more.n; i++)
        changed += start[i] != UINT32_MAX && !uuid_eq(more.ids[warm[i]], more.ids[start[i]]);
    assert_int_equal(changed, 0);
    assert_true(warm[name_graph_find(&more, (struct uuid){{5, 7}})] == warm[name_graph_find(&more, (struct uuid){{2, 7, 0}})]);
}

static void parts(void **state)
{
    struct ctx *c = *state;
    struct name_graph g = graph_of(c, 0), part;
    uint32_t nodes[2 * SIZE], *of;

    for (uint32_t i = 0; i < 2 * SIZE; i++)
        nodes[i] = i;
    leiden_part(c->arena, &g, nodes, 2 * SIZE, &part);
    assert_int_equal(part.n, 2 * SIZE);
    of = leiden(c->arena, &part, 1, NULL, NULL);
    assert_true(of[0] != of[SIZE]);
    assert_true(of[SIZE] == of[SIZE + 1]);
}

static struct ctx the_ctx;

static int begin(void **state)
{
    the_ctx.arena = arena_new(64 << 20);
    *state = &the_ctx;
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(the_ctx.arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(clusters, begin, end),
        cmocka_unit_test_setup_teardown(at_rest, begin, end),
        cmocka_unit_test_setup_teardown(parts, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
