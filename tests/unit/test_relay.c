/* The relay beside a plain model: transactions that begin and commit in any order, with or without a word to the relay; each event gets
 * one number, without gaps, and is put into Redis only where somebody listens. */
#include "graphtest.h"

#include "event_store.h"
#include "relay.h"

static int64_t clock_us; /* of the model */
static uint32_t dice = 1;

static uint32_t roll(uint32_t n)
{
    dice = dice * 1664525u + 1013904223u;
    return (dice >> 8) % n;
}

static void begin_at(int64_t us)
{
    arena_reset(test.arena);
    ctx_begin(&test, 30);
    test.account_id = cast.account_id[OWNER];
    test.now.us = us;
}

/* As if its transaction committed now. */
static void happen(int64_t began_us, int number, bool is_news)
{
    struct uuid id = uuid_floor(began_us);

    id.b[6] = 0x70;
    id.b[8] = 0x80;
    memcpy(id.b + 10, &number, sizeof number);
    begin_at(clock_us);
    test_sql(arena_printf(test.arena,
                          "INSERT INTO audit_event (account_id, id, at, kind, actor_kind, subject_kind, request_id, is_news) "
                          "VALUES ('%s', '%s', '2026-01-01', 'node.test', 'user', 'node', 'r', %d)",
                          UUID_STR(cast.account_id[OWNER]), UUID_STR(id), is_news));
}

static struct relay_done turn(int64_t since_us)
{
    struct relay_done done;

    begin_at(clock_us);
    OK(relay_turn(&test, (struct instant){since_us}, &done));
    assert_true(done.is_numbered);
    return done;
}

static void work_off(void)
{
    while (turn(0).more)
        ;
}

/* As the job does it, until nothing can be left. */
static void settle(void)
{
    for (int i = 0; i < 40; i++) {
        clock_us += 11 * SECOND_US;
        work_off();
    }
}

static int64_t count(const char *table, const char *which)
{
    return test_number(arena_printf(test.arena, "SELECT COUNT(*) FROM %s WHERE account_id = '%s' AND %s", table,
                                    UUID_STR(cast.account_id[OWNER]), which));
}

/* Numbers follow each other, and what they stand for is each piece of news once. */
static void all_is_numbered_once(void)
{
    int64_t news = count("audit_event", "is_news");
    int64_t oldest, newest, n = 0;
    struct event_page page;
    struct buf seen;
    size_t n_seen;

    begin_at(clock_us);
    OK(event_store_bounds(&test, &oldest, &newest));
    assert_int_equal(oldest, 1);
    assert_int_equal(newest, news);
    buf_init(&seen, test.arena, 1024);
    while (n < newest) {
        OK(event_store_read(&test, n, EVENT_PAGE, &page));
        assert_true(page.n > 0);
        for (size_t i = 0; i < page.n; i++) {
            assert_int_equal(page.rows[i].id, ++n);
            buf_add(&seen, &page.rows[i].event_id, sizeof page.rows[i].event_id);
        }
    }
    n_seen = seen.len / sizeof(struct uuid);
    assert_int_equal(n_seen, news);
    for (size_t i = 0; i < n_seen && n_seen < 5000; i++)
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(buf_str(&seen) + 16 * i, buf_str(&seen) + 16 * k, 16);
}

static void empty(void)
{
    clock_us = clock_now().us;
    begin_at(clock_us);
    for (size_t i = 0; i < 4; i++) {
        static const char *const TABLES[] = {"audit_event", "outbox", "event_batch", "event_stream"};

        test_sql(arena_printf(test.arena, "DELETE FROM %s WHERE account_id = '%s'", TABLES[i], UUID_STR(cast.account_id[OWNER])));
    }
    OK(event_redis_drop(&test));
    work_off();
}

static void commits_in_any_order_are_numbered_once(void **state)
{
    int64_t since = 0;

    (void)state;
    empty();
    for (int i = 0; i < 600; i++) {
        int64_t took = roll(20) ? roll(50000) : roll(20000000);
        bool told = roll(10);

        clock_us += 1000 * (1 + roll(20));
        happen(clock_us - took, i, roll(5));
        if (told && (!since || clock_us - took < since))
            since = clock_us - took;
        if (since && !roll(4)) {
            turn(since);
            since = 0;
        } else if (!roll(50)) {
            turn(0);
        }
    }
    settle();
    all_is_numbered_once();
}

