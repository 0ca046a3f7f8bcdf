/* Rows by their table of columns: every type there and back, NULL, words that no enum has, reconnecting, one text for two things. */
#include <math.h>

#include "aborts.h"
#include "dbtest.h"
#include "json.h"
#include "row.h"

#define SHADE(X) X(SHADE_LIGHT, "light") X(SHADE_DARK, "dark")
ENUMX_DECLARE(shade, SHADE);
ENUMX_DEFINE(shade, SHADE);

struct lamp {
    struct uuid id, room_id;
    const char *name, *note;
    int64_t watts, hours, version, twice;
    double price, share;
    bool is_on;
    enum shade shade;
    struct instant bought_at, created_at, updated_at;
    const struct json *attrs;
    struct strs tags;
    struct uuids beside;
    struct bytes seal;
    const char *hash, *key;
};

struct lamp_change {
    struct thing_change change;
    struct lamp to;
};

static const struct field LAMP_COLUMNS[] = {
    F_ID(struct lamp, "id"),
    F_UUID(struct lamp, room_id, COL_OPEN | FIELD_NULLABLE, "where it is"),
    F_STR(struct lamp, name, COL_OPEN | FIELD_REQUIRED | COL_UNIQUE, 1, 20, "name"),
    F_STR(struct lamp, note, COL_OPEN | FIELD_NULLABLE, 0, 20, "note", .preset = "none"),
    F_INT(struct lamp, watts, COL_OPEN, 0, 1000, 60, "watts"),
    F_INT(struct lamp, hours, COL_OPEN | FIELD_NULLABLE, 0, 1000, 0, "hours"),
    F_NUM(struct lamp, price, COL_OPEN, 0, 100, 1.5, "price"),
    F_NUM(struct lamp, share, COL_OPEN | FIELD_NULLABLE, 0, 1, 0, "share"),
    F_BOOL(struct lamp, is_on, COL_LATER, true, "is it on"),
    F_ENUM(struct lamp, shade, COL_OPEN, shade, SHADE_DARK, "shade"),
    F_TIME(struct lamp, bought_at, COL_OPEN | FIELD_NULLABLE, "when it was bought"),
    F_OBJECT(struct lamp, attrs, COL_OPEN | FIELD_NULLABLE, 1000, "more"),
    F_STRS(struct lamp, tags, COL_OPEN | FIELD_NULLABLE, 8, "tags"),
    F_UUIDS(struct lamp, beside, COL_OPEN | FIELD_NULLABLE, 8, "lamps beside it"),
    F_BYTES(struct lamp, seal, COL_ROW, "seal"),
    F_STR(struct lamp, hash, COL_ROW | COL_SEALED, 0, 0, "hash"),
    F_STR(struct lamp, key, COL_MADE | FIELD_SECRET, 0, 0, "shown once"),
    F_INT(struct lamp, twice, COL_SHOW, 0, 0, 0, "twice the watts", .sql = "watts * 2"),
    F_VERSION(struct lamp),
    F_TIMES(struct lamp),
    F_END
};
static const struct thing LAMP = THING("lamp", LAMP_COLUMNS, struct lamp);

/* The same table with fewer columns. */
static const struct field BULB_COLUMNS[] = {
    F_ID(struct lamp, "id"), F_STR(struct lamp, name, COL_READ, 0, 0, "name"), F_END
};
static const struct thing BULB = THING("lamp", BULB_COLUMNS, struct lamp, .from = "lamp l", .alias = "l");

static void make_table(void)
{
    test_sql("CREATE OR REPLACE TABLE lamp (account_id UUID NOT NULL, id UUID NOT NULL, room_id UUID NULL, name VARCHAR(80) NOT NULL,"
             " note TEXT NULL, watts BIGINT NOT NULL, hours INT NULL, price DOUBLE NOT NULL, share FLOAT NULL, is_on BOOLEAN NOT NULL,"
             " shade VARCHAR(20) NOT NULL, bought_at DATETIME(6) NULL, attrs LONGTEXT NULL, tags LONGTEXT NULL, beside LONGTEXT NULL, seal BLOB NOT NULL,"
             " hash TEXT NOT NULL, version BIGINT NOT NULL, created_at DATETIME(6) NOT NULL, updated_at DATETIME(6) NOT NULL,"
             " PRIMARY KEY (account_id, id), UNIQUE KEY (account_id, name))");
    test.account_id = uuid_new(1);
}

