/* Transactions: all or nothing, run again after conflicts, and what a failure at every single call leaves
 * behind. */
#include <pthread.h>
#include <unistd.h>

#include "dbtest.h"

#define DEADLOCK 1213
#define LOCK_WAIT 1205
#define DUPLICATE 1062
#define TIMED_OUT 1969
#define GONE 2006
#define LOST 2013

static void make_accounts(void)
{
    test_sql("CREATE OR REPLACE TABLE a (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB");
    test_sql("INSERT INTO a VALUES (1, 100), (2, 100), (3, 100)");
}

struct move {
    int from, to, much;
    int runs;   /* how often the body ran */
    err forced; /* fail with this after the work */
};

static err move(struct ctx *c, void *arg)
{
    struct move *m = arg;

    m->runs++;
    TRY(db_exec(c, NULL, "UPDATE a SET n = n - ? WHERE id = ?", IN(m->much), IN(m->from)));
    TRY(db_exec(c, NULL, "UPDATE a SET n = n + ? WHERE id = ?", IN(m->much), IN(m->to)));
    return m->forced == ERR_OK ? ERR_OK : fail(c, m->forced, "as the test wants");
}

static int64_t of(int id)
{
    return test_number(arena_printf(test.arena, "SELECT n FROM a WHERE id = %d", id));
}

static void all_or_nothing(void **state)
{
    struct move m = {.from = 1, .to = 2, .much = 30};

    (void)state;
    make_accounts();
    OK(db_tx(&test, move, &m));
    assert_false(db_in_tx(&test));
    assert_true(of(1) == 70 && of(2) == 130 && m.runs == 1);
    m.forced = ERR_INVALID;
    assert_int_equal(db_tx(&test, move, &m), ERR_INVALID);
    assert_string_equal(test.fault.message, "as the test wants");
    ctx_forgive(&test);
    assert_false(db_in_tx(&test));
    assert_true(of(1) == 70 && of(2) == 130 && m.runs == 2);
}

static err outer(struct ctx *c, void *arg)
{
    assert_true(db_in_tx(c));
    TRY(db_exec(c, NULL, "INSERT INTO a VALUES (?, 0)", IN(10)));
    return db_tx(c, move, arg);
}

static void an_inner_one_joins(void **state)
{
    struct move m = {.from = 1, .to = 10, .much = 5};

    (void)state;
    make_accounts();
    OK(db_tx(&test, outer, &m));
    assert_true(of(10) == 5);
    test_sql("DELETE FROM a WHERE id = 10");
    m.forced = ERR_CONFLICT;
    assert_int_equal(db_tx(&test, outer, &m), ERR_CONFLICT);
    ctx_forgive(&test);
    assert_int_equal(test_number("SELECT COUNT(*) FROM a"), 3);
    assert_int_equal(of(1), 95);
}

/* ---- what goes along */

static err leave_mark(struct ctx *c, void *arg)
{
    int *runs = arg;

    ++*runs;
    assert_true(db_in_tx(c));
    return db_exec(c, NULL, "INSERT INTO a VALUES (?, ?)", IN(100), IN(*runs));
}

static void over(struct ctx *c, void *arg)
{
    assert_false(db_in_tx(c));
    ++*(int *)arg;
}

static err move_and_tell(struct ctx *c, void *arg)
{
    struct move *m = arg;

    ctx_after_tx(c, over, &m->to);
    return db_exec(c, NULL, "UPDATE a SET n = n + 1 WHERE id = ?", IN(m->from));
}

static void the_record_joins_the_change(void **state)
{
    struct move m = {.from = 1, .to = 2, .much = 1};
    int marks = 0;

    (void)state;
    make_accounts();
    test.before_commit = leave_mark;
    test.before_commit_arg = &marks;
    OK(db_tx(&test, move, &m));
    assert_true(marks == 1 && of(100) == 1 && of(1) == 99);
    /* the mark is there already: the change must not happen either */
    assert_int_equal(db_tx(&test, move, &m), ERR_CONFLICT);
    assert_true(db_was_duplicate(&test));
    ctx_forgive(&test);
    assert_true(marks == 2 && of(1) == 99);
    test.before_commit = NULL;
}

