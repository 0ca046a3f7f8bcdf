/* What was served to a principal: known for a day, the newest 20,000 sentences, and a Redis that is away harms nobody. */
#include "dbtest.h"
#include "kv.h"
#include "principal.h"
#include "served.h"

static struct principal who = {.kind = PRINCIPAL_AGENT};

static const char *key(const char *suffix)
{
    return arena_printf(test.arena, "loci:{%s}:served:%s%s", UUID_STR(test.account_id), UUID_STR(who.id), suffix);
}

static int64_t ask(const char *command, const char *suffix)
{
    struct kv_reply r = {.i = -1};

    assert_int_equal(kv_cmd(&test, &r, kv_text(command), kv_text(key(suffix))), ERR_OK);
    return r.i;
}

static const char *node_of(const char *sentence)
{
    struct kv_reply r = {.s = NULL};

    assert_int_equal(kv_cmd(&test, &r, kv_text("HGET"), kv_text(key(":of")),
                            kv_fmt(&test, "%016llx", (unsigned long long)sentence_hash(sentence, strlen(sentence)))),
                     ERR_OK);
    return r.s;
}

static void begin(void)
{
    test.who = &who;
    who.id = uuid_new(test.now.us);
    test.account_id = uuid_new(test.now.us);
}

static void sentences_are_known_by_their_node(void **state)
{
    struct served_text texts[] = { { uuid_new(test.now.us), "Ships wait outside. The pilot&#39;s boat is late. Oh." },
                                   { uuid_new(test.now.us), "Owls cannot move their eyes." } };

    (void)state;
    begin();
    served_remember(&test, texts, 2);
    served_remember(&test, texts, 2);
    assert_int_equal(ask("ZCARD", ""), 3);
    assert_int_equal(ask("HLEN", ":of"), 3);
    assert_string_equal(node_of("owls CANNOT move their eyes"), UUID_STR(texts[1].node_id));
    assert_null(node_of("Owls can move their eyes."));
    assert_in_range(ask("TTL", ""), SERVED_SECONDS - 60, SERVED_SECONDS);
    assert_in_range(ask("TTL", ":of"), SERVED_SECONDS - 60, SERVED_SECONDS);
}

static void what_is_a_day_old_leaves(void **state)
{
    struct served_text old = {uuid_new(test.now.us), "This was said yesterday."}, new = {old.node_id, "This is said today."};
    struct instant now = test.now;

    (void)state;
    begin();
    test.now.us -= (SERVED_SECONDS + 1) * 1000000LL;
    served_remember(&test, &old, 1);
    assert_non_null(node_of(old.text));
    test.now = now;
    served_remember(&test, &new, 1);
    assert_null(node_of(old.text));
    assert_non_null(node_of(new.text));
    assert_int_equal(ask("ZCARD", ""), 1);
}

static void the_oldest_leave_a_full_house(void **state)
{
    struct instant now = test.now;

    (void)state;
    begin();
    for (int i = 0; i < SERVED_MAX / SERVED_AT_ONCE + 3; i++) {
        struct served_text t = {uuid_new(now.us), NULL};
        struct buf b;

        buf_init(&b, test.arena, 40 * SERVED_AT_ONCE);
        for (int k = 0; k < SERVED_AT_ONCE + 5; k++)
            buf_printf(&b, "Sentence number %d of text %d.\n", k, i);
        t.text = buf_str(&b);
        test.now.us = now.us + i * 1000000LL;
        served_remember(&test, &t, 1);
    }
    assert_int_equal(ask("ZCARD", ""), SERVED_MAX);
    assert_int_equal(ask("HLEN", ":of"), SERVED_MAX);
    assert_null(node_of("Sentence number 7 of text 0."));
    assert_non_null(node_of("Sentence number 7 of text 22."));
    assert_null(node_of("Sentence number 1002 of text 22."));
    test.now = now;
}

static void jobs_are_nobody(void **state)
{
    struct served_text t = {uuid_new(test.now.us), "Nobody was shown this."};

    (void)state;
    begin();
    who.kind = PRINCIPAL_SYSTEM;
    served_remember(&test, &t, 1);
    who.kind = PRINCIPAL_AGENT;
    assert_int_equal(ask("ZCARD", ""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(sentences_are_known_by_their_node),
        CASE(what_is_a_day_old_leaves),
        CASE(the_oldest_leave_a_full_house),
        CASE(jobs_are_nobody),
    };

    return cmocka_run_group_tests(tests, test_group_begins, test_group_ends);
}
