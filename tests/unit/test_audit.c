/* The audit trail: what it keeps, how it is read, exported and purged; and the outbox beside it. */
#include "graphtest.h"

#include "audit.h"
#include "call.h"
#include "csv.h"
#include "graph_calls.h"
#include "node.h"
#include "outbox.h"

static err add_one(struct ctx *c, void *arg)
{
    return audit_add(c, arg);
}

static void add(const char *kind, struct uuid subject)
{
    struct audit a = {.kind = kind, .subject_kind = "thing", .subject_id = subject, .before = test_json("{\"a\":1}"),
                      .payload = test_json("{\"why\":\"=1+1\"}")};

    OK(db_tx(&test, add_one, &a));
}

static size_t found(struct audit_filter f)
{
    struct page p;

    f.limit = 100;
    OK(audit_list(&test, &f, &p));
    return p.n;
}

static void events_say_who_what_and_when(void **state)
{
    struct audit_event e;
    struct page p;

    (void)state;
    act(ALICE);
    add("thing.poke", (struct uuid){{7}});
    OK(audit_list(&test, &(struct audit_filter){.subject_id = {{7}}, .limit = 10}, &p));
    assert_int_equal(p.n, 1);
    e = ((struct audit_event *)p.items)[0];
    assert_string_equal(e.kind, "thing.poke");
    assert_string_equal(e.actor_kind, "agent");
    assert_true(uuid_eq(e.actor_id, cast.id[ALICE]));
    assert_string_equal(e.request_id, "test-request");
    assert_string_equal(e.ip, "192.0.2.1");
    assert_int_equal(e.at.us, test.now.us);
    assert_string_equal(e.before->s, "{\"a\":1}");
    assert_null(e.after);
}

static void the_system_is_named(void **state)
{
    struct page p;

    (void)state;
    act(ALICE);
    OK(access_as_system(&test, cast.account_id[ALICE], "job:test"));
    add("thing.sweep", (struct uuid){{8}});
    OK(audit_list(&test, &(struct audit_filter){.kind = "thing.sweep", .limit = 10}, &p));
    assert_int_equal(p.n, 1);
    assert_string_equal(((struct audit_event *)p.items)[0].actor_kind, "system");
    assert_string_equal(json_get_str(test_json(((struct audit_event *)p.items)[0].payload->s), "actor"), "job:test");
}

static void filters_narrow(void **state)
{
    struct instant start;

    (void)state;
    days_pass(100);
    act(BOB);
    start = test.now;
    add("alpha.one", (struct uuid){{1}});
    add("alpha.two", (struct uuid){{2}});
    add("alph_.x", (struct uuid){{3}});
    days_pass(1);
    act(ALICE);
    add("alpha.one", (struct uuid){{1}});
    assert_int_equal(found((struct audit_filter){.kind = "alpha"}), 3);
    assert_int_equal(found((struct audit_filter){.kind = "alpha.one"}), 2);
    assert_int_equal(found((struct audit_filter){.kind = "alph_"}), 1);
    assert_int_equal(found((struct audit_filter){.kind = "alph%"}), 0);
    assert_int_equal(found((struct audit_filter){.kind = "alpha", .actor_id = cast.id[BOB]}), 2);
    assert_int_equal(found((struct audit_filter){.kind = "alpha", .from = test.now}), 1);
    assert_int_equal(found((struct audit_filter){.kind = "alpha", .from = start, .to = test.now}), 2);
    assert_int_equal(found((struct audit_filter){.kind = "alpha", .to = start}), 0);
    act(STRANGER);
    assert_int_equal(found((struct audit_filter){.kind = "alpha"}), 0);
}

