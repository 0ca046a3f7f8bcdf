/* PageRank over mentions: against a dense power iteration in double; the gate; and that hidden nodes move nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "graph_gate.h"
#include "mentions.h"
#include "ppr.h"
#include "small_world.h"
#include "str.h"

#define TEXTS 160
#define NAMES 60

static uint64_t seed = 7;

static uint32_t dice(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* The oracle's world: which names a text has, 1 in its body, 2 in its title. Names beyond 40 are rare, name 0 is in every third text. */
struct truth {
    uint8_t has[TEXTS][NAMES];
    bool hidden[TEXTS];
    uint8_t edge[TEXTS][TEXTS]; /* tenths */
};

static const char *name_of(struct small_world *w, unsigned e)
{
    return arena_printf(w->arena, "Xname%c%cq", 'a' + (int)(e / 26), 'a' + (int)(e % 26));
}

static void make(struct small_world *w, struct truth *t, bool with_hidden)
{
    for (unsigned i = 0; i < TEXTS; i++) {
        struct buf body, title;

        buf_init(&body, w->arena, 64);
        buf_init(&title, w->arena, 64);
        buf_puts(&title, "a title of so many words that it is no name itself: ");
        for (unsigned e = 0; e < NAMES; e++)
            if (t->has[i][e])
                buf_printf(t->has[i][e] == 2 ? &title : &body, "we saw %s there, ", name_of(w, e));
        if (with_hidden || !t->hidden[i])
            world_add(w, i, t->hidden[i], buf_str(&title), buf_str(&body), NULL, 0);
        if (i == TEXTS / 3)
            world_seal(w);
    }
    for (unsigned i = 0; i < TEXTS; i++)
        for (unsigned k = 0; k < TEXTS; k++)
            if (t->edge[i][k] && (with_hidden || (!t->hidden[i] && !t->hidden[k])))
                world_edge(w, i, k, (float)t->edge[i][k] / 10, "references");
    world_seal(w);
}

static struct truth *any_truth(struct arena *a)
{
    struct truth *t = ARENA_NEW(a, struct truth);

    for (unsigned i = 0; i < TEXTS; i++) {
        t->hidden[i] = dice(4) == 0;
        for (unsigned e = 0; e < NAMES; e++)
            if (e == 0 ? dice(3) == 0 : dice(e > 40 ? 80 : 40) == 0)
                t->has[i][e] = (uint8_t)(1 + (dice(4) == 0));
    }
    for (unsigned n = 0; n < 30; n++)
        t->edge[dice(TEXTS)][dice(TEXTS)] = (uint8_t)(1 + dice(10));
    return t;
}

/* ---- the oracle: every node, every link, in double ------------------------------------------------------- */

struct oracle {
    double link[TEXTS + NAMES][TEXTS + NAMES];
    double start[TEXTS + NAMES], mass[TEXTS + NAMES];
};

static void links(struct oracle *o, const struct truth *t, double hub)
{
    unsigned texts = 0, df[NAMES] = {0}, degree[TEXTS] = {0};

    for (unsigned i = 0; i < TEXTS; i++) {
        texts += !t->hidden[i];
        for (unsigned e = 0; e < NAMES; e++)
            df[e] += !t->hidden[i] && t->has[i][e];
        for (unsigned k = 0; k < TEXTS; k++) { /* degrees count what the caller sees of them; a loop has two ends */
            degree[i] += t->edge[i][k] && !t->hidden[i] && !t->hidden[k];
            degree[i] += t->edge[k][i] && !t->hidden[i] && !t->hidden[k];
        }
    }
    for (unsigned i = 0; i < TEXTS; i++) {
        double all = 0;

        for (unsigned e = 0; e < NAMES && !t->hidden[i]; e++)
            if (t->has[i][e] && df[e] <= hub) {
                o->link[i][TEXTS + e] = log((texts + 1.0) / df[e]) * (t->has[i][e] == 2 ? 3 : 1);
                o->link[TEXTS + e][i] = 1.0 / df[e];
            }
        for (unsigned k = 0; k < TEXTS && !t->hidden[i]; k++)
            if (!t->hidden[k] && degree[k] && degree[k] <= hub)
                o->link[i][k] += (t->edge[i][k] + t->edge[k][i]) / 10.0 * log((texts + 1.0) / degree[k]);
        for (unsigned k = 0; k < TEXTS + NAMES; k++)
            all += o->link[i][k];
        for (unsigned k = 0; k < TEXTS + NAMES && all > 0; k++)
            o->link[i][k] /= all;
    }
}