static struct lamp full_lamp(const char *name)
{
    static const char *TAGS[] = {"kitchen", "old \"one\""};
    static struct uuid beside[2];
    struct lamp l = {
        .room_id = uuid_new(5), .name = name, .note = "ünder", .watts = 40, .hours = 7, .price = 2.25, .share = 0.5, .shade = SHADE_LIGHT,
        .bought_at = {1700000000123456}, .attrs = json_raw(test.arena, "{\"a\":[1,2]}"), .tags = {TAGS, 2}, .beside = {beside, 2}, .seal = {"\0\1x", 3},
        .hash = "sealed",
    };

    beside[0] = uuid_new(6);
    beside[1] = uuid_new(7);
    field_begin_row(&test, LAMP_COLUMNS, &l);
    return l;
}

static void every_type_there_and_back(void **state)
{
    struct lamp l, back;
    bool found;

    (void)state;
    make_table();
    l = full_lamp("desk");
    OK(row_insert(&test, &LAMP, &l));
    OK(row_get(&test, &LAMP, l.id, &found, &back));
    assert_true(found);
    assert_true(uuid_eq(back.id, l.id) && uuid_eq(back.room_id, l.room_id));
    assert_string_equal(back.name, "desk");
    assert_string_equal(back.note, "ünder");
    assert_true(back.watts == 40 && back.hours == 7 && back.twice == 80 && back.price == 2.25 && back.share == 0.5);
    assert_true(back.is_on && back.shade == SHADE_LIGHT && back.bought_at.us == l.bought_at.us);
    assert_string_equal(json_text(test.arena, back.attrs), "{\"a\":[1,2]}");
    assert_true(back.tags.n == 2 && strcmp(back.tags.v[1], "old \"one\"") == 0);
    assert_true(back.beside.n == 2 && uuid_eq(back.beside.v[0], l.beside.v[0]) && uuid_eq(back.beside.v[1], l.beside.v[1]));
    assert_true(back.seal.n == 3 && memcmp(back.seal.p, "\0\1x", 3) == 0);
    assert_null(back.hash);
    assert_true(back.version == 1 && back.created_at.us == test.now.us && back.updated_at.us == test.now.us);
}

static void null_there_and_back(void **state)
{
    struct lamp l, back;
    bool found;

    (void)state;
    make_table();
    field_defaults(LAMP_COLUMNS, &l);
    assert_true(l.watts == 60 && l.price == 1.5 && l.is_on && l.shade == SHADE_DARK && strcmp(l.note, "none") == 0);
    l.name = "bare";
    l.note = NULL;
    l.hours = FIELD_NONE;
    l.share = NAN;
    l.hash = "";
    l.id = uuid_new(9);
    l.created_at = l.updated_at = test.now;
    OK(row_insert(&test, &LAMP, &l));
    OK(row_get(&test, &LAMP, l.id, &found, &back));
    assert_true(found && !back.note && back.hours == FIELD_NONE && isnan(back.share) && uuid_is_nil(back.room_id) && !back.bought_at.us);
    assert_true(!back.attrs && !back.tags.v && !back.beside.v);
    assert_string_equal(json_text(test.arena, field_encode_use(test.arena, LAMP_COLUMNS, COL_AUDIT, &back)),
                        "{\"room_id\":null,\"name\":\"bare\",\"note\":null,\"watts\":60,\"hours\":null,\"price\":1.5,\"share\":null,"
                        "\"is_on\":true,\"shade\":\"dark\",\"bought_at\":null,\"attrs\":null,\"tags\":null,\"beside\":null}");
    OK(row_get(&test, &LAMP, uuid_new(1), &found, &back));
    assert_false(found);
    assert_null(back.name);
}

