/* Two MariaDB servers as hosts of one list: one is killed, stopped and comes back, and work goes on with the other. */
#include <errmsg.h>
#include <mysqld_error.h>
#include <signal.h>
#include <unistd.h>

#include "db_impl.h"
#include "dbtest.h"

#define FIRST 0
#define SECOND 1
#define BACK_S 20

static struct config both; /* the settings with both of them */
static struct ctx two;     /* a thread with these */
static struct uuid of_first, of_second;

static void ok(err e)
{
    test_ok(&two, e, "two hosts", __FILE__, __LINE__);
}

static void next_request(struct uuid account_id)
{
    arena_reset(two.arena);
    ctx_begin(&two, 30);
    two.account_id = account_id;
}

/* Which of them answers. */
static int64_t who(void)
{
    scoped_cursor q = {0};
    int64_t n = -1;
    bool found;

    ok(db_query(&two, &q, "SELECT n FROM who"));
    ok(db_row(&q, &two, &found, OUT(&n)));
    return n;
}

static int64_t who_of(struct uuid account_id)
{
    next_request(account_id);
    return who();
}

static struct uuid account_of(size_t host)
{
    for (int64_t i = 1;; i++) {
        struct uuid id = uuid_new(1700000000000000 + i);

        if (db_hosts_choose(two.db->hosts, id) == host)
            return id;
    }
}

static void prepare(const char *socket, int64_t n)
{
    struct config one = both;
    struct ctx c;
    const char *sql[] = {"CREATE TABLE who (n BIGINT NOT NULL)", "CREATE TABLE w (id INT PRIMARY KEY, runs INT NOT NULL) ENGINE=InnoDB",
                         n == FIRST ? "INSERT INTO who VALUES (0)" : "INSERT INTO who VALUES (1)"};

    one.db_hosts = "";
    one.db_socket = socket;
    stack_ctx(&c, &one, 30);
    test_ok(&c, db_create_schema(&c), "schema", __FILE__, __LINE__);
    for (size_t i = 0; i < sizeof sql / sizeof *sql; i++)
        test_ok(&c, db_run_text(&c, sql[i], strlen(sql[i])), sql[i], __FILE__, __LINE__);
    stack_ctx_done(&c);
}

/* The watch looks once a second. */
static void wait_until(size_t host, bool lives)
{
    for (int i = 0; i < BACK_S * 100; i++) {
        if (host_lives(&two.db->hosts->state[host]) == lives)
            return;
        usleep(10000);
    }
    BROKEN("host %d is not %s", (int)host, lives ? "back" : "away");
}

static void bring_back(void)
{
    if (host_lives(&two.db->hosts->state[SECOND]))
        return;
    stack_second_again();
    wait_until(SECOND, true);
}

static int group_begins(void **state)
{
    static char hosts[4096];
    const char *second;

    (void)state;
    test_conf = stack_start();
    second = stack_second_begin();
    both = *test_conf;
    snprintf(hosts, sizeof hosts, "%s, %s", test_conf->db_socket, second);
    both.db_hosts = hosts;
    prepare(test_conf->db_socket, FIRST);
    prepare(second, SECOND);
    stack_ctx(&two, &both, 30);
    of_first = account_of(FIRST);
    of_second = account_of(SECOND);
    return 0;
}

static int group_ends(void **state)
{
    (void)state;
    stack_ctx_done(&two);
    db_watch_end();
    return 0;
}

/* ---- whose turn */

static void each_account_has_its_host(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(who_of(of_first), FIRST);
        assert_int_equal(who_of(of_second), SECOND);
    }
    next_request((struct uuid){{0}});
    assert_int_equal(who(), db_hosts_choose(two.db->hosts, two.account_id));
}

static void statements_and_rows_of_both_live_beside_each_other(void **state)
{
    scoped_cursor a = {0}, b = {0};
    int64_t n, m;
    bool found;

    (void)state;
    next_request(of_first);
    ok(db_query(&two, &a, "SELECT n FROM who"));
    two.account_id = of_second;
    ok(db_query(&two, &b, "SELECT n FROM who"));
    ok(db_row(&a, &two, &found, OUT(&n)));
    ok(db_row(&b, &two, &found, OUT(&m)));
    assert_true(n == FIRST && m == SECOND);
}

/* The account is known only once somebody was asked who it is. */
static err changes_account(struct ctx *c, void *arg)
{
    int64_t *seen = arg;

    c->account_id = of_second;
    *seen = who();
    c->account_id = of_first;
    return ERR_OK;
}

static void a_transaction_stays_where_it_began(void **state)
{
    int64_t seen = -1;

    (void)state;
    next_request(of_first);
    ok(db_tx(&two, changes_account, &seen));
    assert_int_equal(seen, FIRST);
}

/* ---- one is killed */

static void reads_go_on_with_the_other(void **state)
{
    int64_t began;

    (void)state;
    assert_int_equal(who_of(of_second), SECOND);
    stack_second_signal(SIGKILL);
    began = clock_monotonic_us();
    assert_int_equal(who_of(of_second), FIRST);
    assert_true(clock_monotonic_us() - began < SECOND_US);
    assert_false(host_lives(&two.db->hosts->state[SECOND]));
    assert_int_equal(who_of(of_first), FIRST);
}

