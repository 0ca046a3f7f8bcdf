/* Migrations: cut into statements, applied once, refused when they changed, named when they fail, taken up
 * again. */
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dbtest.h"
#include "migrate.h"
#include "migrate_lease.h"
#include "migrate_split.h"

static const char *folder;
static struct migrate_report report;

/* ---- cutting */

static void check_pieces(const char *sql, const char *const *want, size_t n)
{
    struct sql_splitter s;
    struct sql_piece p;
    size_t i = 0;

    sql_split_begin(&s, sql, strlen(sql));
    while (sql_split_next(&s, &p)) {
        assert_true(i < n);
        if (p.n != strlen(want[i]) || memcmp(p.p, want[i], p.n) != 0)
            BROKEN("piece %zu of %s is: %.*s", i, sql, (int)p.n, p.p);
        assert_int_equal(p.number, ++i);
    }
    assert_int_equal(i, n);
}

#define PIECES(sql, ...)                                                                                     \
    check_pieces((sql), (const char *const[]){ __VA_ARGS__ },                                                \
                 sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void statements_end_at_their_semicolons(void **state)
{
    (void)state;
    check_pieces("", NULL, 0);
    check_pieces(" ;; -- only; this\n /* and; that */ # and; this", NULL, 0);
    check_pieces("-- no line end", NULL, 0);
    check_pieces("/* never closed", NULL, 0);
    PIECES("A;B", "A", "B");
    PIECES("A; \n B ;", "A", "B ");
    PIECES("-- x;y\nA /* ; */ B -- ;\n C;", "A /* ; */ B -- ;\n C");
    PIECES("SELECT ';', \";\", `;`; B", "SELECT ';', \";\", `;`", "B");
    PIECES("SELECT 'a''b;', 'a\\';', '\\\\'; B", "SELECT 'a''b;', 'a\\';', '\\\\'", "B");
    PIECES("SELECT `a\\`; B", "SELECT `a\\`", "B");
    PIECES("/*!40101 SET x=1; */; B", "/*!40101 SET x=1; */", "B");
    PIECES("/*M!100100 SET x */", "/*M!100100 SET x */");
    PIECES("SELECT 1--2;", "SELECT 1--2");
    PIECES("SELECT 1 --\n;B", "SELECT 1 --\n", "B");
    PIECES("SELECT 'open", "SELECT 'open");
    PIECES("SELECT '\\", "SELECT '\\");
    PIECES("A -- it's\n; B", "A -- it's\n", "B");
}

static void pieces_know_their_line(void **state)
{
    const char *sql = "-- head\nA;\n\n/* two\nlines */ B\n;C";
    struct sql_splitter s;
    struct sql_piece p;
    int lines[3], n = 0;

    (void)state;
    sql_split_begin(&s, sql, strlen(sql));
    while (sql_split_next(&s, &p))
        lines[n++] = p.line;
    assert_true(n == 3 && lines[0] == 2 && lines[1] == 5 && lines[2] == 6);
}

/* ---- applying */

static void empty_folder(void)
{
    static int n;

    folder = arena_printf(test.arena, "%s/sql%d", stack_folder(), n++);
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void file(const char *name, const char *text)
{
    FILE *f = fopen(arena_printf(test.arena, "%s/%s", folder, name), "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int begin(void **state)
{
    test_begins(state);
    stack_empty_schema(&test);
    empty_folder();
    file("README", "not a migration");
    file("0001-first.sql", "-- one\nCREATE TABLE IF NOT EXISTS one (id INT PRIMARY KEY);\n"
                           "INSERT IGNORE INTO one VALUES (1);");
    file("0002-second.sql",
         "ALTER TABLE one ADD COLUMN IF NOT EXISTS n INT NOT NULL DEFAULT 7; UPDATE one SET n = n + 1");
    return 0;
}

static void expect_refusal(err e, err want, const char *word)
{
    assert_int_equal(e, want);
    if (!strstr(test.fault.message, word))
        BROKEN("\"%s\" does not say \"%s\"", test.fault.message, word);
    ctx_forgive(&test);
}

static void from_nothing_and_again(void **state)
{
    (void)state;
    expect_refusal(migrate_check(&test, folder), ERR_UNAVAILABLE, "2 of 2 migrations: run locictl migrate");
    OK(migrate_run(&test, folder, &report));
    assert_true(report.applied == 2 && report.present == 0);
    assert_string_equal(report.last, "0002-second");
    OK(migrate_check(&test, folder));
    OK(migrate_run(&test, folder, &report));
    assert_true(report.applied == 0 && report.present == 2);
    assert_int_equal(test_number("SELECT n FROM one"), 8);
    file("0003-third.sql", "UPDATE one SET n = 100");
    expect_refusal(migrate_check(&test, folder), ERR_UNAVAILABLE, "1 of 3");
    OK(migrate_run(&test, folder, &report));
    assert_true(report.applied == 1 && report.present == 2);
    assert_int_equal(
        test_number("SELECT COUNT(*) FROM schema_migration WHERE LENGTH(checksum) = 64 AND ms >= 0 "
                    "AND applied_at > '2020-01-01'"),
        3);
}

static void a_missing_database_is_made(void **state)
{
    struct config elsewhere = *test_conf;
    struct ctx c;

    (void)state;
    elsewhere.db_name = "loci_unit `quoted`; --";
    stack_ctx(&c, &elsewhere, 30);
    assert_int_equal(migrate_check(&c, folder), ERR_UNAVAILABLE);
    assert_non_null(strstr(c.fault.message, "run locictl migrate"));
    ctx_forgive(&c);
    test_ok(&c, migrate_run(&c, folder, &report), "migrate", __FILE__, __LINE__);
    assert_int_equal(report.applied, 2);
    stack_ctx_done(&c);
    test_sql("DROP DATABASE `loci_unit ``quoted``; --`");
}

static void a_user_who_may_not_make_it_is_told(void **state)
{
    struct config poor = *test_conf;
    struct ctx c;

    (void)state;
    test_sql("CREATE OR REPLACE USER poor IDENTIFIED BY 'x'");
    poor.db_name = "loci_unit_missing";
    poor.db_user = "poor";
    poor.db_password = "x";
    stack_ctx(&c, &poor, 30);
    assert_int_equal(migrate_run(&c, folder, &report), ERR_UNAVAILABLE);
    assert_true(strlen(db_last_error(&c)) > 0);
    stack_ctx_done(&c);
    test_sql("DROP USER poor");
}

static void a_failure_names_itself_and_can_be_redone(void **state)
{
    (void)state;
    file("0003-third.sql",
         "INSERT IGNORE INTO one VALUES (2, 2);\n\nCREATE TABLE IF NOT EXISTS two (id INT PRIMARY KEY);\n"
         "INSERT INTO one VALUES (3, 3);\nINSERT INTO nowhere VALUES (1);\nSELECT 1;");
    file("0004-fourth.sql", "CREATE TABLE four (id INT PRIMARY KEY)");
    expect_refusal(migrate_run(&test, folder, &report), ERR_INTERNAL,
                   "0003-third.sql failed in statement 4 (line 5)");
    assert_non_null(strstr(db_last_error(&test), "nowhere"));
    assert_int_equal(test_number("SELECT COUNT(*) FROM schema_migration"), 2);
    /* what stood behind the last change of a table is undone */
    assert_int_equal(test_number("SELECT COUNT(*) FROM one WHERE id = 3"), 0);
    assert_int_equal(
        test_number("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() "
                    "AND TABLE_NAME = 'four'"),
        0);
    file("0003-third.sql",
         "INSERT IGNORE INTO one VALUES (2, 2);\nCREATE TABLE IF NOT EXISTS two (id INT PRIMARY KEY);\n"
         "INSERT INTO one VALUES (3, 3);");
    OK(migrate_run(&test, folder, &report));
    assert_true(report.applied == 2 && report.present == 2);
    OK(migrate_check(&test, folder));
}

static void without_tables_it_is_all_or_nothing(void **state)
{
    (void)state;
    file("0003-third.sql",
         "INSERT INTO one VALUES (5, 5); UPDATE one SET n = 9; INSERT INTO one VALUES (5, 5);");
    expect_refusal(migrate_run(&test, folder, &report), ERR_INTERNAL, "statement 3");
    assert_int_equal(test_number("SELECT COUNT(*) FROM one WHERE id = 5 OR n = 9"), 0);
}

static void a_changed_file_stops_everything(void **state)
{
    (void)state;
    OK(migrate_run(&test, folder, &report));
    file("0001-first.sql", "-- something else");
    file("0003-third.sql", "CREATE TABLE three (id INT PRIMARY KEY)");
    expect_refusal(migrate_run(&test, folder, &report), ERR_UNAVAILABLE, "0001-first was changed");
    expect_refusal(migrate_check(&test, folder), ERR_UNAVAILABLE, "0001-first was changed");
    assert_int_equal(test_number("SELECT COUNT(*) FROM schema_migration"), 2);
}

static void an_older_program_keeps_off(void **state)
{
    (void)state;
    OK(migrate_run(&test, folder, &report));
    unlink(arena_printf(test.arena, "%s/0002-second.sql", folder));
    expect_refusal(migrate_check(&test, folder), ERR_UNAVAILABLE,
                   "newer than this program (it has migration 0002-second)");
    expect_refusal(migrate_run(&test, folder, &report), ERR_UNAVAILABLE, "newer than this program");
}

static void names_follow_the_rule(void **state)
{
    static const char *const NAMES[] = { "3-x.sql",     "0003.sql",   "0003-.sql", "0003-Big.sql",
                                         "00003-x.sql", "0000-x.sql", "x.sql" };

    (void)state;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        file(NAMES[i], "SELECT 1");
        expect_refusal(migrate_run(&test, folder, &report), ERR_INTERNAL, "NNNN-some-name.sql");
        unlink(arena_printf(test.arena, "%s/%s", folder, NAMES[i]));
    }
    file("0002-double.sql", "SELECT 1");
    expect_refusal(migrate_run(&test, folder, &report), ERR_INTERNAL, "two migrations have one number");
    expect_refusal(migrate_run(&test, "/nonexistent", &report), ERR_INTERNAL, "/nonexistent");
    empty_folder();
    expect_refusal(migrate_run(&test, folder, &report), ERR_INTERNAL, "no migrations");
}

static void *migrate_beside(void *arg)
{
    struct migrate_report r;
    struct ctx c;
    err *e = arg;

    stack_ctx(&c, test_conf, 0);
    *e = migrate_run(&c, folder, &r);
    stack_ctx_done(&c);
    return NULL;
}

static void four_at_once_apply_each_once(void **state)
{
    pthread_t t[4];
    err e[4];

    (void)state;
    file("0003-third.sql", "DO SLEEP(0.2); INSERT INTO one VALUES (50, 50)");
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, migrate_beside, &e[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(e[i], ERR_OK);
    assert_int_equal(test_number("SELECT COUNT(*) FROM schema_migration"), 3);
    assert_int_equal(test_number("SELECT n FROM one WHERE id = 1"), 8);
}

/* A program that was killed holds up others until its lease is over, and no longer; one that lives keeps it. */
static void a_lease_that_is_over_is_taken(void **state)
{
    struct migrate_report r;

    (void)state;
    OK(migrate_run(&test, folder, &r));
    test_sql("UPDATE schema_lease SET owner = UUID(), lease_until = UTC_TIMESTAMP(6) + INTERVAL 1 SECOND");
    OK(migrate_run(&test, folder, &r));
    assert_int_equal(test_number("SELECT lease_until > UTC_TIMESTAMP(6) + INTERVAL 30 SECOND AND owner IS NULL FROM schema_lease"), 1);
    OK(migrate_check_alone(&test)); /* this server is no node of a cluster */
}

/* Another program has taken it over meanwhile: the slow one stops, and records nothing. */
static void who_lost_the_lease_stops(void **state)
{
    struct migrate_lease l;

    (void)state;
    OK(migrate_lease_take(&test, &l));
    OK(migrate_lease_renew(&test, &l));
    test_sql("UPDATE schema_lease SET owner = UUID()");
    assert_int_equal(migrate_lease_renew(&test, &l), ERR_UNAVAILABLE);
    ctx_forgive(&test);
    migrate_lease_end(&l);
    assert_int_equal(test_number("SELECT owner IS NOT NULL FROM schema_lease"), 1);
    test_sql("UPDATE schema_lease SET owner = NULL");
}

static void ours_apply_twice_to_the_same_end(void **state)
{
    const char *src = getenv("srcdir");
    int64_t tables;

    (void)state;
    stack_fresh_schema(&test);
    tables = test_number("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()");
    assert_true(tables > 1);
    /* as after a failure half-way: everything runs once more on what is there */
    test_sql("DELETE FROM schema_migration");
    folder = arena_printf(test.arena, "%s/sql", src ? src : ".");
    OK(migrate_run(&test, folder, &report));
    assert_true(report.applied > 0 && report.present == 0);
    assert_int_equal(
        test_number("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"),
        tables);
    assert_int_equal(
        test_number("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() "
                    "AND TABLE_COMMENT = ''"),
        0);
    assert_int_equal(
        test_number("SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() "
                    "AND COLUMN_COMMENT = ''"),
        0);
}

#undef CASE
#define CASE(f) cmocka_unit_test_setup(f, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(statements_end_at_their_semicolons),
        CASE(pieces_know_their_line),
        CASE(from_nothing_and_again),
        CASE(a_missing_database_is_made),
        CASE(a_user_who_may_not_make_it_is_told),
        CASE(a_failure_names_itself_and_can_be_redone),
        CASE(without_tables_it_is_all_or_nothing),
        CASE(a_changed_file_stops_everything),
        CASE(an_older_program_keeps_off),
        CASE(names_follow_the_rule),
        CASE(four_at_once_apply_each_once), CASE(a_lease_that_is_over_is_taken), CASE(who_lost_the_lease_stops),
        CASE(ours_apply_twice_to_the_same_end),
    };

    return cmocka_run_group_tests(tests, test_group_begins, test_group_ends);
}
