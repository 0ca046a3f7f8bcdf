/* Who speaks: the one speaker a query names, from attributes or from the text, and through merges of segments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "small_world.h"
#include "speaker.h"

static struct small_world talk(void)
{
    struct small_world w = world_new();

    world_say(&w, 0, 0, "", "Hey Melanie, I painted.", "one", 1, "Caroline");
    world_say(&w, 1, 0, "", "Melanie: Caroline, how lovely!", "one", 2, NULL); /* as transcripts have it */
    world_say(&w, 2, 0, "", "At noon: rain.", "one", 3, "Caroline");
    world_say(&w, 3, 0, "", "Caroline: no turn of a session", NULL, 0, NULL);
    world_say(&w, 4, 0, "", "nobody knows who said so", "one", 4, NULL);
    world_seal(&w);
    return w;
}

static void ask(struct small_world *w, const char *query, double out[5])
{
    struct turn turns[5];

    for (unsigned i = 0; i < 5; i++) {
        turns[i] = conversation_turn(w->snapshot, world_row(w, i));
        turns[i].score = 1;
    }
    speaker_favour(w->arena, w->snapshot, query, turns, 5, 1.1);
    for (unsigned i = 0; i < 5; i++)
        out[i] = turns[i].score;
}

static void expect(struct small_world *w, const char *query, double caroline, double melanie)
{
    double got[5];

    ask(w, query, got);
    assert_near(got[0], caroline);
    assert_near(got[2], caroline);
    assert_near(got[1], melanie);
    assert_near(got[3], 1);
    assert_near(got[4], 1);
}

static void the_named_speaker_is_favoured(void **state)
{
    struct small_world w = talk();

    (void)state;
    expect(&w, "What did Caroline paint?", 1.1, 1);
    expect(&w, "what is melanie's view of it", 1, 1.1);
    expect(&w, "Did Caroline and Melanie paint?", 1, 1); /* both: neither */
    expect(&w, "What did Tim paint?", 1, 1);
    expect(&w, "", 1, 1);
    world_free(&w);
}

static void merged_segments_know_their_speakers(void **state)
{
    struct small_world w = talk();
    struct segment *merged = segment_merge((const struct segment *const[]){w.snapshot->segments[0]},
                                           (const uint64_t *const[]){NULL}, 1, SIZE_MAX);

    (void)state;
    assert_memory_equal(merged->speaker, w.snapshot->segments[0]->speaker, 5 * sizeof *merged->speaker);
    assert_true(merged->speaker[0] && merged->speaker[0] == merged->speaker[2] && merged->speaker[1]);
    assert_int_equal(merged->speaker[3], 0);
    segment_drop(merged);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_named_speaker_is_favoured),
        cmocka_unit_test(merged_segments_know_their_speakers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
