/* The gate: entropy, budgets that are never exceeded, near-duplicates, reasons, and what stays whatever happens. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "content.h"
#include "gate.h"
#include "inert.h"
#include "simhash.h"
#include "slow.h"
#include "str.h"

static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(256 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static struct gate_item item(const char *text, double relevance)
{
    struct gate_item it = {.kind = "note", .text = text, .relevance = relevance, .simhash = simhash("", text)};

    it.id.b[15] = (uint8_t)text[0];
    return it;
}

static const char BUDGET[] = "The marketing budget of the northern region was raised by the board in its spring meeting.";
static const char HARBOUR[] = "Ships wait outside the harbour until the pilot boat has brought them a navigator.";
static const char OWLS[] = "Owls turn their heads far around because their eyes cannot move inside the skull.";
static const char NOISE[] = "ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok";

static void entropy_tells_boilerplate_from_prose(void **state)
{
    struct entropy prose = entropy_of(arena, BUDGET), noise = entropy_of(arena, NOISE);
    struct entropy none = entropy_of(arena, ""), cjk = entropy_of(arena, "北方地区的营销预算由董事会在春季会议上提高");

    (void)state;
    assert_int_equal(prose.band, BAND_HIGH);
    assert_int_equal(noise.band, BAND_LOW);
    assert_int_equal(cjk.band, BAND_HIGH);
    assert_true(none.score == 0 && none.band == BAND_LOW);
    assert_true(noise.words == 0);
    /* two words, four characters each once: 2 bits of 5.5, and 1 of 1 */
    assert_true(fabs(entropy_of(arena, "a bc").chars - 2.0 / 5.5) < 1e-9);
    assert_true(fabs(entropy_of(arena, "a bc").words - 1.0) < 1e-9);
    assert_true(fabs(entropy_of(arena, "a bc").score - (2.0 / 5.5 + 1) / 2) < 1e-9);
}

static void without_a_budget_only_the_minimum_evicts(void **state)
{
    struct gate_item at[] = {item(BUDGET, 1), item(BUDGET, .9), item(NOISE, .1), item(OWLS, .05)};
    struct gate_result r;

    (void)state;
    at[3].below_min = true;
    r = gate_run(arena, at, 4, 0, NULL);
    assert_int_equal(r.n_kept, 3);
    assert_true(at[3].is_evicted);
    assert_int_equal(at[3].reason, EVICT_BELOW_MIN);
    assert_int_equal(at[1].near_of, 0);
    assert_int_equal(r.used_tokens, 2 * content_tokens(BUDGET) + content_tokens(NOISE));
}

static void the_least_worth_goes_first(void **state)
{
    /* .6 · (.5 + .5 · low) of the noise is below .5 · (.5 + .5 · high) of the owls */
    struct gate_item at[] = {item(BUDGET, 1), item(NOISE, .6), item(OWLS, .5)};
    int64_t all = content_tokens(BUDGET) + content_tokens(NOISE) + content_tokens(OWLS);
    struct gate_result r = gate_run(arena, at, 3, all - 1, NULL);

    (void)state;
    assert_true(at[1].is_evicted);
    assert_int_equal(at[1].reason, EVICT_LOW_ENTROPY);
    assert_int_equal(r.n_kept, 2);
    r = gate_run(arena, at, 3, content_tokens(BUDGET), NULL);
    assert_int_equal(r.n_kept, 1);
    assert_int_equal(at[2].reason, EVICT_OVER_BUDGET);
    assert_false(at[0].is_cut);
}

static void near_duplicates_go_before_all_others(void **state)
{
    struct gate_item at[] = {item(BUDGET, 1), item(BUDGET, .95), item(HARBOUR, .05)};
    int64_t two = content_tokens(BUDGET) + content_tokens(HARBOUR);

    (void)state;
    assert_int_equal(gate_run(arena, at, 3, two, NULL).used_tokens, two);
    assert_true(at[1].is_evicted);
    assert_int_equal(at[1].reason, EVICT_NEAR_DUPLICATE);
    assert_int_equal(at[1].near_of, 0);
    assert_false(at[2].is_evicted);
}

static void another_number_is_no_duplicate(void **state)
{
    struct gate_item at[] = { item("The deposit for room 14 is due on the third of May at noon in the office, as agreed.", 1),
                              item("The deposit for room 15 is due on the third of May at noon in the office, as agreed.", .9),
                              item(HARBOUR, .05) };

    (void)state;
    at[1].simhash = at[0].simhash;
    (void)gate_run(arena, at, 3, at[0].tokens + 1000, NULL);
    assert_int_equal(at[1].near_of, 1);
    (void)gate_run(arena, at, 3, content_tokens(at[0].text) * 2, NULL);
    assert_true(at[2].is_evicted);
    assert_false(at[1].is_evicted);
}

