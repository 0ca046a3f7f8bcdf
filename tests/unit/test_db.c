/* Values of every type there and back, ids and lists of them. */
#include "dbtest.h"

/* ---- values */

struct row {
    struct uuid id;
    int i;
    int64_t l;
    bool b;
    double d;
    const char *s, *j;
    struct bytes blob;
    struct instant t;
};

static void make_values_table(void)
{
    test_sql("CREATE OR REPLACE TABLE v (id UUID PRIMARY KEY, i INT, l BIGINT, b BOOLEAN, d DOUBLE, "
             "s LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, j JSON, x LONGBLOB, t DATETIME(6))");
}

static void put(const struct row *r)
{
    int64_t changed = 0;

    OK(db_exec(&test, &changed,
               "INSERT INTO v (id, i, l, b, d, s, j, x, t) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", IN(r->id),
               IN(r->i), IN(r->l), IN(r->b), IN(r->d), IN(r->s), IN(r->j), IN(r->blob), IN(r->t)));
    assert_int_equal(changed, 1);
}

static void check_row(const struct row *want)
{
    scoped_cursor q = {0};
    struct row r;
    bool found;

    OK(db_query(&test, &q, "SELECT id, i, l, b, d, s, j, x, t FROM v WHERE id = ?", IN(want->id)));
    OK(db_row(&q, &test, &found, OUT(&r.id), OUT(&r.i), OUT(&r.l), OUT(&r.b), OUT(&r.d), OUT(&r.s), OUT(&r.j),
              OUT(&r.blob), OUT(&r.t)));
    assert_true(found);
    assert_true(uuid_eq(r.id, want->id));
    assert_int_equal(r.i, want->i);
    assert_true(r.l == want->l && r.b == want->b && r.d == want->d && r.t.us == want->t.us);
    assert_string_equal(r.s, want->s);
    assert_string_equal(r.j, want->j);
    assert_int_equal(r.blob.n, want->blob.n);
    assert_memory_equal(r.blob.p, want->blob.p, want->blob.n);
    OK(db_row(&q, &test, &found, OUT(&r.id), OUT(&r.i), OUT(&r.l), OUT(&r.b), OUT(&r.d), OUT(&r.s), OUT(&r.j),
              OUT(&r.blob), OUT(&r.t)));
    assert_false(found);
}

static void values_of_every_type_come_back(void **state)
{
    static const unsigned char BYTES[] = {0, 255, 39, 92, 10, 0};
    struct row rows[] = {
        { .i = 0, .s = "", .j = "{}", .blob = { "", 0 }, .t = { SECOND_US } },
        { .i = INT32_MIN,
          .l = INT64_MIN,
          .b = true,
          .d = -1.7976931348623157e308,
          .s = "'\\\"; DROP TABLE v; --",
          .j = "{\"a\": [1, \"\\u00e4\"]}",
          .blob = { BYTES, sizeof BYTES },
          .t = { 1763465219123456 } },
        { .i = INT32_MAX,
          .l = INT64_MAX,
          .d = 5e-324,
          .s = "Grüße 漢字 🦙 e\u0301",
          .j = "[]",
          .blob = { "x", 1 },
          .t = { 253402300799999999 } },
        { .d = 0.1,
          .s = test_text_of(64),
          .j = "[1]",
          .blob = { test_text_of(65), 65 },
          .t = { 951782400000000 } },
        { .d = -0.0,
          .s = test_text_of(63),
          .j = "[2]",
          .blob = { test_text_of(3 << 20), 3 << 20 },
          .t = { 1 } },
        { .s = test_text_of(5 << 20), .j = "null", .blob = { "", 0 }, .t = { 1 } },
    };

    (void)state;
    make_values_table();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].id = uuid_new(test.now.us);
        put(&rows[i]);
    }
    for (int pass = 0; pass < 2; pass++) /* the second with statements that were used before */
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            check_row(&rows[i]);
}

