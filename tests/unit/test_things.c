/* Every thing of the call table against the schema: its columns are there, with their type and NULL, and none that must be given is missing. */
#include "calls.h"
#include "dbtest.h"
#include "op.h"
#include "row.h"

struct found_column {
    const char *name, *type;
    bool nullable, needed;
};

static struct found_column columns[200];
static size_t n_columns;

static void read_columns(const char *table)
{
    scoped_cursor q = {0};
    bool found = true;

    n_columns = 0;
    OK(db_query(&test, &q,
                "SELECT CAST(COLUMN_NAME AS CHAR CHARACTER SET utf8mb4), CAST(DATA_TYPE AS CHAR CHARACTER SET utf8mb4), IS_NULLABLE = 'YES',"
                " IS_NULLABLE = 'NO' AND COLUMN_DEFAULT IS NULL AND EXTRA = '' FROM information_schema.COLUMNS"
                " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?", IN(table)));
    for (; n_columns < 200; n_columns++) {
        struct found_column *f = &columns[n_columns];

        OK(db_row(&q, &test, &found, OUT(&f->name), OUT(&f->type), OUT(&f->nullable), OUT(&f->needed)));
        if (!found)
            break;
    }
    assert_true(n_columns > 0);
}

static const struct found_column *column_of(const char *name)
{
    for (size_t i = 0; i < n_columns; i++)
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    return NULL;
}

static const char *types_of(enum field_type type)
{
    switch (type) {
    case FT_INT: return "bigint int smallint tinyint";
    case FT_BOOL: return "tinyint";
    case FT_NUM: return "double float decimal";
    case FT_UUID: return "uuid";
    case FT_TIME: return "datetime";
    case FT_BYTES: return "blob varbinary binary mediumblob longblob";
    case FT_OBJECT:
    case FT_JSON:
    case FT_STRS:
    case FT_UUIDS: return "longtext mediumtext text";
    default: return "varchar char text mediumtext longtext enum";
    }
}

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = strstr(words, word); p; p = strstr(p + 1, word))
        if ((p == words || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
            return true;
    return false;
}

/* A key that may be a slug is a field of its own beside the column `id`. */
static bool is_kept(const struct thing *t, const char *name)
{
    for (const struct field *f = t->columns; f->type != FT_END; f++)
        if (f->flags & COL_ROW && strcmp(f->name, name) == 0)
            return true;
    return false;
}

static void check_thing(const struct thing *t)
{
    read_columns(t->name);
    for (const struct field *f = t->columns; f->type != FT_END; f++) {
        const struct found_column *found;

        if (!(f->flags & COL_ROW) || f->sql)
            continue;
        found = column_of(f->name);
        if (!found)
            BROKEN("%s has no column %s", t->name, f->name);
        else if (!has_word(types_of(f->type), found->type))
            BROKEN("%s.%s is a %s", t->name, f->name, found->type);
        else if (found->nullable != ((f->flags & FIELD_NULLABLE) != 0))
            BROKEN("%s.%s: NULL in one place, not NULL in the other", t->name, f->name);
    }
    for (size_t i = 0; i < n_columns; i++)
        if (columns[i].needed && strcmp(columns[i].name, "account_id") != 0 && !is_kept(t, columns[i].name))
            BROKEN("%s.%s must be given, and the table of columns does not have it", t->name, columns[i].name);
}

static void things_are_as_the_schema_says(void **state)
{
    struct op_table ops = calls_all(test.arena);
    size_t n = 0;

    (void)state;
    stack_fresh_schema(&test);
    for (size_t i = 0; i < ops.n; i++) {
        const struct thing *of[] = {ops.ops[i]->takes, ops.ops[i]->gives};

        for (size_t k = 0; k < 2; k++)
            if (of[k]) {
                check_thing(of[k]);
                n++;
            }
    }
    assert_true(n >= 10);
}

static void operations_have_what_they_take_and_give(void **state)
{
    struct op_table ops = calls_all(test.arena);

    (void)state;
    for (size_t i = 0; i < ops.n; i++) {
        const struct op *op = ops.ops[i];

        if (op->takes)
            assert_non_null(op->in);
        if (op->gives)
            assert_non_null(op->out);
        if (op->takes && op->use == COL_PATCH)
            for (const struct field *f = op->in; f->type != FT_END; f++)
                assert_true(f->flags & FIELD_REQUIRED ? strcmp(f->name, "id") == 0
                                                      : f->off >= op->in_at || strcmp(f->name, "if_version") == 0);
        assert_true(!(op->flags & OP_IF_VERSION) || (op->flags & OP_MATCH && field_find(op->in, "if_version")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(things_are_as_the_schema_says), CASE(operations_have_what_they_take_and_give)};

    return cmocka_run_group_tests(tests, test_group_begins, test_group_ends);
}