static void iterate(struct oracle *o)
{
    memcpy(o->mass, o->start, sizeof o->mass);
    for (int round = 0; round < 15; round++) {
        double next[TEXTS + NAMES];

        for (unsigned k = 0; k < TEXTS + NAMES; k++)
            next[k] = 0.2 * o->start[k];
        for (unsigned i = 0; i < TEXTS + NAMES; i++)
            for (unsigned k = 0; k < TEXTS + NAMES; k++)
                next[k] += 0.8 * o->mass[i] * o->link[i][k];
        memcpy(o->mass, next, sizeof next);
    }
}

static struct ppr_start name_start(struct small_world *w, unsigned e, double share)
{
    struct found_names f = {.arena = w->arena};

    mentions_title(&f, name_of(w, e));
    return (struct ppr_start){true, f.at[0].key, share};
}

static void power_iteration_agrees(void **state)
{
    (void)state;
    for (int round = 0; round < 12; round++) {
        struct small_world w = world_new();
        struct truth *t = any_truth(w.arena);
        struct oracle *o = ARENA_NEW(w.arena, struct oracle);
        struct ppr_options options = PPR_DEFAULTS;
        struct ppr_start starts[3];
        struct filter f;
        struct scored *list;
        unsigned text = 0;
        size_t n;

        make(&w, t, true);
        f = world_filter(&w, 1);
        while (t->hidden[text])
            text++;
        options.least = options.thin = 0;
        options.net.title = 3;
        starts[0] = name_start(&w, 5, 0.3);
        starts[1] = name_start(&w, 45, 0.2);
        starts[2] = (struct ppr_start){false, world_row(&w, text), 0.5};
        links(o, t, 5);
        o->start[TEXTS + 5] = 0.3;
        o->start[TEXTS + 45] = 0.2;
        o->start[text] = 0.5;
        iterate(o);
        n = ppr_rank(w.arena, w.snapshot, &f, starts, 3, &options, &list);
        for (size_t i = 0; i < n; i++) {
            unsigned node = (unsigned)snapshot_id(w.snapshot, list[i].row).b[15];

            assert_near(list[i].score, o->mass[node]);
            o->mass[node] = 0;
        }
        for (unsigned i = 0; i < TEXTS; i++)
            assert_near(o->mass[i], 0);
        world_free(&w);
    }
}