static void nulls_must_be_asked_for(void **state)
{
    struct uuid id = uuid_new(test.now.us), u = id;
    bool found, was[3] = {0}, b = true;
    int i = 7;
    int64_t l = 7;
    double d = 7;
    const char *s = "x", *j = "x";
    struct bytes x = {"x", 1};
    struct instant t = {7};

    (void)state;
    make_values_table();
    OK(db_exec(&test, NULL, "INSERT INTO v (id, s, x, t) VALUES (?, ?, ?, ?)", IN(id),
               IN_OPT((const char *)NULL), IN_OPT(((struct bytes){ 0 })), IN_OPT(((struct instant){ 0 }))));
    {
        scoped_cursor q = {0};
        OK(db_query(&test, &q, "SELECT NULLIF(id, id), i, l, b, d, s, j, x, t FROM v WHERE id = ?", IN(id)));
        OK(db_row(&q, &test, &found, OUT_OPT(&u), OUT_NULLABLE(&i, &was[0]), OUT_OPT(&l), OUT_OPT(&b),
                  OUT_OPT(&d), OUT_NULLABLE(&s, &was[1]), OUT_OPT(&j), OUT_OPT(&x),
                  OUT_NULLABLE(&t, &was[2])));
        assert_true(found && was[0] && was[1] && was[2] && uuid_is_nil(u) && !i && !l && !b && d == 0 && !s &&
                    !j);
        assert_true(!x.p && !x.n && !t.us);
    }
    {
        scoped_cursor q = {0};
        OK(db_query(&test, &q, "SELECT id, s FROM v"));
        assert_int_equal(db_row(&q, &test, &found, OUT(&u), OUT(&s)), ERR_INTERNAL);
        assert_non_null(strstr(test.fault.message, "column s is NULL"));
        ctx_forgive(&test);
    }
    OK(db_exec(&test, NULL, "UPDATE v SET s = ?, i = ? WHERE id = ?", IN_OPT("y"), IN(3), IN_OPT(id)));
    scoped_cursor q = {0};
    OK(db_query(&test, &q, "SELECT i, s FROM v WHERE id = ?", IN(id)));
    OK(db_row(&q, &test, &found, OUT_NULLABLE(&i, &was[0]), OUT_OPT(&s)));
    assert_true(found && !was[0] && i == 3 && strcmp(s, "y") == 0);
}

static void expressions_have_numbers(void **state)
{
    scoped_cursor q = {0};
    int64_t sum;
    double avg, mixed;
    int count, small;
    bool is, found;

    (void)state;
    OK(db_query(
        &test, &q,
        "SELECT SUM(x), AVG(x), COUNT(*), MAX(x) > ?, 2, x + 0.5 FROM (SELECT 1 AS x UNION ALL SELECT 2) t",
        IN(1)));
    OK(db_row(&q, &test, &found, OUT(&sum), OUT(&avg), OUT(&count), OUT(&is), OUT(&small), OUT(&mixed)));
    assert_true(found && sum == 3 && avg == 1.5 && count == 2 && is && small == 2 && mixed == 1.5);
}

static void a_number_too_large_is_our_fault(void **state)
{
    scoped_cursor q = {0};
    int i;
    bool found;

    (void)state;
    OK(db_query(&test, &q, "SELECT 2147483648 AS much"));
    assert_int_equal(db_row(&q, &test, &found, OUT(&i)), ERR_INTERNAL);
    assert_non_null(strstr(test.fault.message, "much"));
}

/* A parameter alone takes the type of its value, which may change between two runs of one statement. */
static void column_types_may_change(void **state)
{
    bool found;

    (void)state;
    for (int n = 0; n < 3; n++) {
        scoped_cursor q = {0};
        struct sql s;
        int64_t i;
        const char *t;

        sql_init(&s, test.arena);
        sql_add_(&s, "SELECT ?", &(struct db_in){.type = DB_NULL}, 1);
        s.in[0] = n % 2 ? IN("text") : IN(42);
        OK(sql_query(&test, &q, &s));
        if (n % 2) {
            OK(db_row(&q, &test, &found, OUT(&t)));
            assert_string_equal(t, "text");
        } else {
            OK(db_row(&q, &test, &found, OUT(&i)));
            assert_int_equal(i, 42);
        }
    }
}

/* ---- ids */

static const char *explain_key(struct sql *s, const char **access)
{
    scoped_cursor q = {0};
    const char *unused[5], *key, *rows;
    int64_t id;
    bool found;

    OK(sql_query(&test, &q, s));
    OK(db_row(&q, &test, &found, OUT(&id), OUT(&unused[0]), OUT_OPT(&unused[1]), OUT_OPT(access),
              OUT_OPT(&unused[2]), OUT_OPT(&key), OUT_OPT(&unused[3]), OUT_OPT(&unused[4]), OUT_OPT(&rows),
              OUT_OPT(&unused[2])));
    assert_true(found);
    return key ? key : "";
}

static void make_ids(struct uuid *account, struct uuid *ids, size_t n)
{
    struct sql s;

    test_sql("CREATE OR REPLACE TABLE k (account_id UUID NOT NULL, id UUID NOT NULL, n INT NOT NULL, "
             "PRIMARY KEY (account_id, id))");
    *account = uuid_new(test.now.us);
    for (size_t i = 0; i < n; i++)
        ids[i] = uuid_new(test.now.us + (int64_t)i * 1000);
    for (size_t at = 0; at < n; at += 1000) {
        sql_init(&s, test.arena);
        sql_add(&s, "INSERT INTO k (account_id, id, n) VALUES ");
        /* from the last to the first, so that the order is the index's own work */
        for (size_t i = at; i < at + 1000 && i < n; i++) {
            sql_add_(&s, i == at ? "(?, ?, ?)" : ", (?, ?, ?)",
                     (struct db_in[]){ IN(*account), IN(ids[n - 1 - i]), IN((int)(n - 1 - i)) }, 3);
        }
        OK(sql_exec(&test, NULL, &s));
    }
    test_sql("ANALYZE TABLE k");
}