static void a_word_that_no_enum_has_is_a_fault_of_ours(void **state)
{
    struct lamp l, back;
    bool found;

    (void)state;
    make_table();
    l = full_lamp("odd");
    OK(row_insert(&test, &LAMP, &l));
    test_sql("UPDATE lamp SET shade = 'pink'");
    assert_int_equal(row_get(&test, &LAMP, l.id, &found, &back), ERR_INTERNAL);
    assert_non_null(strstr(test.fault.message, "lamp.shade is 'pink'"));
}

static void a_version_is_changed_once(void **state)
{
    struct lamp l, other, back;
    int64_t changed;
    bool found;

    (void)state;
    make_table();
    l = full_lamp("hall");
    OK(row_insert(&test, &LAMP, &l));
    other = l;
    l.watts = 41;
    field_touch(&test, LAMP_COLUMNS, &l);
    OK(row_update(&test, &LAMP, &l, &changed));
    assert_int_equal(changed, 1);
    field_touch(&test, LAMP_COLUMNS, &other);
    OK(row_update(&test, &LAMP, &other, &changed));
    assert_int_equal(changed, 0);
    OK(row_get(&test, &LAMP, l.id, &found, &back));
    assert_true(back.version == 2 && back.watts == 41);
    assert_int_equal(test_number("SELECT COUNT(*) FROM lamp WHERE hash = 'sealed'"), 1); /* what is never read is never written again */
    other.version = 1;
    OK(row_delete(&test, &LAMP, &other, &changed));
    assert_int_equal(changed, 0);
    OK(row_delete(&test, &LAMP, &back, &changed));
    assert_int_equal(changed, 1);
}

static void another_account_has_no_such_row(void **state)
{
    struct lamp l, back;
    int64_t changed;
    bool found;

    (void)state;
    make_table();
    l = full_lamp("mine");
    OK(row_insert(&test, &LAMP, &l));
    test.account_id = uuid_new(2);
    OK(row_get(&test, &LAMP, l.id, &found, &back));
    assert_false(found);
    OK(row_delete(&test, &LAMP, &l, &changed));
    assert_int_equal(changed, 0);
    field_touch(&test, LAMP_COLUMNS, &l);
    OK(row_update(&test, &LAMP, &l, &changed));
    assert_int_equal(changed, 0);
}

static void lists_and_pages(void **state)
{
    struct uuid before;
    struct page page;
    struct list list;
    struct lamp l;
    struct sql s;

    (void)state;
    make_table();
    for (int i = 0; i < 5; i++) {
        l = full_lamp(arena_printf(test.arena, "lamp %d", i));
        OK(row_insert(&test, &LAMP, &l));
    }
    row_select(&s, test.arena, &BULB, "SELECT {*} FROM {from} WHERE {.}account_id = ? ORDER BY {.}name DESC", IN(test.account_id));
    OK(row_all(&test, &BULB, &s, 3, &list));
    assert_int_equal(list.n, 3);
    assert_string_equal(((struct lamp *)list.v)[2].name, "lamp 2");
    for (int seen = 0, pages = 0; seen < 5; pages++) {
        assert_true(pages < 3);
        OK(page_begin(&test, seen ? page.next_cursor : NULL, &before));
        OK(row_list(&test, &LAMP, before, 2, &page));
        seen += (int)page.n;
        assert_true(page.has_more == (seen < 5));
    }
}

/* One literal: known by its address, and by the thing that fills its holes. */
#define COUNTED "SELECT {*} FROM {from} WHERE {.}account_id = ? LIMIT 1"

static err first_row(const struct thing *t, struct lamp *out)
{
    bool found;

    return row_one(&test, t, &found, out, COUNTED, IN(test.account_id));
}

