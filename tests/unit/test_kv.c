/* Redis: bytes there and back, scripts, refusals, and a server that goes away and comes back. */
#include <signal.h>
#include <unistd.h>

#include "app.h"
#include "dbtest.h"
#include "kv.h"
#include "kv_feed.h"
#include "kv_impl.h"
#include "kv_watch.h"

#define KV_OK(call) kv_must((call), #call, __LINE__)

static void kv_must(err e, const char *what, int line)
{
    if (e != ERR_OK)
        BROKEN("line %d: %s: %s: %s", line, what, err_info(e)->slug, test.fault.message);
}

static void values_of_every_kind(void **state)
{
    static const char BYTES[] = {'a', 0, '\r', '\n', (char)0xff, 0};
    struct bytes b = {BYTES, sizeof BYTES};
    struct kv_reply r;

    (void)state;
    KV_OK(kv_cmd(&test, &r, kv_text("SET"), kv_bytes(b), kv_bytes(b)));
    assert_true(r.type == KV_TEXT && strcmp(r.s, "OK") == 0);
    KV_OK(kv_cmd(&test, &r, kv_text("GET"), kv_bytes(b)));
    assert_true(r.type == KV_TEXT && r.len == sizeof BYTES && memcmp(r.s, BYTES, sizeof BYTES) == 0);
    KV_OK(kv_cmd(&test, &r, kv_text("GET"), kv_text("nothing")));
    assert_true(r.type == KV_NIL);
    KV_OK(kv_cmd(&test, &r, kv_text("INCRBY"), kv_fmt(&test, "n%d", 1), kv_i64(&test, -7)));
    assert_true(r.type == KV_INT && r.i == -7);
    KV_OK(kv_cmd(&test, NULL, kv_text("RPUSH"), kv_text("l"), kv_text("x"),
                 kv_bytes((struct bytes){ NULL, 0 })));
    KV_OK(kv_cmd(&test, &r, kv_text("LRANGE"), kv_text("l"), kv_i64(&test, 0), kv_i64(&test, -1)));
    assert_true(r.type == KV_LIST && r.n == 2 && strcmp(r.items[0].s, "x") == 0 && r.items[1].len == 0);
    KV_OK(kv_cmd(&test, &r, kv_text("LRANGE"), kv_text("none"), kv_text("0"), kv_text("-1")));
    assert_true(r.type == KV_LIST && r.n == 0);
    KV_OK(kv_ping(&test));
}

static void large_values(void **state)
{
    struct bytes big = {test_text_of(8 << 20), 8 << 20};
    struct kv_reply r;

    (void)state;
    KV_OK(kv_cmd(&test, NULL, kv_text("SET"), kv_text("big"), kv_bytes(big)));
    KV_OK(kv_cmd(&test, &r, kv_text("GET"), kv_text("big")));
    assert_true(r.len == big.n && memcmp(r.s, big.p, big.n) == 0);
    KV_OK(kv_cmd(&test, NULL, kv_text("DEL"), kv_text("big")));
}

static const char ADD[] = "return {redis.call('INCRBY', KEYS[1], ARGV[1]), KEYS[2], {'deep', 1}}";
static const char BROKEN_SCRIPT[] = "return redis.call('NOSUCH')";

static void scripts_by_digest(void **state)
{
    struct kv_reply r;

    (void)state;
    KV_OK(kv_cmd(&test, NULL, kv_text("DEL"), kv_text("k")));
    for (int i = 1; i <= 4; i++) {
        if (i == 3) /* what Redis forgets, it is told again */
            KV_OK(kv_cmd(&test, NULL, kv_text("SCRIPT"), kv_text("FLUSH")));
        KV_OK(kv_eval(&test, &r, ADD, 2, kv_text("k"), kv_text("second"), kv_text("5")));
        assert_true(r.type == KV_LIST && r.n == 3 && r.items[0].i == 5 * i);
        assert_string_equal(r.items[1].s, "second");
        assert_string_equal(r.items[2].items[0].s, "deep");
    }
    assert_int_equal(kv_eval(&test, &r, BROKEN_SCRIPT, 0, kv_text("unused")), ERR_INTERNAL);
}