static double alike(const void *arg, size_t i, size_t j)
{
    (void)arg;
    return i + j == 2 ? .96 : .5; /* items 0 and 2 */
}

static void meaning_makes_duplicates_too(void **state)
{
    const struct gate_likeness likeness = {alike, NULL};
    struct gate_item at[] = {item(BUDGET, 1), item(HARBOUR, .3), item(OWLS, .9)};

    (void)state;
    (void)gate_run(arena, at, 3, content_tokens(BUDGET) + content_tokens(HARBOUR), &likeness);
    assert_int_equal(at[2].reason, EVICT_NEAR_DUPLICATE);
    assert_false(at[1].is_evicted);
}

static void the_only_relevant_hit_stays(void **state)
{
    /* boilerplate, but nothing else bears on the query */
    struct gate_item at[] = {item(NOISE, 1), item(OWLS, .45), item(HARBOUR, .44)};
    struct gate_result r = gate_run(arena, at, 3, content_tokens(NOISE), NULL);

    (void)state;
    assert_false(at[0].is_evicted);
    assert_int_equal(r.n_kept, 1);
}

static void a_giant_is_cut_and_leaves_room_for_others(void **state)
{
    char *giant = arena_alloc(arena, 40001);
    struct gate_item at[3];
    struct gate_result r;

    (void)state;
    for (size_t i = 0; i < 40000; i++)
        giant[i] = i % 7 == 6 ? ' ' : (char)('a' + i % 23);
    at[0] = item(giant, 1);
    at[1] = item(OWLS, .5);
    r = gate_run(arena, at, 2, 200, NULL);
    assert_int_equal(r.n_kept, 2);
    assert_true(at[0].is_cut);
    assert_in_range(r.used_tokens, 190, 200);
    assert_non_null(strstr(at[0].text, "\xe2\x80\xa6"));
    r = gate_run(arena, (at[0] = item(giant, 1), at), 1, 100, NULL);
    assert_in_range(r.used_tokens, 90, 100);
    /* its title alone does not fit */
    at[0] = item(giant, 1);
    at[0].extra_tokens = 101;
    r = gate_run(arena, at, 1, 100, NULL);
    assert_int_equal(r.n_kept, 0);
    assert_int_equal(r.used_tokens, 0);
    assert_int_equal(at[0].reason, EVICT_OVER_BUDGET);
}

/* ---- any input at all */

static const char *random_text(unsigned *seed)
{
    static const char *const PIECES[] = { "deposit ", "owl ", "42 ", "&amp;", "harbour, ", "\xc3\xa4\xc3\xb6 ", "\xe5\x8c\x97",
                                          "\n", "lorem ", "7", "x", "\xf0\x9f\xa6\x89" };
    struct buf b;

    buf_init(&b, arena, 64);
    for (int n = rand_r(seed) % 120; n > 0; n--)
        buf_puts(&b, PIECES[(size_t)rand_r(seed) % (sizeof PIECES / sizeof *PIECES)]);
    return buf_str(&b);
}

static void check_budget(const struct gate_item *at, size_t n, int64_t budget, struct gate_result r)
{
    int64_t used = 0;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (at[i].is_evicted)
            continue;
        used += content_tokens(at[i].text) + at[i].extra_tokens;
        kept++;
        assert_true(str_is_utf8(at[i].text, strlen(at[i].text)));
    }
    assert_int_equal(used, r.used_tokens);
    assert_int_equal(kept, r.n_kept);
    assert_true(used <= budget);
}

static void the_budget_holds_for_any_input(void **state)
{
    unsigned seed = 7;

    (void)state;
    for (int round = 0; round < slow_times(2000, 2000, 200); round++) {
        struct gate_item at[24], again[24];
        size_t n = (size_t)rand_r(&seed) % 24;
        int64_t budget = 1 + rand_r(&seed) % 300;
        struct gate_result r, s;

        for (size_t i = 0; i < n; i++) {
            at[i] = item(random_text(&seed), (double)(rand_r(&seed) % 100) / 100);
            at[i].extra_tokens = rand_r(&seed) % 3 * 20;
            at[i].below_min = rand_r(&seed) % 10 == 0;
            again[i] = at[i];
        }
        r = gate_run(arena, at, n, budget, NULL);
        check_budget(at, n, budget, r);
        s = gate_run(arena, again, n, budget, NULL);
        assert_int_equal(r.used_tokens, s.used_tokens);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(at[i].is_evicted, again[i].is_evicted);
            assert_string_equal(at[i].text, again[i].text);
        }
        if (round % 100 == 99)
            arena_reset(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entropy_tells_boilerplate_from_prose, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_budget_only_the_minimum_evicts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_least_worth_goes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(near_duplicates_go_before_all_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_number_is_no_duplicate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(meaning_makes_duplicates_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_only_relevant_hit_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_giant_is_cut_and_leaves_room_for_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_budget_holds_for_any_input, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