static void a_refusal_is_kept_and_stays_the_answer(void **state)
{
    (void)state;
    act(EDITOR);
    assert_int_equal(access_permit(&test, PERM_ERASE_RUN), ERR_FORBIDDEN);
    assert_int_equal(test.fault.code, ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_int_equal(found((struct audit_filter){.kind = "access.refuse", .actor_id = cast.id[EDITOR]}), 1);
}

static err refuse_within(struct ctx *c, void *arg)
{
    (void)arg;
    audit_refusal(c, "thing.refuse", "thing", (struct uuid){{4}}, "because");
    return fail(c, ERR_FORBIDDEN, "no");
}

static void a_refusal_outlives_the_transaction_that_it_ends(void **state)
{
    (void)state;
    act(EDITOR);
    FAILS(db_tx(&test, refuse_within, NULL), ERR_FORBIDDEN);
    assert_int_equal(found((struct audit_filter){.kind = "thing.refuse"}), 1);
}

static void old_events_are_purged_in_portions(void **state)
{
    int64_t n, left;

    (void)state;
    act(BOB);
    for (int i = 0; i < 5; i++)
        add("old.one", (struct uuid){{5}});
    days_pass(500);
    act(BOB);
    add("old.new", (struct uuid){{5}});
    left = test_number("SELECT COUNT(*) FROM audit_event");
    OK(audit_purge(&test, (struct instant){test.now.us - 400 * DAY_US}, 2, &n));
    assert_int_equal(n, 2);
    do
        OK(audit_purge(&test, (struct instant){test.now.us - 400 * DAY_US}, 100, &n));
    while (n);
    assert_int_equal(found((struct audit_filter){.kind = "old"}), 1);
    assert_true(test_number("SELECT COUNT(*) FROM audit_event") < left);
    assert_true(test_number("SELECT COUNT(*) FROM audit_event") > 1); /* the other account's stay */
}

static err put_news(struct ctx *c, void *arg)
{
    return outbox_add(c, *(const char **)arg, (struct uuid){{5}}, (struct uuid){{0}}, test_json("{\"done\":1}"));
}

static void announce(const char *kind)
{
    OK(db_tx(&test, put_news, &kind));
}

static void what_stood_in_the_outbox_long_enough_goes(void **state)
{
    struct instant then;
    int64_t n;

    (void)state;
    act(STRANGER);
    announce("news.theirs");
    act(BOB);
    for (int i = 0; i < 3; i++)
        announce("news.old");
    then = test.now;
    days_pass(1);
    act(BOB);
    announce("news.new");
    OK(outbox_purge(&test, (struct instant){then.us + 1}, 2, &n));
    assert_int_equal(n, 2);
    OK(outbox_purge(&test, (struct instant){then.us + 1}, 2, &n));
    assert_int_equal(n, 1);
    assert_int_equal(test_number("SELECT COUNT(*) FROM outbox WHERE kind = 'news.new' AND JSON_VALUE(payload, '$.done') = 1"), 1);
    assert_int_equal(test_number("SELECT COUNT(*) FROM outbox WHERE kind LIKE 'news.%'"), 2); /* the other account's stays */
}

static void a_change_that_others_may_hear_of_is_one_row(void **state)
{
    struct audit quiet = {.kind = "hear.not", .subject_kind = "thing"};
    struct audit news = {.kind = "hear.this", .subject_kind = "thing", .is_news = true};

    (void)state;
    act(ALICE);
    OK(db_tx(&test, add_one, &quiet));
    OK(db_tx(&test, add_one, &news));
    assert_int_equal(test_number("SELECT is_news FROM audit_event WHERE kind = 'hear.not'"), 0);
    assert_int_equal(test_number("SELECT is_news FROM audit_event WHERE kind = 'hear.this'"), 1);
    assert_int_equal(test_number("SELECT COUNT(*) FROM outbox WHERE kind LIKE 'hear.%'"), 0);
}

/* ---- export */

struct catch
{
    struct sink sink;
    struct buf got;
};

static err catch_write(struct sink *s, const char *p, size_t n)
{
    buf_add(&((struct catch *)s)->got, p, n);
    return ERR_OK;
}

static const struct op *op_named(const struct op *const *table, const char *name)
{
    for (; *table; table++)
        if (strcmp((*table)->name, name) == 0)
            return *table;
    BROKEN("no operation %s", name);
    return NULL;
}

static struct buf exported(const char *args, const char *media)
{
    struct catch c = {.sink.write = catch_write};

    buf_init(&c.got, test.arena, 1024);
    OK(call_stream(&test, op_named(audit_calls_table, "audit.export"), test_json(args), &c.sink));
    assert_true(str_starts(c.sink.media, media));
    return c.got;
}

static size_t lines_in(const struct buf *b)
{
    size_t n = 0;

    for (size_t i = 0; i < b->len; i++)
        n += b->data[i] == '\n';
    return n;
}

static void an_export_holds_every_event_once(void **state)
{
    struct buf csv, jsonl;

    (void)state;
    act(OWNER);
    for (int i = 0; i < 1203; i++)
        add("export.me", (struct uuid){{6}});
    csv = exported("{\"kind\":\"export.me\"}", "text/csv");
    assert_int_equal(lines_in(&csv), 1204);
    assert_true(str_starts(csv.data, "id,at,kind,actor_kind,"));
    jsonl = exported("{\"kind\":\"export.me\",\"format\":\"jsonl\"}", "application/x-ndjson");
    assert_int_equal(lines_in(&jsonl), 1203);
    assert_non_null(test_json(arena_strndup(test.arena, jsonl.data, strcspn(jsonl.data, "\n"))));
    jsonl = exported("{\"kind\":\"nothing.like.it\",\"format\":\"jsonl\"}", "application/x-ndjson");
    assert_int_equal(jsonl.len, 0);
    act(ALICE);
    assert_int_equal(call_stream(&test, op_named(audit_calls_table, "audit.export"), test_json("{}"), &(struct sink){0}), ERR_FORBIDDEN);
}

static void cells_are_quoted_and_never_formulas(void **state)
{
    static const char *const CASES[][2] = {
        {"plain", "plain"}, {"", ""}, {"a,b", "\"a,b\""}, {"say \"hi\"", "\"say \"\"hi\"\"\""}, {"=1+1", "'=1+1"}, {"+1", "'+1"},
        {"-1", "'-1"}, {"@x", "'@x"}, {"\tx", "'\tx"}, {"\rx", "\"'\rx\""}, {"=\"a\"", "\"'=\"\"a\"\"\""}, {"a\nb", "\"a\nb\""}, {"1=1", "1=1"},
    };

    (void)state;
    act(ALICE);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct buf b;

        buf_init(&b, test.arena, 64);
        csv_cell(&b, CASES[i][0], true);
        assert_string_equal(buf_str(&b), CASES[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_say_who_what_and_when),
        cmocka_unit_test(the_system_is_named),
        cmocka_unit_test(filters_narrow),
        cmocka_unit_test(a_refusal_is_kept_and_stays_the_answer),
        cmocka_unit_test(a_refusal_outlives_the_transaction_that_it_ends),
        cmocka_unit_test(old_events_are_purged_in_portions),
        cmocka_unit_test(what_stood_in_the_outbox_long_enough_goes),
        cmocka_unit_test(a_change_that_others_may_hear_of_is_one_row),
        cmocka_unit_test(an_export_holds_every_event_once),
        cmocka_unit_test(cells_are_quoted_and_never_formulas),
    };

    return cmocka_run_group_tests_name("audit", tests, graph_group_begins, graph_group_ends);
}