static void what_waits_runs_after_the_end(void **state)
{
    struct move m = {.from = 1};

    (void)state;
    make_accounts();
    OK(db_tx(&test, move_and_tell, &m));
    assert_int_equal(m.to, 1);
    db_test_fail_at(test.db, 3, DEADLOCK); /* the commit */
    OK(db_tx(&test, move_and_tell, &m));
    assert_int_equal(m.to, 3);
    assert_int_equal(of(1), 102);
}

/* ---- conflicts */

struct rival {
    struct config *conf;
    pthread_barrier_t *together;
    struct move m;
    bool first;
    err result;
};

static err move_together(struct ctx *c, void *arg)
{
    struct rival *r = arg;

    r->m.runs++;
    TRY(db_exec(c, NULL, "UPDATE a SET n = n - ? WHERE id = ?", IN(r->m.much), IN(r->m.from)));
    if (r->m.runs == 1)
        pthread_barrier_wait(r->together); /* both hold one row and want the other's */
    return db_exec(c, NULL, "UPDATE a SET n = n + ? WHERE id = ?", IN(r->m.much), IN(r->m.to));
}

static void *rival_runs(void *arg)
{
    struct rival *r = arg;
    struct ctx c;

    stack_ctx(&c, r->conf, 30);
    r->result = db_tx(&c, move_together, r);
    stack_ctx_done(&c);
    return NULL;
}

static void both_sides_of_a_deadlock_get_through(void **state)
{
    pthread_barrier_t together;
    struct rival r[2] = { { test_conf, &together, { .from = 1, .to = 2, .much = 10 }, true, ERR_OK },
                          { test_conf, &together, { .from = 2, .to = 1, .much = 3 }, false, ERR_OK } };
    pthread_t t[2];

    (void)state;
    make_accounts();
    for (int round = 0; round < 5; round++) {
        pthread_barrier_init(&together, NULL, 2);
        for (int i = 0; i < 2; i++) {
            r[i].m.runs = 0;
            pthread_create(&t[i], NULL, rival_runs, &r[i]);
        }
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], NULL);
        pthread_barrier_destroy(&together);
        assert_int_equal(r[0].result, ERR_OK);
        assert_int_equal(r[1].result, ERR_OK);
        assert_int_equal(r[0].m.runs + r[1].m.runs, 3);
    }
    assert_true(of(1) == 100 - 5 * 7 && of(2) == 100 + 5 * 7);
}

static void a_lock_that_is_never_given_up(void **state)
{
    struct ctx holder;
    struct move m = {.from = 1, .to = 2, .much = 1};

    (void)state;
    make_accounts();
    stack_ctx(&holder, test_conf, 30);
    test_ok(&holder, db_run_text(&holder, "START TRANSACTION", 17), "start", __FILE__, __LINE__);
    test_ok(&holder, db_exec(&holder, NULL, "UPDATE a SET n = 0 WHERE id = 2"), "hold", __FILE__, __LINE__);
    test_sql("SET innodb_lock_wait_timeout = 0");
    assert_int_equal(db_tx(&test, move, &m), ERR_UNAVAILABLE);
    assert_int_equal(m.runs, 4);
    assert_int_equal(test.fault.retry_after_s, 1);
    assert_null(strstr(test.fault.message, "lock"));
    ctx_forgive(&test);
    /* the same outside a transaction */
    assert_int_equal(db_exec(&test, NULL, "UPDATE a SET n = 1 WHERE id = 2"), ERR_CONFLICT);
    ctx_forgive(&test);
    assert_int_equal(of(1), 100);
    stack_ctx_done(&holder);
    test_sql("SET innodb_lock_wait_timeout = 5");
    OK(db_tx(&test, move, &m));
}

