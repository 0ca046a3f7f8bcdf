/* The fold of claims: examples of the rules, and 20,000 random sets in two orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fact_fold.h"

static struct arena *arena;

static int setup(void **state)
{
    (void)state;
    arena = arena_new(64u << 20);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

#define USER 3
#define AGENT 2
#define TOOL 0

static struct fold_claim says(char value, int64_t at, char author, int voice, double trust)
{
    return (struct fold_claim){.object = {(uint8_t)value}, .at = at, .author = {(uint8_t)author}, .voice = voice, .trust = trust};
}

static void run_is(const struct fold *f, size_t i, char value, int64_t from, int64_t to, enum fold_state state)
{
    assert_true(i < f->n);
    assert_int_equal(f->runs[i].object[0], value);
    assert_int_equal(f->runs[i].from, from);
    assert_int_equal(f->runs[i].to, to);
    assert_int_equal(f->runs[i].state, state);
}

static void a_value_comes_back(void **state)
{
    struct fold_claim c[] = {says('P', 30, 'a', USER, 0.9), says('B', 20, 'a', USER, 0.9), says('P', 10, 'a', USER, 0.9)};
    struct fold f = fact_fold(arena, c, 3, true);

    (void)state;
    assert_int_equal(f.n, 3);
    run_is(&f, 0, 'P', 10, 20, FOLD_SUPERSEDED);
    run_is(&f, 1, 'B', 20, 30, FOLD_SUPERSEDED);
    run_is(&f, 2, 'P', 30, 0, FOLD_ACTIVE);
    assert_int_equal(f.runs[0].successor, 1);
    c[1].withdrawn = true;
    f = fact_fold(arena, c, 3, true);
    assert_int_equal(f.n, 1);
    run_is(&f, 0, 'P', 10, 0, FOLD_ACTIVE);
    assert_int_equal(f.runs[0].claims, 2);
}

static void a_tool_does_not_overwrite_the_user(void **state)
{
    struct fold_claim c[] = {says('P', 10, 'a', USER, 0.5), says('B', 20, 'a', TOOL, 0.4), says('B', 30, 'a', TOOL, 0.4),
                             says('B', 40, 'b', AGENT, 0.45)};
    struct fold f = fact_fold(arena, c, 3, true);

    (void)state;
    assert_int_equal(f.n, 2);
    run_is(&f, 0, 'P', 10, 0, FOLD_ACTIVE);
    run_is(&f, 1, 'B', 20, 0, FOLD_HELD);
    assert_int_equal(f.runs[1].claims, 2);
    f = fact_fold(arena, c, 4, true); /* another author lifts it */
    run_is(&f, 0, 'P', 10, 40, FOLD_SUPERSEDED);
    run_is(&f, 1, 'B', 40, 0, FOLD_ACTIVE);
    c[1].accepted = true;
    f = fact_fold(arena, c, 2, true); /* so does a person */
    run_is(&f, 1, 'B', 20, 0, FOLD_ACTIVE);
}

static void an_end_closes_that_value_alone(void **state)
{
    struct fold_claim c[] = {says('V', 10, 'a', USER, 0.9), says('V', 20, 'a', USER, 0.9), says('W', 30, 'a', USER, 0.9)};
    struct fold f;

    (void)state;
    c[1].negative = true;
    f = fact_fold(arena, c, 2, false);
    run_is(&f, 0, 'V', 10, 20, FOLD_SUPERSEDED);
    run_is(&f, 1, 'V', 20, 0, FOLD_ACTIVE);
    assert_true(f.runs[1].negative);
    c[2].negative = true;
    c[1].withdrawn = true;
    f = fact_fold(arena, c, 3, false);
    run_is(&f, 0, 'V', 10, 0, FOLD_ACTIVE); /* not W says nothing of V */
}

static void two_values_at_one_instant(void **state)
{
    struct fold_claim c[] = {says('P', 10, 'a', USER, 0.8), says('B', 10, 'b', USER, 0.85), says('C', 20, 'c', USER, 0.9)};
    struct fold f = fact_fold(arena, c, 2, true);

    (void)state;
    assert_true(f.runs[0].contested && f.runs[1].contested);
    run_is(&f, 0, 'P', 10, 0, FOLD_ACTIVE);
    run_is(&f, 1, 'B', 10, 0, FOLD_ACTIVE);
    f = fact_fold(arena, c, 3, true);
    run_is(&f, 0, 'P', 10, 20, FOLD_SUPERSEDED);
    run_is(&f, 1, 'B', 10, 20, FOLD_SUPERSEDED);
    run_is(&f, 2, 'C', 20, 0, FOLD_ACTIVE);
    c[0].trust = 0.5;
    f = fact_fold(arena, c, 2, true);
    run_is(&f, 0, 'P', 10, 0, FOLD_CONTRADICTED);
    run_is(&f, 1, 'B', 10, 0, FOLD_ACTIVE);
}