static void a_refused_command_is_our_fault(void **state)
{
    struct kv_reply r;

    (void)state;
    KV_OK(kv_cmd(&test, NULL, kv_text("SET"), kv_text("s"), kv_text("text")));
    assert_int_equal(kv_cmd(&test, &r, kv_text("LPUSH"), kv_text("s"), kv_text("x")), ERR_INTERNAL);
    ctx_forgive(&test);
    assert_int_equal(kv_cmd(&test, &r, kv_text("NOSUCH")), ERR_INTERNAL);
    ctx_forgive(&test);
    /* also inside what EXEC answers */
    KV_OK(kv_cmd(&test, NULL, kv_text("MULTI")));
    KV_OK(kv_cmd(&test, NULL, kv_text("LPUSH"), kv_text("s"), kv_text("x")));
    assert_int_equal(kv_cmd(&test, &r, kv_text("EXEC")), ERR_INTERNAL);
    ctx_forgive(&test);
    KV_OK(kv_ping(&test));
}

static void away_and_back(void **state)
{
    struct kv_reply r;
    int64_t began;

    (void)state;
    KV_OK(kv_cmd(&test, NULL, kv_text("SET"), kv_text("a"), kv_text("1")));
    stack_kv_signal(SIGKILL);
    began = clock_monotonic_us();
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(kv_cmd(&test, &r, kv_text("GET"), kv_text("a")), ERR_UNAVAILABLE);
        assert_int_equal(test.fault.retry_after_s, 2);
        ctx_forgive(&test);
    }
    assert_true(clock_monotonic_us() - began < 5 * SECOND_US); /* if each waited ever so little, it were a minute */
    stack_kv_again();
    usleep(1100000);
    KV_OK(kv_cmd(&test, &r, kv_text("GET"), kv_text("a")));
    assert_true(r.type == KV_NIL);
    KV_OK(kv_eval(&test, &r, ADD, 2, kv_text("k"), kv_text("x"), kv_text("1")));
    assert_int_equal(r.items[0].i, 1);
}

static void who_gets_through_does_so_for_all(void **state)
{
    struct ctx late;

    (void)state;
    stack_ctx(&late, test_conf, 30);
    stack_kv_signal(SIGKILL);
    assert_int_equal(kv_ping(&test), ERR_UNAVAILABLE);
    stack_kv_again();
    KV_OK(kv_ping(&late));
    ctx_forgive(&test);
    KV_OK(kv_ping(&test));
    stack_ctx_done(&late);
}

static void restarted_between_two_commands(void **state)
{
    (void)state;
    KV_OK(kv_ping(&test));
    stack_kv_signal(SIGTERM);
    stack_kv_again();
    KV_OK(kv_ping(&test));
    /* a connection that Redis ends */
    KV_OK(kv_cmd(&test, NULL, kv_text("CLIENT"), kv_text("KILL"), kv_text("TYPE"), kv_text("normal"),
                 kv_text("SKIPME"), kv_text("no")));
    for (int i = 0; i < 1000 && kv_is_alive(test.kv->rc); i++)
        usleep(5000); /* it answers first, and hangs up then */
    assert_false(kv_is_alive(test.kv->rc));
    KV_OK(kv_ping(&test));
}

static void a_slow_answer_is_no_answer(void **state)
{
    struct config hasty = *test_conf;
    struct ctx c;
    int64_t began;

    (void)state;
    hasty.redis_timeout_ms = 100;
    stack_ctx(&c, &hasty, 30);
    assert_int_equal(kv_ping(&c), ERR_OK);
    stack_kv_signal(SIGSTOP);
    began = clock_monotonic_us();
    assert_int_equal(kv_ping(&c), ERR_UNAVAILABLE);
    assert_true(clock_monotonic_us() - began < SECOND_US);
    stack_kv_signal(SIGCONT);
    ctx_begin(&c, 30);
    /* the late answer must not be taken for the next one's */
    struct kv_reply r;
    assert_int_equal(kv_cmd(&c, &r, kv_text("ECHO"), kv_text("mine")), ERR_OK);
    assert_string_equal(r.s, "mine");
    stack_ctx_done(&c);
}

static const char LATER[] = "return redis.call('RPUSH', KEYS[1], ARGV[1])";

static err later(struct ctx *c, const char *value)
{
    struct kv_arg args[] = {kv_text("later"), kv_text(value)};

    return kv_eval_later_(c, LATER, 1, args, 2);
}

static int64_t length_of_later(struct ctx *c)
{
    struct kv_reply r = {.i = -1};

    KV_OK(kv_cmd(c, &r, kv_text("LLEN"), kv_text("later")));
    return r.i;
}