static err forgiving(struct ctx *c, void *arg)
{
    struct move *m = arg;

    m->runs++;
    TRY(db_exec(c, NULL, "UPDATE a SET n = n + 1 WHERE id = 1"));
    if (db_exec(c, NULL, "UPDATE a SET n = n + 1 WHERE id = 2") != ERR_OK)
        ctx_forgive(c);
    if (db_exec(c, NULL, "UPDATE a SET n = n + 1 WHERE id = 3") != ERR_OK)
        ctx_forgive(c);
    return ERR_OK;
}

/* Half of it is gone on the server's side: it must not be committed because body looks away. */
static void a_forgiven_conflict_still_counts(void **state)
{
    static const unsigned ERRORS[] = {DEADLOCK, LOCK_WAIT, 1020, LOST};

    (void)state;
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++) {
        struct move m = {0};

        make_accounts();
        db_test_fail_at(test.db, 3, ERRORS[i]);
        OK(db_tx(&test, forgiving, &m));
        assert_int_equal(m.runs, 2);
        assert_true(of(1) == 101 && of(2) == 101 && of(3) == 101);
    }
}

/* ---- a failure at every call */

static void check_one_failure(int64_t at, unsigned error, bool *reached)
{
    struct move m = {.from = 1, .to = 2, .much = 10};
    int64_t calls;
    err e;

    make_accounts();
    ctx_begin(&test, 30);
    OK(db_ping(&test));
    calls = db_test_calls(test.db);
    db_test_fail_at(test.db, at, error);
    e = db_tx(&test, move, &m);
    db_test_fail_at(test.db, 0, 0);
    *reached = db_test_calls(test.db) - calls >= at;
    assert_false(db_in_tx(&test));
    if ((e == ERR_OK) != (test.fault.code == ERR_OK))
        BROKEN("call %d, error %u: result %d, fault %d", (int)at, error, e, test.fault.code);
    ctx_forgive(&test);
    if (e == ERR_OK ? of(1) != 90 || of(2) != 110 : of(1) != 100 || of(2) != 100)
        BROKEN("call %d, error %u: result %d leaves %d and %d", (int)at, error, e, (int)of(1), (int)of(2));
    /* only what is safe is repeated: never after an unknown outcome of the commit */
    if (error == DEADLOCK || (error == LOST && at < 4))
        assert_int_equal(e, at == 1 && error == DEADLOCK ? ERR_CONFLICT : ERR_OK);
    else if (*reached)
        assert_true(e != ERR_OK);
    OK(db_tx(&test, move, &m));
}

static void a_failure_at_every_call_leaves_all_or_nothing(void **state)
{
    static const unsigned ERRORS[] = {DEADLOCK, LOST, GONE, DUPLICATE, TIMED_OUT, 1064};

    (void)state;
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++) {
        bool reached = true;

        for (int64_t at = 1; reached && at < 20; at++) {
            if (ERRORS[i] == GONE && at < 4)
                continue; /* as LOST */
            check_one_failure(at, ERRORS[i], &reached);
        }
        assert_false(reached);
    }
}

static void a_lost_commit_is_not_repeated(void **state)
{
    struct move m = {.from = 1, .to = 2, .much = 10};

    (void)state;
    make_accounts();
    db_test_fail_at(test.db, 4, LOST);
    assert_int_equal(db_tx(&test, move, &m), ERR_UNAVAILABLE);
    assert_int_equal(m.runs, 1);
    assert_non_null(strstr(test.fault.message, "check whether the change was saved before you repeat it"));
    assert_int_equal(test.fault.retry_after_s, 2);
}