static void periods_and_plans_close_nothing(void **state)
{
    struct fold_claim c[] = {says('P', 10, 'a', USER, 0.9), says('B', 5, 'a', USER, 0.9), says('C', 40, 'a', USER, 0.9),
                             says('D', 20, 'a', USER, 0.9)};
    struct fold f;

    (void)state;
    c[1].modality = FOLD_PAST;
    c[1].until = 7;
    c[2].modality = FOLD_PLANNED;
    f = fact_fold(arena, c, 3, true);
    assert_int_equal(f.n, 3);
    run_is(&f, 0, 'B', 5, 7, FOLD_ACTIVE);
    run_is(&f, 1, 'P', 10, 0, FOLD_ACTIVE);
    c[3].until = 30; /* leaves a gap */
    f = fact_fold(arena, c, 4, true);
    run_is(&f, 1, 'P', 10, 20, FOLD_SUPERSEDED);
    run_is(&f, 2, 'D', 20, 30, FOLD_ACTIVE);
}

/* ---- random sets */

static uint32_t seed = 20261120;

static uint32_t any(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static size_t random_claims(struct fold_claim *c)
{
    static const double TRUST[] = {0.3, 0.5, 0.55, 0.7, 0.9};
    size_t n = 1 + any(12);

    for (size_t i = 0; i < n; i++) {
        c[i] = says((char)('A' + any(3)), 10 + (int64_t)any(10) * 10, (char)('a' + any(3)), (int)any(4), TRUST[any(5)]);
        c[i].negative = any(6) == 0;
        c[i].modality = any(10) ? FOLD_ASSERTED : any(2) ? FOLD_PAST : FOLD_PLANNED;
        c[i].until = any(6) ? 0 : c[i].at + (int64_t)any(4) * 10;
        c[i].accepted = any(12) == 0;
        c[i].withdrawn = any(8) == 0;
    }
    return n;
}

static void timelines_are_equal(const struct fold *a, const struct fold *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        const struct fold_run *x = &a->runs[i], *y = &b->runs[i];

        assert_memory_equal(x->object, y->object, FOLD_KEY);
        assert_true(x->negative == y->negative && x->modality == y->modality && x->from == y->from && x->to == y->to &&
            x->state == y->state &&
                    x->contested == y->contested && x->successor == y->successor && x->claims == y->claims && x->authors == y->authors);
        assert_true(x->trust > y->trust - 1e-12 && x->trust < y->trust + 1e-12);
    }
}

/* What holds of every timeline: windows do not end before they begin, and of a single
 * slot no two uncontested asserted values hold at
   once. */
static void timeline_is_sound(const struct fold *f)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct fold_run *x = &f->runs[i];

        assert_true(!x->to || x->to >= x->from);
        assert_true(x->trust >= 0 && x->trust <= FOLD_TRUST_MAX && x->claims > 0);
        assert_true(x->state == FOLD_ACTIVE || x->successor < f->n);
        for (size_t k = 0; k < i; k++) {
            const struct fold_run *y = &f->runs[k];
            int64_t from = x->from > y->from ? x->from : y->from;
            bool both = (!x->to || from < x->to) && (!y->to || from < y->to);
            bool hold = x->state <= FOLD_SUPERSEDED && y->state <= FOLD_SUPERSEDED &&
                        x->modality == FOLD_ASSERTED &&
                y->modality == FOLD_ASSERTED;

            if (both && hold && !x->negative && !y->negative)
                assert_true(x->contested && y->contested);
        }
    }
}

static void the_order_of_arrival_does_not_matter(void **state)
{
    struct fold_claim c[16], d[16];

    (void)state;
    for (int set = 0; set < 20000; set++) {
        struct arena_mark m = arena_mark(arena);
        size_t n = random_claims(c), k = 0;
        struct fold a, b;

        memcpy(d, c, sizeof d);
        for (size_t i = n; i > 1; i--) {
            size_t j = any((uint32_t)i);
            struct fold_claim kept = d[i - 1];

            d[i - 1] = d[j];
            d[j] = kept;
        }
        a = fact_fold(arena, c, n, set % 2);
        b = fact_fold(arena, d, n, set % 2);
        timelines_are_equal(&a, &b);
        timeline_is_sound(&a);
        for (size_t i = 0; i < n; i++) /* a claim that was withdrawn might as well never have been */
            if (!c[i].withdrawn)
                d[k++] = c[i];
        b = fact_fold(arena, d, k, set % 2);
        timelines_are_equal(&a, &b);
        arena_rewind(arena, m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_comes_back),
        cmocka_unit_test(a_tool_does_not_overwrite_the_user),
        cmocka_unit_test(an_end_closes_that_value_alone),
        cmocka_unit_test(two_values_at_one_instant),
        cmocka_unit_test(periods_and_plans_close_nothing),
        cmocka_unit_test(the_order_of_arrival_does_not_matter),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