static void an_answer_nobody_waits_for_is_nobody_elses(void **state)
{
    struct kv_reply r;

    (void)state;
    KV_OK(kv_cmd(&test, NULL, kv_text("DEL"), kv_text("later")));
    for (int i = 0; i < 3; i++) {
        KV_OK(later(&test, "x"));
        KV_OK(later(&test, test_text_of(1 << 20)));
        KV_OK(kv_cmd(&test, &r, kv_text("ECHO"), kv_text("mine")));
        assert_string_equal(r.s, "mine");
        KV_OK(kv_cmd(&test, NULL, kv_text("SCRIPT"), kv_text("FLUSH")));
    }
    assert_int_equal(length_of_later(&test), 6);
    /* a refusal is nobody's, either */
    KV_OK(kv_cmd(&test, NULL, kv_text("SET"), kv_text("later"), kv_text("text")));
    KV_OK(later(&test, "x"));
    KV_OK(kv_publish(&test, "a channel", "a text"));
    KV_OK(later(&test, "x"));
    KV_OK(kv_ping(&test));
    KV_OK(kv_cmd(&test, NULL, kv_text("DEL"), kv_text("later")));
}

static char heard[64];

static void hear(void *arg, const char *message)
{
    (void)arg;
    snprintf(heard, sizeof heard, "%s", message);
}

static void a_lost_answer_nobody_waits_for_is_no_harm(void **state)
{
    struct config hasty = *test_conf;
    struct kv_reply r;
    struct ctx c;
    int64_t began;

    (void)state;
    KV_OK(kv_cmd(&test, NULL, kv_text("DEL"), kv_text("later")));
    KV_OK(later(&test, "x"));
    stack_kv_signal(SIGTERM);
    stack_kv_again();
    KV_OK(kv_ping(&test));
    assert_int_equal(length_of_later(&test), 0);
    /* one that does not come in time */
    hasty.redis_timeout_ms = 800;
    stack_ctx(&c, &hasty, 30);
    assert_int_equal(kv_ping(&c), ERR_OK);
    stack_kv_signal(SIGSTOP);
    began = clock_monotonic_us();
    assert_int_equal(later(&c, "x"), ERR_OK);
    assert_true(clock_monotonic_us() - began < 800000);
    assert_int_equal(kv_ping(&c), ERR_UNAVAILABLE);
    assert_in_range(clock_monotonic_us() - began, 800000, 5 * SECOND_US);
    stack_kv_signal(SIGCONT);
    ctx_begin(&c, 30);
    assert_int_equal(kv_cmd(&c, &r, kv_text("ECHO"), kv_text("mine")), ERR_OK);
    assert_string_equal(r.s, "mine");
    stack_ctx_done(&c);
}

/* One waits, the others of its process do not; and when it is back, it is back for all. */
static void who_waits_in_vain_waits_for_all(void **state)
{
    struct config hasty = *test_conf;
    struct app app = {.kv_watch = kv_watch_new()};
    struct kv_feed *feed;
    struct ctx c[3];
    int64_t began;
    uint64_t line;

    (void)state;
    hasty.redis_timeout_ms = 200;
    feed = kv_feed_new(&hasty, "news");
    kv_feed_keep(feed);
    line = kv_feed_drain(feed, hear, NULL);
    for (int i = 0; i < 3; i++) {
        stack_ctx(&c[i], &hasty, 30);
        c[i].app = &app;
        assert_int_equal(kv_ping(&c[i]), ERR_OK);
    }
    stack_kv_signal(SIGSTOP);
    began = clock_monotonic_us();
    assert_int_equal(kv_ping(&c[0]), ERR_UNAVAILABLE);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(kv_ping(&c[i % 3]), ERR_UNAVAILABLE);
        assert_int_equal(later(&c[i % 3], "x"), ERR_UNAVAILABLE);
    }
    assert_in_range(clock_monotonic_us() - began, 200000, KV_FEED_TRUST_US - 1);
    /* a message waits once for as long as lines are trusted, and then not at all */
    assert_int_equal(kv_publish(&c[1], "news", "one"), ERR_OK);
    assert_in_range(clock_monotonic_us() - began, KV_FEED_TRUST_US, KV_FEED_TRUST_US + SECOND_US);
    assert_int_equal(kv_feed_drain(feed, hear, NULL), 0);
    began = clock_monotonic_us();
    for (int i = 0; i < 100; i++)
        assert_int_equal(kv_publish(&c[i % 3], "news", "two"), ERR_OK);
    assert_true(clock_monotonic_us() - began < 2 * SECOND_US); /* of a hundred that waited each */
    /* a line of before is given up; one that is made now is told nothing that it could miss */
    stack_kv_signal(SIGCONT);
    for (int i = 0; i < 300 && kv_ping(&c[2]) != ERR_OK; i++)
        usleep(10000);
    for (int i = 0; i < 3; i++) {
        ctx_begin(&c[i], 30);
        assert_int_equal(kv_ping(&c[i]), ERR_OK);
    }
    kv_feed_keep(feed);
    assert_true(kv_feed_drain(feed, hear, NULL) > line);
    *heard = 0;
    assert_int_equal(kv_publish(&c[0], "news", "three"), ERR_OK);
    kv_feed_drain(feed, hear, NULL);
    assert_string_equal(heard, "three");
    for (int i = 0; i < 3; i++)
        stack_ctx_done(&c[i]);
    kv_feed_free(feed);
    kv_watch_free(app.kv_watch);
}