/* What a server says that is going, has lost its cluster, or cannot say what it saved: the next try goes out on a new connection. */
static void a_useless_connection_is_made_again(void **state)
{
    static const unsigned ERRORS[] = {1047, GONE, LOST, 1927, 1180};

    (void)state;
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++) {
        struct move m = {.from = 1, .to = 2, .much = 10};
        uint64_t before;

        make_accounts();
        before = db_connection(&test);
        db_test_fail_at(test.db, 2, ERRORS[i]);
        OK(db_tx(&test, move, &m));
        assert_int_equal(m.runs, 2);
        assert_true(of(1) == 90 && of(2) == 110);
        assert_true(db_connection(&test) != before);
        before = db_connection(&test);
        db_test_fail_at(test.db, 1, ERRORS[i]); /* a read, outside a transaction */
        assert_int_equal(of(1), 90);
        assert_true(db_connection(&test) != before);
        m.runs = 0;
        db_test_fail_at(test.db, 4, ERRORS[i]); /* the commit: its outcome is unknown */
        assert_int_equal(db_tx(&test, move, &m), ERR_UNAVAILABLE);
        assert_int_equal(m.runs, 1);
        ctx_forgive(&test);
    }
}

/* ---- compound statements */

#define PAIR "UPDATE a SET n = n + ? WHERE id = ?; UPDATE a SET n = n - ? WHERE id = ?"

static err pair(struct ctx *c, int much)
{
    return db_atomic(c, PAIR, IN(much), IN(1), IN(much), IN(2));
}

static err pair_in_tx(struct ctx *c, void *arg)
{
    TRY(pair(c, 7));
    assert_true(db_in_tx(c));
    return *(err *)arg == ERR_OK ? ERR_OK : fail(c, *(err *)arg, "as the test wants");
}

static void a_compound_statement_is_all_or_none(void **state)
{
    err forced = ERR_INVALID;
    int marks = 0;

    (void)state;
    make_accounts();
    OK(pair(&test, 5));
    assert_false(db_in_tx(&test));
    assert_true(of(1) == 105 && of(2) == 95);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(db_atomic(&test, "UPDATE a SET n = 0 WHERE id = ?; INSERT INTO a VALUES (?, 0)", IN(1), IN(2)), ERR_CONFLICT);
        assert_true(db_was_duplicate(&test));
        ctx_forgive(&test);
    }
    test_sql("UPDATE a SET n = n + 1 WHERE id = 3"); /* is on its own, and stays */
    assert_int_equal(db_tx(&test, pair_in_tx, &forced), ERR_INVALID);
    ctx_forgive(&test);
    assert_true(of(1) == 105 && of(2) == 95 && of(3) == 101);
    forced = ERR_OK;
    OK(db_tx(&test, pair_in_tx, &forced));
    assert_true(of(1) == 112 && of(2) == 88);
    test.before_commit = leave_mark;
    test.before_commit_arg = &marks;
    OK(pair(&test, 1));
    test.before_commit = NULL;
    assert_true(marks == 1 && of(100) == 1 && of(1) == 113);
}

static void a_compound_statement_survives_conflicts(void **state)
{
    struct move m = {.from = 2, .to = 3, .much = 1};
    struct ctx holder;

    (void)state;
    make_accounts();
    db_test_fail_at(test.db, 1, DEADLOCK);
    OK(pair(&test, 5));
    assert_true(of(1) == 105 && of(2) == 95);
    db_test_fail_at(test.db, 1, LOST);
    assert_int_equal(pair(&test, 5), ERR_UNAVAILABLE);
    assert_non_null(strstr(test.fault.message, "check whether the change was saved before you repeat it"));
    ctx_forgive(&test);
    /* a real one, in its middle: the first half must not stay, nor be done once a try */
    test_sql("SET innodb_lock_wait_timeout = 1");
    stack_ctx(&holder, test_conf, 30);
    test_ok(&holder, db_run_text(&holder, "START TRANSACTION", 17), "begin", __FILE__, __LINE__);
    test_ok(&holder, move(&holder, &m), "move", __FILE__, __LINE__);
    assert_int_equal(pair(&test, 50), ERR_CONFLICT);
    ctx_forgive(&test);
    stack_ctx_done(&holder);
    assert_true(of(1) == 105 && of(2) == 95);
    OK(pair(&test, 1));
    assert_true(of(1) == 106 && of(2) == 94);
    test_sql("SET innodb_lock_wait_timeout = 5");
}