static void who_tells_when_it_began_is_heard_at_once(void **state)
{
    (void)state;
    empty();
    happen(clock_us, 1, true);
    assert_int_equal(turn(clock_us).numbered, 1);
    happen(clock_us - 90 * SECOND_US, 2, true); /* behind the position, and longer ago than is looked for without a word */
    assert_int_equal(turn(clock_us).numbered, 0);
    assert_int_equal(turn(clock_us - 90 * SECOND_US).numbered, 1);
    assert_int_equal(turn(clock_us - 90 * SECOND_US).numbered, 0);
    settle();
    all_is_numbered_once();
}

static void what_nobody_told_of_is_found_within_its_time(void **state)
{
    (void)state;
    empty();
    happen(clock_us, 1, true);
    turn(clock_us);
    happen(clock_us - 20 * SECOND_US, 2, true);
    clock_us += 11 * SECOND_US;
    assert_int_equal(turn(0).numbered, 1);
    happen(clock_us - 200 * SECOND_US, 3, true);
    settle();
    all_is_numbered_once();
}

/* More than is looked through at once, all of it older than any transaction takes. */
static void long_gaps_are_looked_through_in_portions(void **state)
{
    int64_t began;

    (void)state;
    empty();
    began = clock_us;
    test_sql(arena_printf(test.arena,
                          "INSERT INTO audit_event (account_id, id, at, kind, actor_kind, subject_kind, request_id, is_news) SELECT '%s', "
                          "CAST(CONCAT(INSERT(LPAD(HEX(%lld + seq), 12, '0'), 9, 0, '-'), '-7000-8000-000000000001') AS UUID), '2026-01-01', "
                          "'node.test', 'user', 'node', 'r', 1 FROM seq_1_to_45000",
                          UUID_STR(cast.account_id[OWNER]), (long long)(began / 1000)));
    clock_us += 46 * SECOND_US;
    work_off();
    for (int i = 0; i < 3; i++)
        happen(began + (1 + 20 * i) * SECOND_US, 100 + i, true);
    clock_us += 400 * SECOND_US;
    for (int i = 0; i < 3; i++) {
        struct relay_done done = turn(0);

        assert_int_equal(done.numbered, 1);
        assert_int_equal(done.more, i < 2);
    }
    assert_int_equal(turn(0).numbered, 0);
    settle();
    all_is_numbered_once();
}

/* A loci-web of before batches had spans may still run while this one does. */
static void a_batch_without_a_span_is_looked_into(void **state)
{
    (void)state;
    empty();
    happen(clock_us, 1, true);
    turn(clock_us);
    test_sql(arena_printf(test.arena, "UPDATE event_batch SET low_id = DEFAULT, high_id = DEFAULT WHERE account_id = '%s'",
                          UUID_STR(cast.account_id[OWNER])));
    happen(clock_us - SECOND_US, 2, true);
    assert_int_equal(turn(clock_us - 2 * SECOND_US).numbered, 1);
    settle();
    all_is_numbered_once();
}

static int64_t in_redis(void)
{
    struct event *rows;
    size_t n;

    begin_at(clock_us);
    OK(event_redis_read(&test, 0, 1000, &rows, &n));
    return (int64_t)n;
}

static void only_what_somebody_hears_is_put_into_redis(void **state)
{
    struct relay_done done;

    (void)state;
    empty();
    happen(clock_us, 1, true);
    happen(clock_us, 2, true);
    done = turn(clock_us);
    assert_int_equal(done.numbered, 2);
    assert_int_equal(done.published, 0);
    assert_int_equal(in_redis(), 0);
    assert_int_equal(count("event_stream", "published_seq = last_seq"), 1);
    begin_at(clock_us);
    OK(event_listen(&test));
    happen(clock_us, 3, true);
    assert_int_equal(turn(clock_us).published, 1);
    assert_true(in_redis() == 0 || in_redis() == 3); /* read from 1: all, or it begins at the third */
    all_is_numbered_once();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commits_in_any_order_are_numbered_once),
        cmocka_unit_test(who_tells_when_it_began_is_heard_at_once),
        cmocka_unit_test(what_nobody_told_of_is_found_within_its_time),
        cmocka_unit_test(long_gaps_are_looked_through_in_portions),
        cmocka_unit_test(a_batch_without_a_span_is_looked_into),
        cmocka_unit_test(only_what_somebody_hears_is_put_into_redis),
    };

    return cmocka_run_group_tests_name("relay", tests, graph_group_begins, graph_group_ends);
}