static void ids_are_found_by_index_in_the_order_of_time(void **state)
{
    enum { N = 3000 };
    struct uuid account, *ids = ARENA_ARRAY(test.arena, struct uuid, N), id;
    scoped_cursor q = {0};
    const char *access;
    struct sql s;
    bool found;
    int n;

    (void)state;
    make_ids(&account, ids, N);
    sql_init(&s, test.arena);
    sql_add(&s, "EXPLAIN SELECT n FROM k WHERE account_id = ? AND id = ?", IN(account), IN(ids[5]));
    assert_string_equal(explain_key(&s, &access), "PRIMARY");
    assert_string_equal(access, "const");
    sql_init(&s, test.arena);
    sql_add(&s, "EXPLAIN SELECT n FROM k WHERE account_id = ? AND id > ? ORDER BY id LIMIT 10", IN(account),
            IN(ids[9]));
    assert_string_equal(explain_key(&s, &access), "PRIMARY");
    assert_string_equal(access, "range");
    OK(db_query(&test, &q, "SELECT id, n FROM k WHERE account_id = ? AND id >= ? ORDER BY id", IN(account),
                IN(ids[7])));
    for (int i = 7; i < N; i++) {
        OK(db_row(&q, &test, &found, OUT(&id), OUT(&n)));
        assert_true(found && n == i && uuid_eq(id, ids[i]));
    }
}

static void nil_and_foreign_ids_are_ids(void **state)
{
    struct uuid nil = { 0 }, v4 = { { 0xff, 0xee, 1, 2, 3, 4, 0x4f, 6, 0xbf, 8, 9, 10, 11, 12, 13, 14 } },
                out;
    bool found;

    (void)state;
    make_values_table();
    OK(db_exec(&test, NULL, "INSERT INTO v (id) VALUES (?), (?)", IN(nil), IN(v4)));
    scoped_cursor q = {0};
    OK(db_query(&test, &q, "SELECT id FROM v ORDER BY id"));
    OK(db_row(&q, &test, &found, OUT(&out)));
    assert_true(found && uuid_is_nil(out));
    OK(db_row(&q, &test, &found, OUT(&out)));
    assert_true(found && uuid_eq(out, v4));
    scoped_cursor bin = {0};
    OK(db_query(&test, &bin, "SELECT CAST(? AS BINARY(16))", IN(v4)));
    OK(db_row(&bin, &test, &found, OUT(&out)));
    assert_true(uuid_eq(out, v4));
}

static size_t count_in(const struct uuid *account, const struct uuid *ids, size_t n)
{
    scoped_cursor q = {0};
    struct sql s;
    int64_t rows;
    bool found;

    sql_init(&s, test.arena);
    sql_add(&s, "SELECT COUNT(*) FROM k WHERE account_id = ?", IN(*account));
    sql_add_in_uuids(&s, "id", ids, n);
    OK(sql_query(&test, &q, &s));
    OK(db_row(&q, &test, &found, OUT(&rows)));
    return (size_t)rows;
}

static void lists_of_ids_up_to_the_limit(void **state)
{
    static const size_t SIZES[] = { 0,  1,   2,    3,    4,    5,    63,    64,
                                    65, 999, 1000, 1025, 4096, 4097, 16385, SQL_PARAMS_MAX - 1 };
    struct uuid account, *ids = ARENA_ARRAY(test.arena, struct uuid, SQL_PARAMS_MAX);
    const char *access;
    struct sql s;

    (void)state;
    make_ids(&account, ids, SQL_PARAMS_MAX);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
        assert_int_equal(count_in(&account, ids, SIZES[i]), SIZES[i]);
    sql_init(&s, test.arena);
    sql_add(&s, "EXPLAIN SELECT n FROM k WHERE account_id = ?", IN(account));
    sql_add_in_uuids(&s, "id", ids, 1200);
    assert_string_equal(explain_key(&s, &access), "PRIMARY");
    assert_string_equal(access, "range");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(values_of_every_type_come_back), CASE(nulls_must_be_asked_for),
        CASE(expressions_have_numbers),       CASE(a_number_too_large_is_our_fault),
        CASE(column_types_may_change),        CASE(ids_are_found_by_index_in_the_order_of_time),
        CASE(nil_and_foreign_ids_are_ids),    CASE(lists_of_ids_up_to_the_limit),
    };

    return cmocka_run_group_tests(tests, test_group_begins, test_group_ends);
}
