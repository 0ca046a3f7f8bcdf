/* Reads that are asked now and answered later: that nobody waits meanwhile, and what becomes of them on the way. */
#include <signal.h>

#include "dbtest.h"

static int64_t one_row(struct ctx *c, struct db_later *l)
{
    scoped_cursor q = {0};
    int64_t n = -1;
    bool found = false;

    test_ok(c, db_answer(c, l, &q), "answer", __FILE__, __LINE__);
    test_ok(c, db_row(&q, c, &found, OUT(&n)), "row", __FILE__, __LINE__);
    assert_true(found);
    return n;
}

static int64_t other_number(const char *sql)
{
    struct ctx mine = test;
    int64_t n;

    test = test_other;
    n = test_number(sql);
    test = mine;
    return n;
}

/* It hangs at the server until this thread has done something else. */
static void nobody_waits(void **state)
{
    struct db_later l;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(other_number("SELECT GET_LOCK('later', 0)"), 1);
        db_ask(&test, &l, "SELECT GET_LOCK('later', ?)", IN(20));
        assert_int_equal(other_number("SELECT RELEASE_LOCK('later')"), 1);
        assert_int_equal(one_row(&test, &l), 1);
        assert_int_equal(test_number("SELECT RELEASE_LOCK('later')"), 1);
    }
}

static void many_rows_and_other_statements_meanwhile(void **state)
{
    struct db_later l;
    scoped_cursor q = {0};
    bool found = true;
    int64_t n, last = 0;

    (void)state;
    db_ask(&test, &l, "SELECT seq FROM seq_1_to_20000 WHERE seq > ?", IN(10));
    assert_int_equal(test_number("SELECT 7"), 7);
    test_sql("CREATE OR REPLACE TABLE later_t (n INT) ENGINE=InnoDB");
    assert_int_equal(test_number("SELECT 8"), 8);
    OK(db_answer(&test, &l, &q));
    for (int64_t expected = 11; found; expected++) {
        OK(db_row(&q, &test, &found, OUT(&n)));
        if (found)
            assert_int_equal(last = n, expected);
    }
    assert_int_equal(last, 20000);
}

static void only_the_last_is_under_way(void **state)
{
    struct db_later first, second;
    int64_t calls = db_test_calls(test.db);

    (void)state;
    db_ask(&test, &first, "SELECT ?", IN(1));
    db_ask(&test, &second, "SELECT ? + 1", IN(1));
    assert_int_equal(one_row(&test, &second), 2);
    assert_int_equal(one_row(&test, &first), 1); /* run again */
    assert_int_equal(db_test_calls(test.db) - calls, 3);
    assert_int_equal(one_row(&test, &first), 1); /* as often as one likes */
    db_ask(&test, &first, "SELECT ?", IN(1));    /* never answered */
}

static err in_transaction(struct ctx *c, void *arg)
{
    struct db_later l;

    (void)arg;
    TRY(db_exec(c, NULL, "INSERT INTO later_t VALUES (5)"));
    db_ask(c, &l, "SELECT n FROM later_t WHERE n = ?", IN(5));
    assert_int_equal(one_row(c, &l), 5);
    return ERR_OK;
}

static void a_transaction_waits(void **state)
{
    (void)state;
    test_sql("CREATE OR REPLACE TABLE later_t (n INT) ENGINE=InnoDB");
    OK(db_tx(&test, in_transaction, NULL));
}

static void a_failure_is_told_with_the_answer(void **state)
{
    struct db_later l;
    scoped_cursor q = {0};

    (void)state;
    test_sql("CREATE OR REPLACE TABLE later_t (n INT) ENGINE=InnoDB");
    db_ask(&test, &l, "SELECT n FROM later_t WHERE n = ?", IN(5));
    test_sql("DROP TABLE later_t");
    db_ask(&test, &l, "SELECT n FROM later_t WHERE n = ?", IN(5));
    assert_int_equal(test.fault.code, ERR_OK);
    assert_int_equal(db_answer(&test, &l, &q), ERR_INTERNAL);
    ctx_forgive(&test);
    db_ask(&test, &l, "SELECT (SELECT seq FROM seq_1_to_3 WHERE seq < ?)", IN(3)); /* fails as it runs */
    assert_int_equal(db_answer(&test, &l, &q), ERR_INTERNAL);
    ctx_forgive(&test);
    assert_int_equal(test_number("SELECT 7"), 7);
}

static void a_test_makes_it_fail(void **state)
{
    struct db_later l;

    (void)state;
    assert_int_equal(test_number("SELECT 7"), 7);
    db_test_fail_at(test.db, 1, 2013);
    db_ask(&test, &l, "SELECT ?", IN(3));
    assert_int_equal(one_row(&test, &l), 3);
}

static void a_connection_that_ends_meanwhile(void **state)
{
    struct db_later l;

    (void)state;
    for (int before = 0; before < 2; before++) {
        const char *sql = arena_printf(test.arena, "KILL %lld", (long long)test_number("SELECT CONNECTION_ID()"));

        db_ask(&test, &l, "SELECT ? + SLEEP(0.05)", IN(4));
        test_ok(&test_other, db_run_text(&test_other, sql, strlen(sql)), sql, __FILE__, __LINE__);
        if (before)
            assert_int_equal(test_number("SELECT 7"), 7);
        assert_int_equal(one_row(&test, &l), 4);
    }
}

static void a_server_that_says_nothing(void **state)
{
    struct db_later l;
    scoped_cursor q = {0};
    int64_t began = 0;
    err e = ERR_OK;

    (void)state;
    test.deadline_us = clock_monotonic_us() + SECOND_US;
    for (int stopped = 0; stopped < 2; stopped++) {
        if (stopped)
            stack_db_signal(SIGSTOP); /* the server knows the statement and the deadline */
        began = clock_monotonic_us();
        db_ask(&test, &l, "SELECT ?", IN(3));
        if (!stopped)
            assert_int_equal(one_row(&test, &l), 3);
    }
    e = db_answer(&test, &l, &q);
    stack_db_signal(SIGCONT);
    assert_true(e == ERR_DEADLINE || e == ERR_UNAVAILABLE);
    assert_true(clock_monotonic_us() - began < 4 * SECOND_US);
    ctx_forgive(&test);
    ctx_begin(&test, 30);
    assert_int_equal(test_number("SELECT 7"), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(nobody_waits),
        CASE(many_rows_and_other_statements_meanwhile),
        CASE(only_the_last_is_under_way),
        CASE(a_transaction_waits),
        CASE(a_failure_is_told_with_the_answer),
        CASE(a_test_makes_it_fail),
        CASE(a_connection_that_ends_meanwhile),
        CASE(a_server_that_says_nothing),
    };

    return cmocka_run_group_tests(tests, test_pair_begins, test_pair_ends);
}
