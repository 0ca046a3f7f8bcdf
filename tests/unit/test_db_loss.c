/* A server that is killed, restarted, stopped or slow, and connections that end under us. */
#include <signal.h>
#include <unistd.h>

#include "dbtest.h"

#define LOST 2013

static int64_t connection_id(void)
{
    return test_number("SELECT CONNECTION_ID()");
}

static void end_connection(int64_t id)
{
    const char *sql = arena_printf(test_other.arena, "KILL %lld", (long long)id);

    test_ok(&test_other, db_run_text(&test_other, sql, strlen(sql)), sql, __FILE__, __LINE__);
    /* until its thread is gone, nobody is told */
    for (int i = 0; i < 200; i++) {
        scoped_cursor q = {0};
        bool found;
        int n = 1;

        test_ok(
            &test_other,
            db_query(&test_other, &q, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ?", IN(id)),
            "processlist", __FILE__, __LINE__);
        test_ok(&test_other, db_row(&q, &test_other, &found, OUT(&n)), "row", __FILE__, __LINE__);
        if (n == 0)
            return;
        usleep(5000);
    }
    BROKEN("connection %d does not end", (int)id);
}

static void make_table(void)
{
    test_sql("CREATE OR REPLACE TABLE w (id INT PRIMARY KEY AUTO_INCREMENT, n INT NOT NULL) ENGINE=InnoDB");
}

static err write_one(struct ctx *c, int n)
{
    return db_exec(c, NULL, "INSERT INTO w (n) VALUES (?)", IN(n));
}

static int64_t rows(void)
{
    scoped_cursor q = {0};
    int64_t n;
    bool found;

    OK(db_query(&test, &q, "SELECT COUNT(*) FROM w"));
    OK(db_row(&q, &test, &found, OUT(&n)));
    return n;
}

/* ---- connections that end */

static void an_idle_connection_that_ended_is_not_noticed(void **state)
{
    int64_t before;

    (void)state;
    make_table();
    OK(write_one(&test, 1));
    before = connection_id();
    end_connection(before);
    OK(write_one(&test, 2)); /* nothing had been sent: a write may go out on a new connection */
    assert_int_not_equal(connection_id(), before);
    end_connection(connection_id());
    assert_int_equal(rows(), 2);
}

static void a_read_is_repeated_once_and_a_write_never(void **state)
{
    (void)state;
    make_table();
    OK(write_one(&test, 1));
    db_test_fail_at(test.db, 1, LOST);
    assert_int_equal(rows(), 1);
    db_test_fail_at(test.db, 1, LOST);
    assert_int_equal(write_one(&test, 2), ERR_UNAVAILABLE);
    assert_int_equal(test.fault.retry_after_s, 2);
    ctx_forgive(&test);
    assert_int_equal(rows(), 1);
}

struct cut {
    int runs;
    bool forgive;
};

static err cut_inside(struct ctx *c, void *arg)
{
    struct cut *cut = arg;
    int64_t id = connection_id();

    TRY(write_one(c, ++cut->runs));
    if (cut->runs == 1)
        end_connection(id);
    if (write_one(c, 10 * cut->runs) != ERR_OK && cut->forgive)
        ctx_forgive(c);
    return c->fault.code;
}

static void a_transaction_that_lost_its_connection_runs_again(void **state)
{
    struct cut cut = {0};

    (void)state;
    make_table();
    OK(db_tx(&test, cut_inside, &cut));
    assert_int_equal(cut.runs, 2);
    assert_int_equal(rows(), 2);
    assert_int_equal(test_number("SELECT SUM(n) FROM w"), 22);
    cut = (struct cut){.forgive = true};
    OK(db_tx(&test, cut_inside, &cut));
    assert_int_equal(cut.runs, 2);
    assert_int_equal(rows(), 4);
}

static void rows_in_hand_outlive_nothing(void **state)
{
    bool found;
    int n;

    (void)state;
    make_table();
    for (int i = 1; i <= 3; i++)
        OK(write_one(&test, i));
    {
        scoped_cursor q = {0};

        OK(db_query(&test, &q, "SELECT n FROM w ORDER BY n"));
        OK(db_row(&q, &test, &found, OUT(&n)));
        end_connection(connection_id());
        assert_int_equal(rows(), 3); /* finds out and connects again */
        assert_int_equal(db_row(&q, &test, &found, OUT(&n)), ERR_UNAVAILABLE);
        ctx_forgive(&test);
    }
    assert_int_equal(rows(), 3);
}

/* ---- a server that ends */

static void dead_and_back(void **state)
{
    int64_t began, quick;

    (void)state;
    make_table();
    OK(write_one(&test, 1));
    stack_db_signal(SIGKILL);
    began = clock_monotonic_us();
    for (int i = 0; i < 200; i++) {
        assert_int_equal(write_one(&test, 99), ERR_UNAVAILABLE);
        assert_int_equal(test.fault.retry_after_s, 2);
        assert_null(strstr(test.fault.message, "sock"));
        ctx_forgive(&test);
        assert_int_equal(db_ping(&test), ERR_UNAVAILABLE);
        ctx_forgive(&test);
    }
    quick = clock_monotonic_us() - began;
    if (quick > SECOND_US / 2)
        BROKEN("400 answers of a dead server took %d ms", (int)(quick / 1000));
    stack_db_again();
    usleep(1100000); /* the longest back-off */
    OK(write_one(&test, 2));
    assert_int_equal(rows(), 2);
}

/* Otherwise single threads go on saying that it is away while others work: their back-off is up to a second long. */
static void who_gets_through_does_so_for_all(void **state)
{
    struct ctx first;
    int64_t began;

    (void)state;
    make_table();
    stack_ctx(&first, test_conf, 30);
    stack_db_signal(SIGKILL);
    began = clock_monotonic_us();
    assert_int_equal(db_ping(&first), ERR_UNAVAILABLE);
    while (clock_monotonic_us() < began + SECOND_US) { /* its back-off grows */
        assert_int_equal(db_ping(&test), ERR_UNAVAILABLE);
        ctx_forgive(&test);
        usleep(1000);
    }
    stack_db_again();
    ctx_begin(&first, 30);
    OK(db_ping(&first));
    OK(write_one(&test, 1));
    stack_ctx_done(&first);
}

static void restarted_between_two_requests(void **state)
{
    (void)state;
    make_table();
    OK(write_one(&test, 1));
    stack_db_signal(SIGTERM);
    stack_db_again();
    OK(write_one(&test, 2));
    stack_db_signal(SIGKILL);
    stack_db_again();
    assert_int_equal(rows(), 2);
}

struct crash {
    int runs;
};

static err crash_inside(struct ctx *c, void *arg)
{
    struct crash *crash = arg;

    crash->runs++;
    TRY(write_one(c, 1));
    if (crash->runs == 1) {
        stack_db_signal(SIGKILL);
        stack_db_again();
    }
    return write_one(c, 2);
}

static void a_crash_in_a_transaction(void **state)
{
    struct crash crash = {0};

    (void)state;
    make_table();
    OK(db_tx(&test, crash_inside, &crash));
    assert_int_equal(crash.runs, 2);
    assert_int_equal(rows(), 2);
}

/* ---- time */

static void the_deadline_ends_a_slow_statement(void **state)
{
    int64_t began;
    scoped_cursor q = {0};

    (void)state;
    OK(db_ping(&test));
    ctx_begin(&test, 1);
    began = clock_monotonic_us();
    assert_int_equal(db_query(&test, &q, "SELECT SLEEP(10)"), ERR_DEADLINE);
    assert_true(clock_monotonic_us() - began < 3 * SECOND_US);
    ctx_begin(&test, 30);
    /* and the next request has all its time again */
    assert_int_equal(test_number("SELECT @@max_statement_time >= 29"), 1);
    ctx_begin(&test, 1);
    test.deadline_us = clock_monotonic_us() - 1;
    assert_int_equal(db_ping(&test), ERR_DEADLINE);
}

static void limits_follow_deadlines(void **state)
{
    int64_t calls;

    (void)state;
    OK(db_ping(&test));
    assert_int_equal(test_number("SELECT CAST(CEIL(@@max_statement_time) AS SIGNED)"),
                     test_conf->http_deadline_s);
    ctx_begin(&test, 10);
    assert_int_equal(test_number("SELECT CAST(CEIL(@@max_statement_time) AS SIGNED)"), 10);
    ctx_begin(&test, 30);
    assert_int_equal(test_number("SELECT CAST(CEIL(@@max_statement_time) AS SIGNED)"), 30);
    calls = test_number("SELECT CAST(VARIABLE_VALUE AS SIGNED) FROM information_schema.SESSION_STATUS "
                        "WHERE VARIABLE_NAME = 'Questions'");
    for (int i = 0; i < 100; i++)
        OK(db_ping(&test));
    assert_int_equal(
        test_number("SELECT CAST(VARIABLE_VALUE AS SIGNED) FROM information_schema.SESSION_STATUS "
                    "WHERE VARIABLE_NAME = 'Questions'"),
        calls + 101);
}

static void work_without_a_deadline_has_an_hour(void **state)
{
    struct ctx job;
    scoped_cursor q = {0};
    double limit;
    bool found;

    (void)state;
    stack_ctx(&job, test_conf, 30);
    test_ok(&job, db_ping(&job), "ping", __FILE__, __LINE__);
    ctx_begin(&job, 0);
    test_ok(&job, db_query(&job, &q, "SELECT @@max_statement_time"), "query", __FILE__, __LINE__);
    test_ok(&job, db_row(&q, &job, &found, OUT(&limit)), "row", __FILE__, __LINE__);
    assert_true(limit == 3600);
    db_cursor_done(&q);
    ctx_begin(&job, 30);
    test_ok(&job, db_query(&job, &q, "SELECT @@max_statement_time"), "query", __FILE__, __LINE__);
    test_ok(&job, db_row(&q, &job, &found, OUT(&limit)), "row", __FILE__, __LINE__);
    assert_true(limit > 29 && limit <= 30);
    db_cursor_done(&q);
    stack_ctx_done(&job);
}

/* It takes connections and answers nothing: we hang up when it must have given up. */
static void a_server_that_hangs(void **state)
{
    struct config hasty = *test_conf;
    struct ctx c;
    int64_t began;

    (void)state;
    hasty.http_deadline_s = 1;
    stack_ctx(&c, &hasty, 1);
    test_ok(&c, db_ping(&c), "ping", __FILE__, __LINE__);
    stack_db_signal(SIGSTOP);
    began = clock_monotonic_us();
    assert_int_equal(db_ping(&c), ERR_UNAVAILABLE);
    assert_true(clock_monotonic_us() - began < 8 * SECOND_US);
    stack_db_signal(SIGCONT);
    ctx_begin(&c, 1);
    test_ok(&c, db_ping(&c), "ping", __FILE__, __LINE__);
    stack_ctx_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_idle_connection_that_ended_is_not_noticed),
        CASE(a_read_is_repeated_once_and_a_write_never),
        CASE(a_transaction_that_lost_its_connection_runs_again),
        CASE(rows_in_hand_outlive_nothing),
        CASE(dead_and_back), CASE(who_gets_through_does_so_for_all),
        CASE(restarted_between_two_requests),
        CASE(a_crash_in_a_transaction),
        CASE(the_deadline_ends_a_slow_statement),
        CASE(limits_follow_deadlines),
        CASE(work_without_a_deadline_has_an_hour),
        CASE(a_server_that_hangs),
    };

    return cmocka_run_group_tests(tests, test_pair_begins, test_pair_ends);
}
