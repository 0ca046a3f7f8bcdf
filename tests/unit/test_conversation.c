/* Conversation structure: against the two sums of the specification, over segments, and without hidden turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "conversation.h"
#include "small_world.h"

static const struct conversation_options DEFAULTS = CONVERSATION_DEFAULTS;

static double score_of(const struct small_world *w, const struct scored *list, size_t n, unsigned node)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].row == world_row(w, node))
            return (double)list[i].score;
    return 0;
}

/* Turns 0 to 5 of one session, the odd ones in another segment; 6 of another session; 7 of none; 8 in a space of its own,
 * between 2 and 3. */
static struct small_world talk(void)
{
    struct small_world w = world_new();

    for (unsigned i = 0; i < 6; i += 2)
        world_add(&w, i, 0, "", "x", "one", 10 * i);
    world_seal(&w);
    for (unsigned i = 1; i < 6; i += 2)
        world_add(&w, i, 0, "", "x", "one", 10 * i);
    world_add(&w, 6, 0, "", "x", "two", 1);
    world_add(&w, 7, 0, "", "x", NULL, 0);
    world_add(&w, 8, 1, "", "x", "one", 25);
    world_seal(&w);
    return w;
}

static void neighbours_and_sessions_count(void **state)
{
    struct small_world w = talk();
    struct filter f = world_filter(&w, 3);
    struct scored in[] = {{world_row(&w, 1), 1}, {world_row(&w, 2), 0.5f}, {world_row(&w, 7), 0.7f}}, *out;
    size_t n = conversation_smooth(w.arena, w.snapshot, &f, in, 3, &DEFAULTS, &out);
    double s1 = 1 + 0.2 * 0.5, s2 = 0.5 + 0.3 * 1, s0 = 0.2, s3 = 0.3 * 0.5, top = (s1 + s2 + s0) / 3;

    (void)state;
    assert_int_equal(n, 5);
    assert_near(score_of(&w, out, n, 1), s1 + 0.4 * top);
    assert_near(score_of(&w, out, n, 2), s2 + 0.4 * top);
    assert_near(score_of(&w, out, n, 0), s0);           /* matches nothing itself */
    assert_near(score_of(&w, out, n, 3), s3);
    assert_near(score_of(&w, out, n, 7), 0.7);          /* has no session */
    assert_int_equal(out[0].row, world_row(&w, 1));
    world_free(&w);
}

/* Turn 8 stands between 2 and 3, but in another space: in another conversation, even under the same name. */
static void sessions_end_at_their_space(void **state)
{
    struct small_world w = talk();
    struct filter f = world_filter(&w, 3);
    struct scored in = {world_row(&w, 8), 1}, *out;

    (void)state;
    assert_int_equal(conversation_smooth(w.arena, w.snapshot, &f, &in, 1, &DEFAULTS, &out), 1);
    assert_near(out[0].score, 1 + 0.4);         /* a short session's best are fewer than three */
    world_free(&w);
}

static void turns_outside_the_filter_do_not_exist(void **state)
{
    struct small_world w = talk();
    struct filter_in in = {.readable = (struct uuid[]){world_space(0)}, .n_readable = 1, .now = 1000000, .created_from = 3};
    struct filter f;
    struct scored hit = {world_row(&w, 2), 1}, *out;
    size_t n;

    (void)state;
    filter_make(w.arena, w.snapshot, &in, &f);               /* 2 to 7: what was created since */
    n = conversation_smooth(w.arena, w.snapshot, &f, &hit, 1, &DEFAULTS, &out);
    assert_int_equal(n, 2);
    assert_near(score_of(&w, out, n, 3), 0.3);
    assert_near(score_of(&w, out, n, 1), 0);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_and_sessions_count),
        cmocka_unit_test(sessions_end_at_their_space),
        cmocka_unit_test(turns_outside_the_filter_do_not_exist),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
