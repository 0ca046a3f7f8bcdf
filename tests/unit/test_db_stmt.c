/* Statements: nested, kept, forgotten, refused; and the mistakes that end the process. */
#include "aborts.h"
#include "dbtest.h"

/* ---- statements */

static void changed_counts_what_matched(void **state)
{
    int64_t changed = -1;

    (void)state;
    test_sql("CREATE OR REPLACE TABLE m (id INT PRIMARY KEY, n INT NOT NULL)");
    OK(db_exec(&test, &changed, "INSERT INTO m VALUES (1, 1), (2, 1)"));
    assert_int_equal(changed, 2);
    OK(db_exec(&test, &changed, "UPDATE m SET n = ? WHERE id = ?", IN(1), IN(1)));
    assert_int_equal(changed, 1);
    OK(db_exec(&test, &changed, "UPDATE m SET n = ? WHERE id = ?", IN(1), IN(9)));
    assert_int_equal(changed, 0);
    OK(db_exec(&test, &changed, "DELETE FROM m WHERE id >= ?", IN(1)));
    assert_int_equal(changed, 2);
}

/* One literal for both. */
#define IDS "SELECT id FROM m ORDER BY id"

static void statements_nest(void **state)
{
    bool found;
    int seen = 0;

    (void)state;
    test_sql("CREATE OR REPLACE TABLE m (id INT PRIMARY KEY, n INT NOT NULL)");
    test_sql("INSERT INTO m SELECT seq, seq FROM seq_1_to_20");
    scoped_cursor outer = {0};
    OK(db_query(&test, &outer, IDS));
    for (int n;;) {
        OK(db_row(&outer, &test, &found, OUT(&n)));
        if (!found)
            break;
        seen++;
        for (int deep = 0; deep < 2; deep++) {
            scoped_cursor inner = {0};
            int m;

            OK(db_query(&test, &inner, IDS));
            for (int i = 1; i <= n; i++)
                OK(db_row(&inner, &test, &found, OUT(&m)));
            assert_int_equal(m, n);
        }
        OK(db_exec(&test, NULL, "UPDATE m SET n = n + ? WHERE id = ?", IN(100), IN(n)));
    }
    assert_int_equal(seen, 20);
}

static void returning_gives_rows(void **state)
{
    bool found;
    int n;

    (void)state;
    test_sql("CREATE OR REPLACE TABLE m (id INT PRIMARY KEY AUTO_INCREMENT, n INT NOT NULL)");
    for (int i = 0; i < 3; i++) {
        scoped_cursor q = {0};

        OK(db_query(&test, &q, "INSERT INTO m (n) VALUES (?), (?) RETURNING id, n", IN(i), IN(-i)));
        for (int k = 0; k < 2; k++) {
            int id;

            OK(db_row(&q, &test, &found, OUT(&id), OUT(&n)));
            assert_true(found && id == 2 * i + 1 + k && n == (k ? -i : i));
        }
    }
}

static void few_built_texts_are_kept(void **state)
{
    int64_t before =
        test_number("SELECT CAST(VARIABLE_VALUE AS SIGNED) FROM information_schema.GLOBAL_STATUS "
                    "WHERE VARIABLE_NAME = 'Prepared_stmt_count'");

    (void)state;
    for (int i = 0; i < 600; i++)
        assert_int_equal(test_number(arena_printf(test.arena, "SELECT %d", i)), i);
    assert_true(test_number("SELECT CAST(VARIABLE_VALUE AS SIGNED) FROM information_schema.GLOBAL_STATUS "
                            "WHERE VARIABLE_NAME = 'Prepared_stmt_count'") <= before + 140);
    /* the text's memory may move: it is known by its content */
    for (int i = 0; i < 3; i++) {
        arena_reset(test.arena);
        arena_alloc(test.arena, (size_t)i * 100);
        assert_int_equal(test_number(arena_printf(test.arena, "SELECT %d", 7)), 7);
    }
}

/* Else its statement would stay busy for ever, and the next of that text be a second one. */
static void a_cursor_that_asks_again_gives_its_statement_back(void **state)
{
    scoped_cursor q = {0};
    const void *first = NULL;
    int64_t number;
    bool found;

    (void)state;
    for (int i = 0; i < 3; i++) {
        OK(db_query(&test, &q, "SELECT 41"));
        OK(db_row(&q, &test, &found, OUT(&number)));
        assert_true(found && number == 41);
        first = i ? first : q.stmt;
        assert_ptr_equal(q.stmt, first);
    }
}

static void a_full_server_makes_us_forget_statements(void **state)
{
    (void)state;
    test_sql("SET GLOBAL max_prepared_stmt_count = 20");
    for (int i = 0; i < 60; i++)
        assert_int_equal(test_number(arena_printf(test.arena, "SELECT %d", 1000 + i)), 1000 + i);
    test_sql("SET GLOBAL max_prepared_stmt_count = 16382");
}