/* A line that is trusted again because Redis comes back in time hears that something was to be heard. */
static void word_is_left_for_those_who_listen(void **state)
{
    struct config hasty = *test_conf;
    struct app app = {.kv_watch = kv_watch_new()};
    struct kv_feed *feed;
    struct ctx c;
    int64_t since;

    (void)state;
    hasty.redis_timeout_ms = 200;
    feed = kv_feed_new(test_conf, "news");
    stack_ctx(&c, &hasty, 30);
    c.app = &app;
    kv_feed_keep(feed);
    assert_true(kv_feed_drain(feed, hear, NULL) > 0);
    stack_kv_signal(SIGSTOP);
    assert_int_equal(kv_ping(&c), ERR_UNAVAILABLE);
    since = kv_watch_mute_since(app.kv_watch);
    assert_true(since > 0);
    snprintf(heard, sizeof heard, "nothing");
    assert_true(kv_watch_leave_word(app.kv_watch, "news"));
    assert_int_equal(kv_watch_mute_since(app.kv_watch), since);
    stack_kv_signal(SIGCONT);
    for (int i = 0; i < 300 && strcmp(heard, "nothing") == 0; i++) {
        usleep(10000);
        kv_feed_drain(feed, hear, NULL);
    }
    assert_string_equal(heard, "");
    assert_int_equal(kv_watch_mute_since(app.kv_watch), 0);
    assert_false(kv_watch_leave_word(app.kv_watch, "news"));
    stack_ctx_done(&c);
    kv_feed_free(feed);
    kv_watch_free(app.kv_watch);
}

static void the_password_is_given(void **state)
{
    struct config right = *test_conf, wrong = *test_conf;
    struct ctx c;

    (void)state;
    KV_OK(kv_cmd(&test, NULL, kv_text("CONFIG"), kv_text("SET"), kv_text("requirepass"),
                 kv_text("open sesame")));
    right.redis_password = "open sesame";
    wrong.redis_password = "wrong";
    stack_ctx(&c, &right, 30);
    assert_int_equal(kv_ping(&c), ERR_OK);
    assert_int_equal(kv_cmd(&c, NULL, kv_text("CONFIG"), kv_text("SET"), kv_text("requirepass"), kv_text("")),
                     ERR_OK);
    stack_ctx_done(&c);
    stack_ctx(&c, &wrong, 30);
    assert_int_equal(kv_ping(&c), ERR_UNAVAILABLE);
    stack_ctx_done(&c);
}

static void past_its_deadline_nothing_is_sent(void **state)
{
    (void)state;
    test.deadline_us = clock_monotonic_us() - 1;
    assert_int_equal(kv_ping(&test), ERR_DEADLINE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(values_of_every_kind),
        CASE(large_values),
        CASE(scripts_by_digest),
        CASE(a_refused_command_is_our_fault),
        CASE(away_and_back), CASE(who_gets_through_does_so_for_all),
        CASE(restarted_between_two_commands),
        CASE(a_slow_answer_is_no_answer),
        CASE(an_answer_nobody_waits_for_is_nobody_elses),
        CASE(a_lost_answer_nobody_waits_for_is_no_harm),
        CASE(who_waits_in_vain_waits_for_all),
        CASE(word_is_left_for_those_who_listen),
        CASE(the_password_is_given),
        CASE(past_its_deadline_nothing_is_sent),
    };

    return cmocka_run_group_tests(tests, test_group_begins, test_group_ends);
}