static void a_request_keeps_its_host_when_the_other_comes_back(void **state)
{
    (void)state;
    stack_second_signal(SIGKILL);
    assert_int_equal(who_of(of_second), FIRST);
    bring_back();
    assert_int_equal(who(), FIRST);
    assert_int_equal(who_of(of_second), SECOND);
    assert_false(db_hosts_is_home(two.db->hosts, SECOND, of_second)); /* it has just come back */
    assert_true(db_hosts_is_home(two.db->hosts, FIRST, of_first));
    assert_false(db_hosts_is_home(two.db->hosts, FIRST, of_second));
}

static err dies_at_first(struct ctx *c, void *arg)
{
    int *runs = arg;

    ++*runs;
    TRY(db_exec(c, NULL, "INSERT INTO w (id, runs) VALUES (1, ?)", IN(*runs)));
    if (*runs == 1)
        stack_second_signal(SIGKILL);
    return db_exec(c, NULL, "UPDATE w SET runs = runs + 10 WHERE id = 1");
}

static void a_transaction_before_its_commit_is_run_again_on_the_other(void **state)
{
    scoped_cursor q = {0};
    int64_t n = 0;
    int runs = 0;
    bool found;

    (void)state;
    next_request(of_second);
    ok(db_exec(&two, NULL, "DELETE FROM w"));
    ok(db_tx(&two, dies_at_first, &runs));
    assert_int_equal(runs, 2);
    next_request(of_first);
    ok(db_query(&two, &q, "SELECT runs FROM w WHERE id = 1"));
    ok(db_row(&q, &two, &found, OUT(&n)));
    assert_true(found && n == 12);
    ok(db_exec(&two, NULL, "DELETE FROM w"));
}

static err one_write(struct ctx *c, void *arg)
{
    (void)arg;
    return db_exec(c, NULL, "INSERT INTO w (id, runs) VALUES (2, 1)");
}

static void a_commit_of_unknown_outcome_is_not_run_again(void **state)
{
    (void)state;
    next_request(of_first);
    db_test_fail_at(two.db, 3, CR_SERVER_LOST); /* the COMMIT */
    assert_int_equal(db_tx(&two, one_write, NULL), ERR_UNAVAILABLE);
    assert_int_equal(two.fault.retry_after_s, 2);
    next_request(of_first);
    ok(db_exec(&two, NULL, "DELETE FROM w"));
}

static void one_that_has_left_its_cluster_is_not_asked_again(void **state)
{
    (void)state;
    next_request(of_second);
    assert_int_equal(who(), SECOND);
    db_test_fail_at(two.db, 1, ER_UNKNOWN_COM_ERROR);
    assert_int_equal(who(), FIRST);
    wait_until(SECOND, true);
}

/* ---- one hangs */

static void one_that_hangs_is_found_out_while_it_is_waited_for(void **state)
{
    int64_t began;

    (void)state;
    assert_int_equal(who_of(of_second), SECOND);
    stack_second_signal(SIGSTOP);
    began = clock_monotonic_us();
    assert_int_equal(who_of(of_second), FIRST);
    assert_true(clock_monotonic_us() - began < 8 * SECOND_US);
    stack_second_signal(SIGCONT);
    wait_until(SECOND, true);
    assert_int_equal(who_of(of_second), SECOND);
}

/* ---- both */

static void with_none_left_nobody_waits(void **state)
{
    int64_t began = clock_monotonic_us();

    (void)state;
    stack_second_signal(SIGKILL);
    stack_db_signal(SIGKILL);
    next_request(of_first);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(db_ping(&two), ERR_UNAVAILABLE);
        ctx_forgive(&two);
    }
    assert_true(clock_monotonic_us() - began < 3 * SECOND_US);
    stack_db_again();
    wait_until(FIRST, true);
    assert_int_equal(who_of(of_second), FIRST);
}

static void errors_are_of_the_host_or_of_the_work(void **state)
{
    (void)state;
    assert_true(db_errno_conflict(1213) && db_errno_conflict(1205) && db_errno_conflict(1020));
    assert_true(db_errno_lost(1047) && db_errno_lost(2006) && db_errno_lost(2013) && db_errno_lost(1927) && db_errno_lost(1180));
    assert_true(db_errno_host(1047) && db_errno_host(1053) && db_errno_host(2002) && db_errno_host(2003) && db_errno_host(2013));
    assert_false(db_errno_host(ER_ACCESS_DENIED_ERROR) || db_errno_host(ER_BAD_DB_ERROR) || db_errno_host(ER_CON_COUNT_ERROR));
    assert_false(db_errno_host(1213) || db_errno_lost(1213) || db_errno_conflict(1047));
}

#define IT(f) cmocka_unit_test_setup(f, it_begins)

static int it_begins(void **state)
{
    (void)state;
    bring_back();
    next_request((struct uuid){{0}});
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(each_account_has_its_host),
        IT(statements_and_rows_of_both_live_beside_each_other),
        IT(a_transaction_stays_where_it_began),
        IT(reads_go_on_with_the_other),
        IT(a_request_keeps_its_host_when_the_other_comes_back),
        IT(a_transaction_before_its_commit_is_run_again_on_the_other),
        IT(a_commit_of_unknown_outcome_is_not_run_again),
        IT(one_that_has_left_its_cluster_is_not_asked_again),
        IT(one_that_hangs_is_found_out_while_it_is_waited_for),
        IT(with_none_left_nobody_waits),
        IT(errors_are_of_the_host_or_of_the_work),
    };

    return cmocka_run_group_tests(tests, group_begins, group_ends);
}