static void the_session_is_as_we_want_it(void **state)
{
    scoped_cursor q = {0};
    const char *mode, *zone, *isolation, *client, *results;
    double limit;
    bool found;

    (void)state;
    OK(db_query(&test, &q,
                "SELECT @@sql_mode, @@time_zone, @@tx_isolation, @@character_set_client, "
                "@@character_set_results, @@max_statement_time"));
    OK(db_row(&q, &test, &found, OUT(&mode), OUT(&zone), OUT(&isolation), OUT(&client), OUT(&results),
              OUT(&limit)));
    assert_non_null(strstr(mode, "STRICT_ALL_TABLES"));
    assert_non_null(strstr(mode, "NO_ZERO_DATE"));
    assert_string_equal(zone, "+00:00");
    assert_string_equal(isolation, "READ-COMMITTED");
    assert_string_equal(client, "utf8mb4");
    assert_string_equal(results, "utf8mb4");
    assert_true(limit == (double)test_conf->http_deadline_s);
    assert_true(strstr(db_server_version(&test), "MariaDB") != NULL);
}

/* ---- refusals */

static void a_duplicate_is_a_conflict(void **state)
{
    (void)state;
    test_sql("CREATE OR REPLACE TABLE m (id INT PRIMARY KEY, n VARCHAR(50))");
    OK(db_exec(&test, NULL, "INSERT INTO m VALUES (?, ?)", IN(1), IN("secret")));
    assert_int_equal(db_exec(&test, NULL, "INSERT INTO m VALUES (?, ?)", IN(1), IN("secret")), ERR_CONFLICT);
    assert_true(db_was_duplicate(&test));
    assert_string_equal(test.fault.message, "it exists already");
    ctx_forgive(&test);
    assert_int_equal(db_exec(&test, NULL, "INSERT INTO m VALUES (?, ?)", IN(2), IN(test_text_of(51))),
                     ERR_INTERNAL);
    assert_false(db_was_duplicate(&test));
}

static void what_validation_let_through_is_our_fault(void **state)
{
    static const char *const SQL[] = {
        "INSERT INTO m VALUES (5, 'too long for it', 1)",
        "INSERT INTO m VALUES (99999999999, 'x', 1)",
        "INSERT INTO m VALUES (5, NULL, 1)",
        "INSERT INTO m VALUES (5, 'x', 11)",
        "SELECT nothing FROM m",
        "INSERT INTO o VALUES (1, 99)",
        "DELETE FROM m WHERE id = 1",
        "NOT SQL AT ALL",
    };

    (void)state;
    test_sql("DROP TABLE IF EXISTS o, m");
    test_sql(
        "CREATE TABLE m (id INT PRIMARY KEY, s VARCHAR(5) NOT NULL, n INT CHECK (n < 10)) ENGINE=InnoDB");
    test_sql("CREATE TABLE o (id INT PRIMARY KEY, m INT NOT NULL, FOREIGN KEY (m) REFERENCES m (id)) "
             "ENGINE=InnoDB");
    test_sql("INSERT INTO m VALUES (1, 'x', 1)");
    test_sql("INSERT INTO o VALUES (7, 1)");
    for (size_t i = 0; i < sizeof SQL / sizeof *SQL; i++) {
        if (db_run_text(&test, SQL[i], strlen(SQL[i])) != ERR_INTERNAL)
            BROKEN("%s was not refused as it should", SQL[i]);
        ctx_forgive(&test);
    }
    test_sql("DROP TABLE o, m");
}

/* The server's words for these quote the value, which is somebody's content. */
static void no_message_quotes_content(void **state)
{
    (void)state;
    test_sql("CREATE OR REPLACE TABLE m (id INT PRIMARY KEY, t DATETIME(6), s VARCHAR(50) UNIQUE)");
    test_sql("INSERT INTO m VALUES (1, NULL, 'secret')");
    assert_int_not_equal(db_exec(&test, NULL, "INSERT INTO m VALUES (?, NULL, 'x')", IN("secret")), ERR_OK);
    assert_null(strstr(test.fault.message, "secret"));
    ctx_forgive(&test);
    assert_int_not_equal(db_exec(&test, NULL, "INSERT INTO m VALUES (2, ?, 'x')", IN("secret")), ERR_OK);
    assert_null(strstr(test.fault.message, "secret"));
    ctx_forgive(&test);
    assert_int_equal(db_exec(&test, NULL, "INSERT INTO m VALUES (2, NULL, ?)", IN("secret")), ERR_CONFLICT);
    assert_null(strstr(test.fault.message, "secret"));
}

static void text_that_a_column_cannot_hold(void **state)
{
    scoped_cursor q = {0};

    (void)state;
    test_sql(
        "CREATE OR REPLACE TABLE m (slug VARCHAR(50) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY)");
    OK(db_exec(&test, NULL, "INSERT INTO m VALUES (?)", IN("plain")));
    assert_int_equal(db_exec(&test, NULL, "INSERT INTO m VALUES (?)", IN("größer")), ERR_INVALID);
    ctx_forgive(&test);
    assert_int_equal(db_query(&test, &q, "SELECT slug FROM m WHERE slug = ?", IN("größer")), ERR_INVALID);
    assert_null(strstr(test.fault.message, "collation"));
}

