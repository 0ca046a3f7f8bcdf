/* Redis behind a Sentinel: the master is asked for, killed, and another takes its place. */
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app.h"
#include "dbtest.h"
#include "kv.h"
#include "kv_feed.h"
#include "kv_master.h"

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define WAIT_S 30
#define TICK_US 50000

static struct config conf;
static struct ctx c;
static struct kv_feed *feed;
static int heard, ports[4], servers[2], sentinel;

static int free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t n = sizeof at;

    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    close(fd);
    return ntohs(at.sin_port);
}

static const char *text_of(int n)
{
    return arena_printf(test.arena, "%d", n);
}

static void start_redis(int i)
{
    static const char *const COMMON[] = {"--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0"};
    const char *argv[16] = {"redis-server", "--port", text_of(ports[i])};
    size_t n = 3;

    for (size_t k = 0; k < sizeof COMMON / sizeof *COMMON; k++)
        argv[n++] = COMMON[k];
    if (i == 1) {
        argv[n++] = "--replicaof";
        argv[n++] = arena_printf(test.arena, "127.0.0.1 %d", ports[0]);
    }
    servers[i] = stack_spawn(argv);
}

static void start_sentinel(void)
{
    const char *path = arena_printf(test.arena, "%s/sentinel.conf", stack_folder());
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fprintf(f, "port %d\nbind 127.0.0.1\ndir %s\nsentinel monitor loci 127.0.0.1 %d 1\nsentinel down-after-milliseconds loci 1000\n"
               "sentinel failover-timeout loci 3000\n", ports[2], stack_folder(), ports[0]);
    fclose(f);
    sentinel = stack_spawn(ARGV("redis-server", path, "--sentinel"));
}

static void next(void)
{
    arena_reset(c.arena);
    ctx_begin(&c, 60);
}

static void hear(void *arg, const char *message)
{
    (void)arg;
    heard += str_eq(message, "here");
}

static bool answers(void)
{
    next();
    return kv_cmd(&c, NULL, kv_text("SET"), kv_text("k"), kv_text("v")) == ERR_OK;
}

static bool has_replica(void)
{
    struct kv_reply r;

    next();
    return kv_cmd(&c, &r, kv_text("WAIT"), kv_text("1"), kv_text("100")) == ERR_OK && r.type == KV_INT && r.i == 1;
}

static bool is_trusted(void)
{
    kv_feed_keep(feed);
    return kv_feed_drain(feed, hear, NULL) != 0;
}

static bool sees_the_replica(void)
{
    static char own[64];
    struct config direct = conf;
    struct ctx at = {.arena = c.arena};
    struct kv_reply r;
    bool yes;

    snprintf(own, sizeof own, "127.0.0.1");
    direct.redis_sentinels = direct.redis_socket = "";
    direct.redis_host = own;
    direct.redis_port = ports[2];
    at.kv = kv_open(&direct);
    ctx_begin(&at, 60);
    yes = kv_cmd(&at, &r, kv_text("SENTINEL"), kv_text("REPLICAS"), kv_text("loci")) == ERR_OK && r.type == KV_LIST && r.n == 1;
    kv_close(at.kv);
    return yes;
}

static void wait_until(bool (*is_so)(void), const char *what)
{
    for (int64_t until = clock_monotonic_us() + WAIT_S * SECOND_US; clock_monotonic_us() < until; usleep(TICK_US))
        if (is_so())
            return;
    BROKEN("%s: not within %d s", what, WAIT_S);
}

static void the_master_is_asked_for(void **state)
{
    (void)state;
    wait_until(answers, "the master answers");
    assert_int_equal(kv_master_number(), 1);
    assert_null(kv_why_away(c.arena, &conf)); /* though the first Sentinel of the list is not there */
    wait_until(has_replica, "the replica follows");
    wait_until(sees_the_replica, "the Sentinel knows it");
}

static void a_new_line_is_trusted_only_after_a_while(void **state)
{
    int64_t began = clock_monotonic_us();

    (void)state;
    wait_until(is_trusted, "the feed is trusted");
    assert_true(clock_monotonic_us() - began >= MASTER_LISTEN_US);
    next();
    assert_int_equal(kv_publish(&c, "channel", "here"), ERR_OK);
    assert_true(is_trusted());
    assert_int_equal(heard, 1);
}

static void another_takes_its_place(void **state)
{
    uint64_t before = kv_feed_drain(feed, hear, NULL);
    int64_t began;

    (void)state;
    stack_end(&servers[0], SIGKILL);
    assert_false(answers());
    assert_int_equal(kv_feed_drain(feed, hear, NULL), 0);
    wait_until(answers, "the replica is the master");
    began = clock_monotonic_us();
    assert_int_equal(kv_master_number(), 2);
    next();
    assert_int_equal(kv_publish(&c, "channel", "here"), ERR_OK); /* those who listen at the one before must have left it */
    assert_true(clock_monotonic_us() - began > KV_FEED_TRUST_US);
    wait_until(is_trusted, "the feed is trusted again");
    assert_true(kv_feed_drain(feed, hear, NULL) != before);
    next();
    began = clock_monotonic_us();
    assert_int_equal(kv_publish(&c, "channel", "here"), ERR_OK);
    assert_true(clock_monotonic_us() - began < SECOND_US);
    assert_true(is_trusted());
    assert_true(heard >= 2);
}

static void without_sentinels_the_last_word_holds_but_no_line_is_trusted(void **state)
{
    (void)state;
    stack_end(&sentinel, SIGKILL);
    assert_true(answers());
    for (int64_t until = clock_monotonic_us() + KV_FEED_TRUST_US + SECOND_US; clock_monotonic_us() < until; usleep(TICK_US))
        kv_feed_keep(feed);
    assert_false(is_trusted());
    assert_true(answers());
}

static int begins(void **state)
{
    (void)state;
    test_conf = stack_start();
    stack_ctx(&test, test_conf, 60);
    for (size_t i = 0; i < 4; i++)
        ports[i] = free_port();
    start_redis(0);
    start_redis(1);
    start_sentinel();
    conf = *test_conf;
    conf.redis_sentinels = arena_printf(test.arena, "127.0.0.1:%d,127.0.0.1:%d", ports[3], ports[2]);
    stack_ctx(&c, &conf, 60);
    feed = kv_feed_new(&conf, "channel");
    return 0;
}

static int ends(void **state)
{
    (void)state;
    kv_feed_free(feed);
    stack_ctx_done(&c);
    stack_ctx_done(&test);
    for (int i = 0; i < 2; i++)
        stack_end(&servers[i], SIGKILL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_master_is_asked_for),
        cmocka_unit_test(a_new_line_is_trusted_only_after_a_while),
        cmocka_unit_test(another_takes_its_place),
        cmocka_unit_test(without_sentinels_the_last_word_holds_but_no_line_is_trusted),
    };

    return cmocka_run_group_tests(tests, begins, ends);
}
