/* Lines of an export: each value comes back as it was, and a line that was touched does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail

#include "transfer_line.h"
#include "transfer_map.h"
#include "transfer_store.h"

static struct arena *arena;
static const struct transfer_tables *tables;

static int begin(void **unused)
{
    (void)unused;
    arena = arena_new(64u << 20);
    tables = transfer_tables_read(arena);
    return 0;
}

static int end(void **unused)
{
    (void)unused;
    arena_free(arena);
    return 0;
}

/* A row whose values are hard to carry: the n-th choice of each type. */
static struct transfer_row hard_row(const struct transfer_table *t, size_t nth)
{
    static const char *const TEXTS[] = {"", " ", "a\"b\\c/d", "line\nline\r\ttab\x7f", "\xf0\x9f\x99\x82 \xe2\x80\xa8", "</script>", "{}",
                                        "[1,2"};
    static const double NUMBERS[] = {0, 1, 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -2.5, 123456789012345678.0};
    static const int64_t INTS[] = {0, 1, -1, INT64_MAX, INT64_MIN, 9007199254740993, 42, 7};
    static const int64_t TIMES[] = {1, 2, 1700000000000000, 1700000000000001, 253402300799999999, 951782400000000, 3, 5};
    struct transfer_row row = {.table = t, .v = ARENA_ARRAY(arena, struct transfer_value, t->n_columns)};

    for (size_t i = 0; i < t->n_columns; i++) {
        size_t k = (nth + i) % 8;
        struct transfer_value *v = &row.v[i];

        v->is_null = t->columns[i].nullable && (nth + i) % 3 == 0;
        switch (t->columns[i].type) {
        case TT_ID: v->uuid = uuid_new(1700000000000000 + (int64_t)(nth * 100 + i)); break;
        case TT_INT: v->i = INTS[k]; break;
        case TT_NUM: v->d = NUMBERS[k]; break;
        case TT_TIME: v->time.us = TIMES[k]; break;
        case TT_BYTES:
        case TT_VECTOR: v->bytes = (struct bytes){TEXTS[k], strlen(TEXTS[k])}; break;
        case TT_TEXT:
        case TT_REF:
        case TT_DAY: v->text = TEXTS[k]; break;
        }
    }
    return row;
}

static void every_table_and_value_comes_back(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < tables->n; t++)
        for (size_t nth = 0; nth < 24; nth++) {
            struct transfer_chain out = {{1}}, in = {{1}};
            struct transfer_row row = hard_row(&tables->v[t], nth);
            struct transfer_line line;
            const char *why;
            struct buf b;

            buf_init(&b, arena, 4096);
            transfer_line_row(&b, &out, &row);
            assert_null(memchr(b.data, '\n', b.len - 1));
            why = transfer_line_read(arena, tables, &in, b.data, b.len - 1, &line);
            assert_string_equal(why ? arena_printf(arena, "%s: %s", why, b.data) : "", "");
            assert_ptr_equal(line.row.table, row.table);
            for (size_t i = 0; i < row.table->n_columns; i++)
                assert_true(!line.row.v[i].is_left_out &&
                            transfer_value_eq(row.table->columns[i].type, &line.row.v[i], &row.v[i]));
            assert_memory_equal(in.sum, out.sum, TRANSFER_SUM);
        }
}

static void any_byte_that_is_another_is_seen(void **unused)
{
    struct transfer_chain out = {{0}};
    struct transfer_row row = hard_row(transfer_table_find(tables, "team"), 2);
    struct buf b;

    (void)unused;
    buf_init(&b, arena, 4096);
    transfer_line_row(&b, &out, &row);
    for (size_t i = 0; i + 1 < b.len; i++) {
        char *copy = arena_memdup(arena, b.data, b.len);
        struct transfer_chain in = {{0}};
        struct transfer_line line;

        copy[i] ^= 1;
        assert_non_null(transfer_line_read(arena, tables, &in, copy, b.len - 1, &line));
    }
}

static void the_list_holds_together(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < tables->n; t++) {
        const struct transfer_table *table = &tables->v[t];

        assert_true(t == 0 || table->n_key > 0);
        assert_ptr_equal(transfer_table_find(tables, table->name), table);
        if (table->n_words)
            assert_true(table->n_key == 1 && table->columns[table->key[0]].type == TT_ID);
        for (const struct transfer_left *l = transfer_left_out(); l->table; l++)
            assert_string_not_equal(l->table, table->name);
    }
}

static void ids_are_put_in_place_also_at_the_end_of_texts(void **unused)
{
    struct transfer_map map = {.arena = arena};
    struct transfer_row row = hard_row(transfer_table_find(tables, "space"), 1);
    struct uuid from[300], to = uuid_new(1);
    const struct transfer_column *slug;
    size_t at;

    (void)unused;
    for (size_t i = 0; i < 300; i++)
        transfer_map_add(&map, from[i] = uuid_new(5000), to);
    for (size_t i = 0; i < 300; i++)
        assert_true(uuid_eq(transfer_map_of(&map, from[i]), to));
    slug = transfer_column_find(row.table, "slug", &at);
    assert_int_equal(slug->type, TT_REF);
    row.v[at] = (struct transfer_value){.text = arena_printf(arena, "agent:%s", UUID_STR(from[7]))};
    row.v[row.table->key[0]].uuid = from[8];
    transfer_map_row(&map, arena, &row);
    assert_string_equal(row.v[at].text, arena_printf(arena, "agent:%s", UUID_STR(to)));
    assert_true(uuid_eq(row.v[row.table->key[0]].uuid, to));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_and_value_comes_back),
        cmocka_unit_test(any_byte_that_is_another_is_seen),
        cmocka_unit_test(the_list_holds_together),
        cmocka_unit_test(ids_are_put_in_place_also_at_the_end_of_texts),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