/* What failed before is not why this failed. */
static void an_old_duplicate_is_forgotten(void **state)
{
    (void)state;
    test_sql("CREATE OR REPLACE TABLE m (id INT PRIMARY KEY)");
    OK(db_exec(&test, NULL, "INSERT INTO m VALUES (?)", IN(1)));
    assert_int_equal(db_exec(&test, NULL, "INSERT INTO m VALUES (?)", IN(1)), ERR_CONFLICT);
    assert_true(db_was_duplicate(&test));
    ctx_forgive(&test);
    OK(db_exec(&test, NULL, "INSERT INTO m VALUES (?)", IN(2)));
    assert_false(db_was_duplicate(&test));
    assert_int_equal(db_exec(&test, NULL, "INSERT INTO m VALUES (?)", IN(1)), ERR_CONFLICT);
    ctx_forgive(&test);
    test.deadline_us = clock_monotonic_us() - 1;
    assert_int_equal(db_exec(&test, NULL, "INSERT INTO m VALUES (?)", IN(3)), ERR_DEADLINE);
    assert_false(db_was_duplicate(&test));
}

static void more_than_a_packet_is_too_large(void **state)
{
    struct bytes much = {arena_alloc(test.arena, 40u << 20), 40u << 20};

    (void)state;
    test_sql("CREATE OR REPLACE TABLE v (id UUID PRIMARY KEY, x LONGBLOB)");
    assert_int_equal(db_exec(&test, NULL, "INSERT INTO v (id, x) VALUES (?, ?)", IN(uuid_new(1)), IN(much)),
                     ERR_TOO_LARGE);
    ctx_forgive(&test);
    assert_int_equal(test_number("SELECT COUNT(*) FROM v"), 0);
}

/* ---- mistakes of programmers */

static void too_few_values(void *arg)
{
    (void)arg;
    (void)!db_exec(&test, NULL, "DO ?, ?", IN(1));
}

static void too_many_values(void *arg)
{
    (void)arg;
    (void)!db_exec(&test, NULL, "DO ?", IN(1), IN(2));
}

static void too_few_columns(void *arg)
{
    struct db_cursor q = {0};
    bool found;
    int n;

    (void)arg;
    if (db_query(&test, &q, "SELECT 1, 2") == ERR_OK)
        (void)!db_row(&q, &test, &found, OUT(&n));
}

static void wrong_type(void *arg)
{
    struct db_cursor q = {0};
    const char *s;
    bool found;

    (void)arg;
    if (db_query(&test, &q, "SELECT 1") == ERR_OK)
        (void)!db_row(&q, &test, &found, OUT(&s));
}

static void text_for_a_number(void *arg)
{
    struct db_cursor q = {0};
    bool found;
    int n;

    (void)arg;
    if (db_query(&test, &q, "SELECT 'x'") == ERR_OK)
        (void)!db_row(&q, &test, &found, OUT(&n));
}

static void rows_nobody_asked_for(void *arg)
{
    (void)arg;
    (void)!db_exec(&test, NULL, "SELECT 1");
}

static void no_rows_to_ask_for(void *arg)
{
    struct db_cursor q = {0};

    (void)arg;
    (void)!db_query(&test, &q, "DO 1");
}

static void null_text(void *arg)
{
    const char *s = arg;

    (void)!db_exec(&test, NULL, "DO ?", IN(s));
}

static void too_many_parameters(void *arg)
{
    struct sql s;

    (void)arg;
    sql_init(&s, test.arena);
    for (int i = 0; i <= SQL_PARAMS_MAX; i++)
        sql_add(&s, "?", IN(i));
}

static void mistakes_end_the_process(void **state)
{
    static void (*const MISTAKES[])(void *) = { too_few_values,     too_many_values,   too_few_columns,
                                                wrong_type,         text_for_a_number, rows_nobody_asked_for,
                                                no_rows_to_ask_for, null_text,         too_many_parameters };

    (void)state;
    OK(db_ping(&test));
    for (size_t i = 0; i < sizeof MISTAKES / sizeof *MISTAKES; i++) {
        /* each on a connection of its own: the child would speak on ours */
        db_close(test.db);
        test.db = db_open(test_conf);
        if (!aborts(MISTAKES[i], NULL))
            BROKEN("mistake %zu went through", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(changed_counts_what_matched),
        CASE(statements_nest),
        CASE(returning_gives_rows),
        CASE(few_built_texts_are_kept),
        CASE(a_cursor_that_asks_again_gives_its_statement_back),
        CASE(a_full_server_makes_us_forget_statements),
        CASE(the_session_is_as_we_want_it),
        CASE(a_duplicate_is_a_conflict),
        CASE(what_validation_let_through_is_our_fault),
        CASE(no_message_quotes_content),
        CASE(text_that_a_column_cannot_hold),
        CASE(an_old_duplicate_is_forgotten),
        CASE(more_than_a_packet_is_too_large),
        CASE(mistakes_end_the_process),
    };

    return cmocka_run_group_tests(tests, test_group_begins, test_group_ends);
}