static err always_conflicts(struct ctx *c, void *arg)
{
    ++*(int *)arg;
    db_test_fail_at(c->db, 1, DEADLOCK);
    return db_exec(c, NULL, "UPDATE a SET n = n + 1 WHERE id = 1");
}

static void tries_end(void **state)
{
    int runs = 0;

    (void)state;
    make_accounts();
    assert_int_equal(db_tx(&test, always_conflicts, &runs), ERR_UNAVAILABLE);
    assert_int_equal(runs, 4);
    assert_int_equal(test.fault.retry_after_s, 1);
    ctx_forgive(&test);
    assert_int_equal(of(1), 100);
}

/* ---- memory */

/* A megabyte a run. */
static err greedy(struct ctx *c, void *arg)
{
    arena_alloc(c->arena, 1 << 20);
    return always_conflicts(c, arg);
}

static void a_repetition_gives_its_memory_back(void **state)
{
    size_t before;
    int runs = 0;

    (void)state;
    make_accounts();
    before = arena_used(test.arena);
    assert_int_equal(db_tx(&test, greedy, &runs), ERR_UNAVAILABLE);
    assert_int_equal(runs, 4);
    assert_true(arena_used(test.arena) < before + (3 << 20));
    ctx_forgive(&test);
}

static void note_what_is_said(struct ctx *c, void *arg)
{
    *(bool *)arg = db_exec(c, NULL, "UPDATE a SET n = n + 1 WHERE id = 3") == ERR_OK;
}

/* Leaves something out of a text, and changes a row all the same. */
static err incomplete(struct ctx *c, void *arg)
{
    TRY(db_exec(c, NULL, "UPDATE a SET n = 0 WHERE id = 1"));
    ctx_after_tx(c, note_what_is_said, arg);
    arena_refuse(c->arena);
    return ERR_OK;
}

static void what_is_incomplete_is_not_committed(void **state)
{
    bool told = false;

    (void)state;
    make_accounts();
    assert_int_equal(db_tx(&test, incomplete, &told), ERR_TOO_LARGE);
    assert_true(told); /* what follows the transaction is not part of it */
    assert_int_equal(db_exec(&test, NULL, "UPDATE a SET n = 0 WHERE id = 2"), ERR_TOO_LARGE);
    arena_reset(test.arena);
    ctx_forgive(&test);
    assert_true(of(1) == 100 && of(2) == 100 && of(3) == 101);
}

static void rows_stop_at_the_soft_limit(void **state)
{
    int64_t n = 0;

    (void)state;
    for (int round = 0; round < 2; round++) {
        scoped_cursor q = {0};
        const char *text;
        bool found = true;
        err e = ERR_OK;

        OK(db_query(&test, &q, "SELECT REPEAT('x', 8000000) FROM seq_1_to_40"));
        for (n = 0; e == ERR_OK && found; n++)
            e = db_row(&q, &test, &found, OUT(&text));
        assert_int_equal(e, ERR_TOO_LARGE);
        assert_true(n > 20 && n < 40);
        assert_true(arena_used(test.arena) < REQUEST_ARENA_SOFT + (16 << 20));
        db_cursor_done(&q);
        arena_reset(test.arena);
        ctx_begin(&test, 30);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(all_or_nothing),
        CASE(an_inner_one_joins),
        CASE(the_record_joins_the_change),
        CASE(what_waits_runs_after_the_end),
        CASE(both_sides_of_a_deadlock_get_through),
        CASE(a_lock_that_is_never_given_up),
        CASE(a_forgiven_conflict_still_counts),
        CASE(a_failure_at_every_call_leaves_all_or_nothing),
        CASE(a_lost_commit_is_not_repeated), CASE(a_useless_connection_is_made_again),
        CASE(tries_end),
        CASE(a_compound_statement_is_all_or_none),
        CASE(a_compound_statement_survives_conflicts),
        CASE(a_repetition_gives_its_memory_back),
        CASE(what_is_incomplete_is_not_committed),
        CASE(rows_stop_at_the_soft_limit),
    };

    return cmocka_run_group_tests(tests, test_group_begins, test_group_ends);
}