/* Leaving out what is too little to matter keeps the best where they are. */
static void little_mass_does_not_decide(void **state)
{
    struct small_world w = world_new();
    struct truth *t = any_truth(w.arena);
    struct ppr_options all = PPR_DEFAULTS, some = PPR_DEFAULTS;
    struct ppr_start start;
    struct filter f;
    struct scored *x, *y;
    size_t n;

    (void)state;
    make(&w, t, true);
    f = world_filter(&w, 3);
    start = name_start(&w, 12, 1);
    all.least = all.thin = 0;
    n = ppr_rank(w.arena, w.snapshot, &f, &start, 1, &all, &x);
    assert_true(ppr_rank(w.arena, w.snapshot, &f, &start, 1, &some, &y) >= 10 && n >= 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(x[i].row, y[i].row);
    world_free(&w);
}

/* Acceptance 9.5: what the caller may not read is as if it were not there: not in counts, not on the way. */
static void hidden_nodes_move_nothing(void **state)
{
    struct small_world with = world_new(), without = world_new();
    struct truth *t = any_truth(with.arena);
    static const struct ppr_options OPTIONS = PPR_DEFAULTS;
    static const struct gate_options GATE = GATE_DEFAULTS;
    struct graph_gate a, b;
    struct filter f, g;
    size_t compared = 0;

    (void)state;
    make(&with, t, true);
    make(&without, t, false);
    f = world_filter(&with, 1);
    g = world_filter(&without, 1);
    assert_int_equal(f.count, g.count);
    for (unsigned e = 0; e < NAMES; e++) {
        const char *query = arena_printf(with.arena, "who met %s there", name_of(&with, e));
        struct ppr_start start = name_start(&with, e, 1);
        struct scored *x, *y;
        size_t n = ppr_rank(with.arena, with.snapshot, &f, &start, 1, &OPTIONS, &x);

        graph_gate(with.arena, with.snapshot, &f, query, &GATE, &a);
        graph_gate(with.arena, without.snapshot, &g, query, &GATE, &b);
        assert_int_equal(a.is_open, b.is_open);
        assert_int_equal(a.n, b.n);
        assert_int_equal(ppr_rank(with.arena, without.snapshot, &g, &start, 1, &OPTIONS, &y), n);
        for (size_t i = 0; i < n; i++, compared++) {
            struct uuid id = snapshot_id(with.snapshot, x[i].row), same = snapshot_id(without.snapshot, y[i].row);

            assert_true(uuid_eq(id, same));
            assert_memory_equal(&x[i].score, &y[i].score, sizeof(float)); /* to the last bit */
        }
    }
    assert_true(compared > 100);
    world_free(&with);
    world_free(&without);
}

/* ---- the gate ------------------------------------------------------------------------------------------- */

static struct small_world library(void)
{
    struct small_world w = world_new();

    for (unsigned i = 0; i < 300; i++)
        world_add(&w, i, 0, "", arena_printf(w.arena, "we met Berlin number %u again", i), NULL, 0);
    for (unsigned i = 300; i < 308; i++)
        world_add(&w, i, 0, "", "on a trip to Vienna", NULL, 0);
    world_add(&w, 400, 0, "Marie Curie", "born in Warsaw, she worked with Henri Becquerel", NULL, 0);
    world_add(&w, 401, 0, "", "the error E4402 and the Battle of Mine Creek", NULL, 0);
    world_seal(&w);
    return w;
}

static bool opens(struct small_world *w, const char *query, struct graph_gate *out)
{
    static const struct gate_options GATE = GATE_DEFAULTS;
    struct filter f = world_filter(w, 1);

    graph_gate(w->arena, w->snapshot, &f, query, &GATE, out);
    return out->is_open;
}

static void only_rare_names_open(void **state)
{
    struct small_world w = library();
    struct graph_gate g;

    (void)state;
    assert_true(opens(&w, "What did Marie Curie find?", &g));
    assert_int_equal(g.n, 1); /* nothing of its parts */
    assert_string_equal(g.names[0].name, "marie curie");
    assert_int_equal(g.names[0].df, 1);
    assert_true(opens(&w, "who was marie curie", &g));      /* several words: however they are written */
    assert_true(opens(&w, "why is there e4402", &g));       /* an identifier */
    assert_true(opens(&w, "a town called \"warsaw\"", &g)); /* quoted */
    assert_true(opens(&w, "the town of Warsaw", &g));       /* capital */
    assert_true(opens(&w, "who won the battle of mine creek", &g));
    assert_false(opens(&w, "the town of warsaw", &g));      /* one word, plain */
    assert_false(opens(&w, "Warsaw", &g));                  /* any first word has its capital */
    assert_false(opens(&w, "When did we see Vienna?", &g)); /* known, but in eight texts */
    assert_int_equal(g.n, 1);                               /* and yet it leads somewhere */
    assert_false(opens(&w, "How is Berlin?", &g));
    assert_int_equal(g.n, 0);                                    /* a hub leads nowhere */
    assert_false(opens(&w, "What did Pierre Dupont find?", &g)); /* nobody knows him */
    assert_false(opens(&w, "", &g));
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_iteration_agrees),
        cmocka_unit_test(little_mass_does_not_decide),
        cmocka_unit_test(hidden_nodes_move_nothing),
        cmocka_unit_test(only_rare_names_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
