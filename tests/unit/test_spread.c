/* Spreading activation: the numbers of the specification, and what must not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "small_world.h"
#include "spread.h"

static const struct spread_options DEFAULTS = SPREAD_DEFAULTS;

static struct small_world chain(unsigned n, float weight)
{
    struct small_world w = world_new();

    for (unsigned i = 0; i < n; i++)
        world_add(&w, i, 0, "", "x", NULL, 0);
    for (unsigned i = 0; i + 1 < n; i++)
        world_edge(&w, i, i + 1, weight, "related_to");
    world_seal(&w);
    return w;
}

static double potential(const struct small_world *w, const struct lit **lit, size_t n, unsigned node)
{
    for (size_t i = 0; i < n; i++)
        if (lit[i]->row == world_row(w, node))
            return lit[i]->potential;
    return 0;
}

static void a_chain_fades(void **state)
{
    struct small_world w = chain(5, 0.9f);
    struct filter f = world_filter(&w, 1);
    struct scored seed = {world_row(&w, 0), 1};
    const struct lit **lit;
    size_t n = spread(w.arena, w.snapshot, &f, &seed, 1, &DEFAULTS, &lit);

    (void)state;
    assert_int_equal(n, 2);
    assert_near(potential(&w, lit, n, 1), 0.765);
    assert_near(potential(&w, lit, n, 2), 0.585225);
    assert_int_equal(lit[1]->hop, 2);
    assert_ptr_equal(lit[1]->by, lit[0]); /* the path that lit it */
    assert_int_equal(lit[0]->by->row, seed.row);
    assert_null(lit[0]->by->by);
    assert_string_equal(lit[1]->relation, "related_to");
    world_free(&w);
}

static void settings_rule(void **state)
{
    struct small_world w = chain(9, 1);
    struct filter f = world_filter(&w, 1);
    struct scored seed = {world_row(&w, 0), 1};
    const struct lit **lit;
    struct spread_options o = SPREAD_DEFAULTS;

    (void)state;
    assert_int_equal(spread(w.arena, w.snapshot, &f, &seed, 1, &o, &lit), 3); /* .614 at the third hop, the last */
    o.hops = 1;
    assert_int_equal(spread(w.arena, w.snapshot, &f, &seed, 1, &o, &lit), 1);
    o = (struct spread_options)SPREAD_DEFAULTS;
    o.keep = 0.5;
    assert_int_equal(spread(w.arena, w.snapshot, &f, &seed, 1, &o, &lit), 1); /* .5 fires, .25 does not */
    o.threshold = 0.1;
    assert_int_equal(spread(w.arena, w.snapshot, &f, &seed, 1, &o, &lit), 3);
    o.least = 0.2;
    assert_int_equal(spread(w.arena, w.snapshot, &f, &seed, 1, &o, &lit), 2); /* the .125 dies on its way */
    world_free(&w);
}

static void signals_that_meet_add_up(void **state)
{
    struct small_world w = world_new();
    struct filter f;
    struct scored seeds[2];
    const struct lit **lit;

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        world_add(&w, i, 0, "", "x", NULL, 0);
    world_edge(&w, 0, 2, 0.4f, "uses");
    world_edge(&w, 1, 2, 0.5f, "calls");
    world_edge(&w, 0, 3, 0.5f, "uses");
    world_seal(&w);
    f = world_filter(&w, 1);
    seeds[0] = (struct scored){world_row(&w, 0), 1};
    seeds[1] = (struct scored){world_row(&w, 1), 1};
    assert_int_equal(spread(w.arena, w.snapshot, &f, seeds, 1, &DEFAULTS, &lit), 0);
    assert_int_equal(spread(w.arena, w.snapshot, &f, seeds, 2, &DEFAULTS, &lit), 1);
    assert_int_equal(lit[0]->row, world_row(&w, 2));
    assert_near(lit[0]->potential, 0.34 + 0.425);
    assert_string_equal(lit[0]->relation, "calls"); /* of the stronger of the two */
    world_free(&w);
}

static void cycles_end(void **state)
{
    struct small_world w = chain(4, 1);
    struct filter f;
    struct scored seeds[4];
    const struct lit **lit;
    struct spread_options o = {.keep = 1, .least = 0, .threshold = 0.5, .hops = 1000};

    (void)state;
    world_edge(&w, 3, 0, 1, "related_to");
    world_edge(&w, 2, 2, 1, "related_to");
    world_seal(&w);
    f = world_filter(&w, 1);
    for (unsigned i = 0; i < 4; i++)
        seeds[i] = (struct scored){world_row(&w, i), 1};
    assert_int_equal(spread(w.arena, w.snapshot, &f, seeds, 1, &o, &lit), 3);
    assert_int_equal(spread(w.arena, w.snapshot, &f, seeds, 4, &o, &lit), 0); /* a seed is no find */
    assert_int_equal(spread(w.arena, w.snapshot, &f, seeds, 0, &o, &lit), 0);
    world_free(&w);
}

static void hidden_rows_do_not_conduct(void **state)
{
    struct small_world w = world_new();
    struct filter f;
    struct scored seeds[2];
    const struct lit **lit;

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        world_add(&w, i, i == 1, "", "x", NULL, 0);
    for (unsigned i = 0; i < 3; i++)
        world_edge(&w, i, i + 1, 1, "related_to");
    world_seal(&w);
    seeds[0] = (struct scored){world_row(&w, 0), 1};
    seeds[1] = (struct scored){world_row(&w, 1), 1};
    f = world_filter(&w, 3);
    assert_int_equal(spread(w.arena, w.snapshot, &f, seeds, 1, &DEFAULTS, &lit), 3);
    f = world_filter(&w, 1);
    assert_int_equal(spread(w.arena, w.snapshot, &f, seeds, 2, &DEFAULTS, &lit), 0); /* not even as a seed */
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_fades),
        cmocka_unit_test(settings_rule),
        cmocka_unit_test(signals_that_meet_add_up),
        cmocka_unit_test(cycles_end),
        cmocka_unit_test(hidden_rows_do_not_conduct),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