static void one_text_serves_two_things_and_outlives_a_connection(void **state)
{
    struct lamp l, lamp, bulb;

    (void)state;
    make_table();
    l = full_lamp("twin");
    OK(row_insert(&test, &LAMP, &l));
    for (int i = 0; i < 3; i++) {
        OK(first_row(&LAMP, &lamp));
        OK(first_row(&BULB, &bulb));
        assert_true(lamp.watts == 40 && bulb.watts == 0);
        assert_string_equal(bulb.name, "twin");
        if (i == 1)
            db_test_fail_at(test.db, 1, 2013); /* the connection is lost, and its statements */
    }
}

static void a_second_one_of_a_unique_name(void **state)
{
    struct lamp l;

    (void)state;
    make_table();
    l = full_lamp("same");
    OK(row_insert(&test, &LAMP, &l));
    l.id = uuid_new(3);
    assert_int_equal(row_insert(&test, &LAMP, &l), ERR_CONFLICT);
    assert_true(db_was_duplicate(&test));
}

static void holes_are_filled(void **state)
{
    char *text = row_text(&BULB, "SELECT {*} FROM {from} WHERE {.}id = ?; {table} {names} {marks} {sets}");

    (void)state;
    assert_string_equal(text, "SELECT l.id, l.name FROM lamp l WHERE l.id = ?; lamp id, name ?, ? name = ?");
    free(text);
}

static void unknown_hole(void *arg)
{
    (void)arg;
    row_text(&BULB, "SELECT {everything}");
}

static void an_unknown_hole_ends_the_process(void **state)
{
    (void)state;
    assert_true(aborts(unknown_hole, NULL));
}

static err change_lamp(struct lamp *l, const struct lamp_change *ch)
{
    field_apply(LAMP_COLUMNS, &ch->change, offsetof(struct lamp_change, to), &ch->to, l);
    return field_check_change(&test, LAMP_COLUMNS, &ch->change, offsetof(struct lamp_change, to), l);
}

static void only_what_a_change_says_is_checked(void **state)
{
    struct lamp l;

    (void)state;
    l = full_lamp("older than the limit of twenty");
    assert_int_equal(field_check(&test, LAMP_COLUMNS, &l), ERR_INVALID);
    ctx_forgive(&test);
    OK(change_lamp(&l, CHANGE_OF(struct lamp_change, l.id, watts, 80)));
    assert_int_equal(l.watts, 80);
    assert_int_equal(change_lamp(&l, CHANGE_OF(struct lamp_change, l.id, watts, 1001)), ERR_INVALID);
    ctx_forgive(&test);
    assert_int_equal(change_lamp(&l, CHANGE_OF(struct lamp_change, l.id, name, "again longer than twenty")), ERR_INVALID);
}

static void a_secret_is_shown_by_what_creates_it(void **state)
{
    const struct field *shown = field_part(test.arena, LAMP_COLUMNS, COL_SHOW, 0);
    const struct field *made = field_part(test.arena, LAMP_COLUMNS, COL_SHOW | COL_MADE, 0);

    (void)state;
    assert_null(field_find(shown, "key"));
    assert_non_null(field_find(made, "key"));
    assert_true(field_find(made, "key")->flags & FIELD_SECRET);
    assert_null(field_find(made, "hash"));
    assert_non_null(field_find(made, "name"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_type_there_and_back), CASE(null_there_and_back), CASE(a_word_that_no_enum_has_is_a_fault_of_ours),
        CASE(a_version_is_changed_once), CASE(another_account_has_no_such_row), CASE(lists_and_pages),
        CASE(one_text_serves_two_things_and_outlives_a_connection), CASE(a_second_one_of_a_unique_name),
        CASE(only_what_a_change_says_is_checked), CASE(a_secret_is_shown_by_what_creates_it), CASE(holes_are_filled), CASE(an_unknown_hole_ends_the_process),
    };

    return cmocka_run_group_tests(tests, test_group_begins, test_group_ends);
}
