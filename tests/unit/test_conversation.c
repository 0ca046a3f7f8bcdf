/* Conversation structure: neighbours and the session's best, over segments, and without hidden turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "conversation.h"
#include "small_world.h"

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

/* All turns of a session that may be seen, with the scores that given ones have. */
static size_t turns_of(const struct small_world *w, const struct filter *f, unsigned node, struct turn *out)
{
    uint32_t rows[16];
    size_t n = 0;

    conversation_rows(w->snapshot, f, world_row(w, node), rows, 16, &n);
    for (size_t i = 0; i < n; i++)
        out[i] = conversation_turn(w->snapshot, rows[i]);
    return n;
}

static struct turn *turn(const struct small_world *w, struct turn *t, size_t n, unsigned node)
{
    for (size_t i = 0; i < n; i++)
        if (t[i].row == world_row(w, node))
            return &t[i];
    return NULL;
}

static void neighbours_and_sessions_count(void **state)
{
    const struct conversation_options o = {.before = 0.3, .after = 0.2, .session = 0.4, .best = 3};
    struct small_world w = talk();
    struct filter f = world_filter(&w, 3);
    struct turn t[16];
    size_t n = turns_of(&w, &f, 0, t);
    double s1 = 6 + 0.2 * 3, s2 = 3 + 0.3 * 6, s0 = 0.2 * 6, s3 = 0.3 * 3, top = (s1 + s2 + s0) / 3;

    (void)state;
    assert_int_equal(n, 6);
    turn(&w, t, n, 1)->found = 6;
    turn(&w, t, n, 2)->found = 3;
    conversation_judge(t, n, &o);
    assert_near(turn(&w, t, n, 1)->score, s1 + 0.4 * top);
    assert_near(turn(&w, t, n, 2)->score, s2 + 0.4 * top);
    assert_near(turn(&w, t, n, 0)->score, s0); /* matches nothing itself */
    assert_near(turn(&w, t, n, 3)->score, s3);
    assert_near(turn(&w, t, n, 5)->score, 0);
    world_free(&w);
}

/* What a message quotes is found for that, which tells nothing of the turns around it. */
static void quoted_turns_lend_nothing(void **state)
{
    const struct conversation_options o = {.before = 0.3, .after = 0.2, .session = 0.4, .best = 3};
    struct small_world w = talk();
    struct filter f = world_filter(&w, 3);
    struct turn t[16];
    size_t n = turns_of(&w, &f, 0, t);

    (void)state;
    turn(&w, t, n, 1)->found = 6;
    turn(&w, t, n, 1)->is_quoted = true;
    turn(&w, t, n, 2)->found = 3;
    conversation_judge(t, n, &o);
    assert_near(turn(&w, t, n, 0)->score, 0);
    assert_near(turn(&w, t, n, 2)->score, 3 + 0.4 * (3 + 0.3 * 3) / 3);
    assert_near(turn(&w, t, n, 1)->score, 6 + 0.2 * 3 + 0.4 * (3 + 0.3 * 3) / 3);
    world_free(&w);
}

/* Turn 8 stands between 2 and 3, but in another space: in another conversation, even under the same name. */
static void sessions_end_at_their_space(void **state)
{
    struct small_world w = talk();
    struct filter f = world_filter(&w, 3);
    struct turn t[16];

    (void)state;
    assert_int_equal(turns_of(&w, &f, 8, t), 1);
    assert_int_equal(turns_of(&w, &f, 6, t), 1);
    assert_int_equal(turns_of(&w, &f, 7, t), 0);
    world_free(&w);
}

static void turns_outside_the_filter_do_not_exist(void **state)
{
    struct small_world w = talk();
    struct filter_in in = {.readable = (struct uuid[]){world_space(0)}, .n_readable = 1, .now = 1000000, .created_from = 3};
    struct filter f;
    struct turn t[16];

    (void)state;
    filter_make(w.arena, w.snapshot, &in, &f); /* 2 to 7: what was created since */
    assert_int_equal(turns_of(&w, &f, 2, t), 4);
    assert_null(turn(&w, t, 4, 1));
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_and_sessions_count), cmocka_unit_test(quoted_turns_lend_nothing),
        cmocka_unit_test(sessions_end_at_their_space),
        cmocka_unit_test(turns_outside_the_filter_do_not_exist),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
