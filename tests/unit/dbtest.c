/* See dbtest.h. */
#include "dbtest.h"

struct config *test_conf;
struct ctx test;

void test_ok(const struct ctx *c, err e, const char *what, const char *file, int line)
{
    if (e == ERR_OK)
        return;
    print_error("%s: %s: %s (%s)\n", what, err_info(e)->slug, c->fault.message, db_last_error(c));
    _fail(file, line);
}

void test_sql(const char *sql)
{
    test_ok(&test, db_run_text(&test, sql, strlen(sql)), sql, __FILE__, __LINE__);
}

int64_t test_number(const char *sql)
{
    scoped_cursor q = {0};
    struct sql s;
    int64_t n = -1;
    bool found;

    sql_init(&s, test.arena);
    sql_add_(&s, sql, NULL, 0);
    OK(sql_query(&test, &q, &s));
    OK(db_row(&q, &test, &found, OUT_OPT(&n)));
    assert_true(found);
    return n;
}

char *test_text_of(size_t n)
{
    char *s = arena_alloc(test.arena, n + 1);

    for (size_t i = 0; i < n; i++)
        s[i] = (char)('a' + i % 26);
    return s;
}

int test_group_begins(void **state)
{
    (void)state;
    test_conf = stack_start();
    stack_ctx(&test, test_conf, 30);
    stack_empty_schema(&test);
    return 0;
}

int test_group_ends(void **state)
{
    (void)state;
    stack_ctx_done(&test);
    return 0;
}

struct ctx test_other;

int test_pair_begins(void **state)
{
    test_group_begins(state);
    stack_ctx(&test_other, test_conf, 0);
    return 0;
}

int test_pair_ends(void **state)
{
    stack_ctx_done(&test_other);
    return test_group_ends(state);
}

int test_begins(void **state)
{
    (void)state;
    arena_reset(test.arena);
    ctx_begin(&test, 30);
    return 0;
}
