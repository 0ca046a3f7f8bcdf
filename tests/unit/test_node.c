/* Nodes: making, reading, versions, archive, forgetting, uses, and who sees what. */
#include "graphtest.h"

#include <math.h>

#include "edge.h"
#include "node.h"
#include "node_kind.h"
#include "space.h"
#include "timeline.h"

static struct node note(struct uuid space_id, const char *title, const char *body)
{
    struct node n;

    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = space_id, .kind = "note", .title = title, .body = body}, &n));
    return n;
}

static void a_node_comes_back_as_it_was_written(void **state)
{
    struct node n, m;

    (void)state;
    act(ALICE);
    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = "note", .title = "Tea",
                                             .body = "gr\xc3\xbcn", .attrs = test_json("{\"b\":1,\"a\":[true,null,1.5]}"),
                                             .source_kind = "tool", .source_id = "x", .is_pinned = true}, &n));
    OK(node_get(&test, n.id, &m));
    assert_string_equal(m.title, "Tea");
    assert_string_equal(m.body, "gr\xc3\xbcn");
    assert_string_equal(m.attrs->s, "{\"b\":1,\"a\":[true,null,1.5]}");
    assert_string_equal(m.status, "active");
    assert_string_equal(m.author_kind, "agent");
    assert_true(uuid_eq(m.author_id, cast.id[ALICE]));
    assert_true(m.is_pinned);
    assert_int_equal(m.version, 1);
    assert_int_equal(m.occurrences, 1);
    assert_int_equal(m.created_at.us, test.now.us);
    assert_true(fabs(m.decay_rate - M_LN2 / 365) < 1e-12);
    assert_memory_equal(m.content_hash.p, n.content_hash.p, NODE_HASH);
    assert_int_equal(test_number("SELECT COUNT(*) FROM audit_event WHERE kind = 'node.create'"), 1);
    assert_int_equal(test_number("SELECT COUNT(*) FROM audit_event WHERE kind = 'node.create' AND is_news"), 1);
}

/* What a node does not say stays at the defaults of the table; whatever one thing it says is kept. */
static void each_thing_that_is_said_is_kept(void **state)
{
    struct node_new said[] = {
        {NODE_NEW_DEFAULTS, .title = "plain"},
        {NODE_NEW_DEFAULTS, .title = "with attrs"},
        {NODE_NEW_DEFAULTS, .title = "x", .status = "draft"},
        {NODE_NEW_DEFAULTS, .title = "x", .is_pinned = true},
        {NODE_NEW_DEFAULTS, .title = "x", .source_kind = "tool"},
        {NODE_NEW_DEFAULTS, .title = "x", .source_id = "17"},
        {NODE_NEW_DEFAULTS, .title = "x", .surprise = 0.25},
        {NODE_NEW_DEFAULTS, .title = "x", .valid_from = {1000000}},
        {NODE_NEW_DEFAULTS, .title = "x", .valid_to = {2000000}},
        {NODE_NEW_DEFAULTS, .title = "x", .expires_at = {test.now.us + DAY_US}},
        {.title = "x", .importance = 0.25, .confidence = 1, .trust = 0.5, .decay_rate = -1},
        {.title = "x", .importance = 0.5, .confidence = 0.25, .trust = 0.5, .decay_rate = -1},
        {.title = "x", .importance = 0.5, .confidence = 1, .trust = 0.25, .decay_rate = -1},
        {.title = "x", .importance = 0.5, .confidence = 1, .trust = 0.5, .decay_rate = 0.25},
    };

    (void)state;
    act(ALICE);
    said[1].attrs = test_json("{\"a\":1}"); /* of the request that has just begun */
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        struct node_new in = said[i];
        struct node n, m;

        in.space_id = cast.own_space[ALICE];
        in.kind = "note";
        OK(node_create(&test, &in, &n));
        OK(node_get(&test, n.id, &m));
        assert_string_equal(m.title, in.title);
        assert_string_equal(m.body, "");
        assert_string_equal(json_text(test.arena, m.attrs), in.attrs ? "{\"a\":1}" : "{}");
        assert_string_equal(m.status, in.status ? in.status : "active");
        assert_string_equal(m.source_kind ? m.source_kind : "", in.source_kind ? in.source_kind : "");
        assert_string_equal(m.source_id ? m.source_id : "", in.source_id ? in.source_id : "");
        assert_int_equal(m.is_pinned, in.is_pinned);
        assert_true(fabs(m.importance - in.importance) < 1e-9 && fabs(m.confidence - in.confidence) < 1e-9);
        assert_true(fabs(m.trust - in.trust) < 1e-9 && fabs(m.surprise - in.surprise) < 1e-9);
        assert_true(fabs(m.decay_rate - n.decay_rate) < 1e-12);
        assert_int_equal(m.valid_from.us, in.valid_from.us);
        assert_int_equal(m.valid_to.us, in.valid_to.us);
        assert_int_equal(m.expires_at.us, in.expires_at.us);
        assert_int_equal(m.tokens, n.tokens);
        assert_int_equal(m.decayed_at.us, test.now.us);
        assert_int_equal(m.updated_at.us, test.now.us);
        assert_true(m.version == 1 && m.occurrences == 1 && m.access_count == 0 && m.referenced_count == 0);
        assert_true(uuid_is_nil(m.previous_id) && uuid_is_nil(m.superseded_by) && !m.archived_at.us && !m.forgotten_at.us);
    }
}

static void what_is_wrong_is_named_and_nothing_is_written(void **state)
{
    struct node_new in = {NODE_NEW_DEFAULTS, .kind = "note", .title = "x"};
    struct node n;
    int64_t before;

    (void)state;
    act(ALICE);
    before = test_number("SELECT COUNT(*) FROM node");
    in.space_id = cast.own_space[ALICE];
    in.kind = "nonsense";
    assert_string_equal(FAILS(node_create(&test, &in, &n), ERR_INVALID), "/kind");
    in.kind = "note";
    in.title = NULL;
    assert_string_equal(FAILS(node_create(&test, &in, &n), ERR_INVALID), "/body");
    in.body = test_text_of(256 * 1024 + 1);
    assert_string_equal(FAILS(node_create(&test, &in, &n), ERR_INVALID), "/body");
    in.body = test_text_of(256 * 1024);
    in.title = test_text_of(501);
    assert_string_equal(FAILS(node_create(&test, &in, &n), ERR_INVALID), "/title");
    in.title = test_text_of(500);
    in.importance = 1.01;
    assert_string_equal(FAILS(node_create(&test, &in, &n), ERR_INVALID), "/importance");
    in.importance = NAN;
    assert_string_equal(FAILS(node_create(&test, &in, &n), ERR_INVALID), "/importance");
    in.importance = 1;
    in.expires_at = test.now;
    assert_string_equal(FAILS(node_create(&test, &in, &n), ERR_INVALID), "/expires_at");
    in.expires_at.us = 0;
    in.valid_from.us = 20;
    in.valid_to.us = 10;
    assert_string_equal(FAILS(node_create(&test, &in, &n), ERR_INVALID), "/valid_to");
    in.valid_to.us = 0;
    assert_int_equal(test_number("SELECT COUNT(*) FROM node"), before);
    OK(node_create(&test, &in, &n));
    FAILS(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .id = n.id, .space_id = cast.own_space[ALICE], .kind = "note",
                                                .title = "again"}, &n), ERR_CONFLICT);
}

static void others_do_not_even_see_that_it_is_there(void **state)
{
    struct node n, m;
    struct node_brief b;
    struct page p;

    (void)state;
    act(ALICE);
    n = note(cast.own_space[ALICE], "secret", "");
    for (enum actor a = OWNER; a < ACTORS; a++) {
        if (a == ALICE)
            continue;
        act(a);
        FAILS(node_get(&test, n.id, &m), ERR_NOT_FOUND);
        FAILS(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "mine"}, &m), ERR_NOT_FOUND);
        FAILS(node_forget(&test, n.id, 0), ERR_NOT_FOUND);
        FAILS(node_restore(&test, n.id, &m), ERR_NOT_FOUND);
        FAILS(node_versions(&test, n.id, false, 10, NULL, &p), ERR_NOT_FOUND);
        FAILS(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = "note",
                                                    .title = "x"}, &m), ERR_NOT_FOUND);
        FAILS(node_list(&test, &(struct node_filter){.space_id = cast.own_space[ALICE], .limit = 5}, &p), ERR_NOT_FOUND);
        OK(node_list(&test, &(struct node_filter){.limit = 100}, &p));
        assert_int_equal(p.n, 0);
        OK(node_briefs(&test, &n.id, 1, &b));
        assert_true(uuid_is_nil(b.id));
    }
}

static void content_that_changes_leaves_a_version_behind(void **state)
{
    struct node n, m, old;
    struct page p;

    (void)state;
    act(ALICE);
    n = note(cast.own_space[ALICE], "one", "first");
    for (int i = 2; i <= 4; i++) {
        act(ALICE);
        OK(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_BODY, .body = arena_printf(test.arena, "body %d", i)}, &m));
        assert_true(m.changed);
        assert_int_equal(m.version, i);
    }
    act(ALICE);
    OK(node_versions(&test, n.id, true, 2, NULL, &p));
    assert_int_equal(p.n, 2);
    assert_true(p.has_more);
    assert_string_equal(((struct node *)p.items)[0].body, "body 3");
    assert_string_equal(((struct node *)p.items)[0].status, "version");
    assert_true(uuid_eq(((struct node *)p.items)[0].id, m.previous_id));
    OK(node_versions(&test, n.id, true, 2, p.next_cursor, &p));
    assert_int_equal(p.n, 1);
    assert_false(p.has_more);
    old = ((struct node *)p.items)[0];
    assert_string_equal(old.body, "first");
    assert_int_equal(old.version, 1);
    assert_true(uuid_eq(old.superseded_by, n.id));
    OK(node_get(&test, old.id, &m));
    assert_string_equal(m.body, "first");
    FAILS(node_update(&test, old.id, &(struct node_patch){.set = NODE_SET_BODY, .body = "forged"}, &m), ERR_CONFLICT);
    FAILS(node_forget(&test, old.id, 0), ERR_CONFLICT);
    OK(node_list(&test, &(struct node_filter){.space_id = cast.own_space[ALICE], .q = "one", .limit = 50}, &p));
    assert_int_equal(p.n, 1);
    FAILS(node_list(&test, &(struct node_filter){.status = "version", .limit = 50}, &p), ERR_INVALID);
}

static void equal_content_is_no_change(void **state)
{
    struct node n, m;

    (void)state;
    act(ALICE);
    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = "note", .title = "same",
                                             .attrs = test_json("{\"a\":1,\"b\":{\"c\":2}}")}, &n));
    OK(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_TITLE | NODE_SET_ATTRS, .title = "same",
                                                     .attrs = test_json("{\"b\":{\"c\":2.0},\"a\":1}")}, &m));
    assert_false(m.changed);
    assert_int_equal(m.version, 1);
    OK(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_CONFIDENCE, .confidence = 0.25}, &m));
    assert_false(m.changed);
    assert_int_equal(m.version, 2);
    assert_true(uuid_is_nil(m.previous_id));
    OK(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_ATTRS, .attrs = test_json("{\"a\":null,\"d\":4}")}, &m));
    assert_true(m.changed);
    OK(node_get(&test, n.id, &m));
    assert_true(json_equal(test_json(m.attrs->s), test_json("{\"b\":{\"c\":2},\"d\":4}")));
}

static void a_stale_version_is_refused(void **state)
{
    struct node n, m;

    (void)state;
    act(ALICE);
    n = note(cast.own_space[ALICE], "v", "");
    OK(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "w", .if_version = 1}, &m));
    assert_int_equal(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "x", .if_version = 1}, &m),
                     ERR_PRECONDITION);
    assert_int_equal(test.fault.current_version, 2);
    ctx_forgive(&test);
    FAILS(node_archive(&test, n.id, 1, &m), ERR_PRECONDITION);
    FAILS(node_forget(&test, n.id, 1), ERR_PRECONDITION);
    OK(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "x", .if_version = -1}, &m));
}

static void archived_is_out_of_the_way_and_read_only(void **state)
{
    struct node n, m;
    struct page p;

    (void)state;
    act(ALICE);
    n = note(cast.own_space[ALICE], "archivable", "");
    OK(node_archive(&test, n.id, 0, &m));
    assert_int_equal(m.version, 2);
    assert_string_equal(m.status, "archived");
    OK(node_archive(&test, n.id, 0, &m));
    assert_int_equal(m.version, 2);
    FAILS(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "x"}, &m), ERR_CONFLICT);
    FAILS(node_pin(&test, n.id, true, &m), ERR_CONFLICT);
    OK(node_get(&test, n.id, &m));
    OK(node_list(&test, &(struct node_filter){.q = "archivable", .limit = 9}, &p));
    assert_int_equal(p.n, 0);
    OK(node_list(&test, &(struct node_filter){.q = "archivable", .include_archived = true, .limit = 9}, &p));
    assert_int_equal(p.n, 1);
    OK(node_list(&test, &(struct node_filter){.q = "archivable", .status = "archived", .limit = 9}, &p));
    assert_int_equal(p.n, 1);
    OK(node_unarchive(&test, n.id, 0, &m));
    assert_string_equal(m.status, "active");
    assert_int_equal(m.archived_at.us, 0);
}

static void forgotten_is_gone_until_it_is_restored(void **state)
{
    struct node n, m;
    struct page p;

    (void)state;
    act(ALICE);
    n = note(cast.own_space[ALICE], "forgettable", "");
    OK(node_forget(&test, n.id, 0));
    FAILS(node_get(&test, n.id, &m), ERR_NOT_FOUND);
    FAILS(node_forget(&test, n.id, 0), ERR_NOT_FOUND);
    FAILS(node_archive(&test, n.id, 0, &m), ERR_NOT_FOUND);
    OK(node_list(&test, &(struct node_filter){.q = "forgettable", .include_archived = true, .limit = 9}, &p));
    assert_int_equal(p.n, 0);
    OK(node_list(&test, &(struct node_filter){.q = "forgettable", .status = "forgotten", .limit = 9}, &p));
    assert_int_equal(p.n, 1);
    OK(node_restore(&test, n.id, &m));
    OK(node_restore(&test, n.id, &m));
    assert_int_equal(m.version, 3);
    OK(node_get(&test, n.id, &m));
}

static void what_expired_is_gone(void **state)
{
    struct node n, m;
    struct page p;

    (void)state;
    act(ALICE);
    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = "note", .title = "fleeting",
                                             .expires_at = {test.now.us + DAY_US / 2}}, &n));
    OK(node_get(&test, n.id, &m));
    days_pass(1);
    act(ALICE);
    FAILS(node_get(&test, n.id, &m), ERR_NOT_FOUND);
    OK(node_list(&test, &(struct node_filter){.q = "fleeting", .limit = 9}, &p));
    assert_int_equal(p.n, 0);
}

static void pages_follow_each_other_and_patterns_mean_themselves(void **state)
{
    const char *cursor = NULL;
    struct page p;
    int seen = 0, rounds = 0;

    (void)state;
    act(BOB);
    for (int i = 0; i < 7; i++)
        note(cast.own_space[BOB], arena_printf(test.arena, "Page_%d 100%%", i), test_text_of(400));
    do {
        OK(node_list(&test, &(struct node_filter){.space_id = cast.own_space[BOB], .q = "page_", .limit = 3, .cursor = cursor}, &p));
        for (size_t i = 0; i < p.n; i++) {
            struct node *n = &((struct node *)p.items)[i];

            assert_string_equal(n->title, arena_printf(test.arena, "Page_%d 100%%", 6 - seen++));
            assert_null(n->body);
            assert_int_equal(strlen(n->excerpt), 300);
        }
        cursor = p.next_cursor;
        rounds++;
    } while (p.has_more);
    assert_int_equal(seen, 7);
    assert_int_equal(rounds, 3);
    OK(node_list(&test, &(struct node_filter){.q = "page%", .limit = 50}, &p));
    assert_int_equal(p.n, 0);
    OK(node_list(&test, &(struct node_filter){.q = "0%", .limit = 50, .with_body = true}, &p));
    assert_int_equal(p.n, 7);
    assert_int_equal(strlen(((struct node *)p.items)[0].body), 400);
    FAILS(node_list(&test, &(struct node_filter){.limit = 3, .cursor = "nonsense"}, &p), ERR_INVALID);
}

static void scores_fade_and_a_pin_stops_it(void **state)
{
    struct node n, m;
    double faded;

    (void)state;
    act(ALICE);
    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = "episode", .title = "fades"},
                   &n));
    days_pass(7);
    act(ALICE);
    OK(node_get(&test, n.id, &m));
    assert_true(fabs(m.importance_score - 0.25) < 0.001);
    assert_true(m.importance == 0.5);
    OK(node_pin(&test, n.id, true, &m));
    faded = m.importance_score;
    days_pass(30);
    act(ALICE);
    OK(node_get(&test, n.id, &m));
    assert_true(m.importance_score == faded);
    OK(node_pin(&test, n.id, false, &m));
    assert_true(m.importance_score == faded);
    OK(node_boost(&test, n.id, 0.1, &m));
    assert_true(fabs(m.importance_score - faded - 0.1) < 0.001);
    OK(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_IMPORTANCE, .importance = 0.9}, &m));
    assert_true(m.importance_score == 0.9);
}

static void uses_are_gathered_and_settled(void **state)
{
    struct node n, m, k;
    struct uuid ids[3];

    (void)state;
    act(ALICE);
    n = note(cast.own_space[ALICE], "used", "");
    k = note(cast.own_space[ALICE], "used too", "");
    ids[0] = ids[1] = n.id;
    ids[2] = k.id;
    node_touch(&test, ids, 3);
    OK(node_get(&test, n.id, &m));
    assert_int_equal(m.access_count, 0);
    act(BOB);
    node_touch(&test, &(struct uuid){{1}}, 1); /* no such node: nothing happens */
    OK(node_touch_flush(&test));
    act(ALICE);
    OK(node_get(&test, n.id, &m));
    assert_int_equal(m.access_count, 2);
    assert_int_equal(m.version, 1);
    assert_int_equal(m.updated_at.us, n.updated_at.us);
    assert_true(fabs(m.importance - 0.525) < 1e-6);
    OK(node_get(&test, k.id, &m));
    assert_int_equal(m.access_count, 1);
    node_touch(&test, ids, 1);
    OK(node_touch_flush(&test));
    OK(node_get(&test, n.id, &m));
    assert_int_equal(m.access_count, 3);
    assert_true(fabs(m.importance - 0.525) < 1e-4); /* one boost a day */
    OK(node_touch_flush(&test));
}

/* Between a use and its flush somebody says what the node matters: that stands, and the last use is when it was. */
static void what_is_set_after_a_use_stands(void **state)
{
    struct node n, other, m;
    struct instant used;

    (void)state;
    act(ALICE);
    n = note(cast.own_space[ALICE], "lowered", "");
    other = note(cast.own_space[ALICE], "left alone", "");
    used = test.now = (struct instant){other.created_at.us + 1000};
    node_touch(&test, (struct uuid[]){n.id, other.id}, 2);
    test.now.us += 1000;
    OK(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_IMPORTANCE, .importance = 0.03}, &m));
    test.now.us += 1000;
    OK(node_touch_flush(&test));
    OK(node_get(&test, n.id, &m));
    assert_true(m.importance == 0.03);
    assert_int_equal(m.access_count, 1);
    assert_int_equal(m.last_access_at.us, used.us);
    OK(node_get(&test, other.id, &m));
    assert_true(fabs(m.importance - 0.525) < 1e-6);
    assert_int_equal(m.last_access_at.us, used.us);
}

static void many_at_once_are_all_or_none(void **state)
{
    struct node_new in[250];
    struct uuid ids[250];
    struct node m;
    int64_t before;

    (void)state;
    act(BOB);
    for (int i = 0; i < 250; i++)
        in[i] = (struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[BOB], .kind = "entity",
                                  .title = arena_printf(test.arena, "many %d", i)};
    OK(node_create_many(&test, in, 250, ids, NULL));
    OK(node_get(&test, ids[249], &m));
    assert_string_equal(m.title, "many 249");
    before = test_number("SELECT COUNT(*) FROM node");
    in[17].id = ids[3];
    FAILS(node_create_many(&test, in, 250, ids, NULL), ERR_CONFLICT);
    in[17].id = (struct uuid){{0}};
    in[99].kind = "nonsense";
    FAILS(node_create_many(&test, in, 250, ids, NULL), ERR_INVALID);
    assert_int_equal(test_number("SELECT COUNT(*) FROM node"), before);
    assert_int_equal(test_number("SELECT COUNT(*) FROM audit_event a JOIN node n ON n.id = a.subject_id WHERE n.title LIKE 'many %'"), 250);
}

static void counts_are_of_what_one_can_read(void **state)
{
    struct node_stats s;
    struct node n;

    (void)state;
    act(STRANGER);
    n = note(cast.own_space[STRANGER], "a", "");
    note(cast.own_space[STRANGER], "b", "");
    OK(node_archive(&test, n.id, 0, &n));
    OK(node_stats(&test, &s));
    assert_int_equal(s.nodes, 2);
    assert_int_equal(s.archived, 1);
    assert_int_equal(s.kinds.n, 1);
    assert_string_equal(((struct node_count *)s.kinds.v)[0].kind, "note");
}

#define WEEK 7

/* Of all kinds. */
static void count_days(struct instant first, struct timeline_day out[WEEK])
{
    struct list kinds;

    memset(out, 0, WEEK * sizeof *out);
    OK(timeline_kinds(&test, first, WEEK, &kinds));
    for (size_t i = 0; i < kinds.n; i++)
        for (int d = 0; d < WEEK; d++) {
            out[d].captured += ((struct timeline_kind *)kinds.v)[i].days[d].captured;
            out[d].derived += ((struct timeline_kind *)kinds.v)[i].days[d].derived;
        }
}

static void days_are_counted_as_captured_and_derived(void **state)
{
    struct instant first;
    struct timeline_day was[WEEK], made[WEEK];
    struct node source, n;
    bool derived[2];

    (void)state;
    within_day();
    act(STRANGER);
    first.us = test.now.us - test.now.us % DAY_US;
    count_days(first, was);
    source = note(cast.own_space[STRANGER], "on the first day", "");
    days_pass(3);
    act(ALICE);
    note(cast.own_space[ALICE], "of somebody else", "");
    act(STRANGER);
    n = note(cast.own_space[STRANGER], "made from it", "");
    OK(edge_create(&test, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = n.id, .target_id = source.id, .relation = "DERIVED_FROM"},
                   &(struct edge){0}));
    OK(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_BODY, .body = "a version is not another node"}, &n));
    count_days(first, made);
    assert_int_equal(made[0].captured, was[0].captured + 1);
    assert_int_equal(made[0].derived, was[0].derived);
    assert_int_equal(made[2].captured + made[2].derived, 0);
    assert_int_equal(made[3].captured, 0);
    assert_int_equal(made[3].derived, 1);
    OK(timeline_derived(&test, (struct uuid[]){source.id, n.id}, 2, derived));
    assert_false(derived[0]);
    assert_true(derived[1]);
    count_days((struct instant){first.us + WEEK * DAY_US}, made);
    for (int i = 0; i < WEEK; i++)
        assert_int_equal(made[i].captured + made[i].derived, 0);
}

static void a_list_is_of_those_days_alone(void **state)
{
    struct instant day;
    struct page page;
    struct node n;

    (void)state;
    within_day();
    act(STRANGER);
    days_pass(20);
    act(STRANGER);
    note(cast.own_space[STRANGER], "the day before", "");
    days_pass(1);
    act(STRANGER);
    day.us = test.now.us - test.now.us % DAY_US;
    n = note(cast.own_space[STRANGER], "on the day", "");
    days_pass(1);
    act(STRANGER);
    note(cast.own_space[STRANGER], "the day after", "");
    OK(node_list(&test, &(struct node_filter){.made_from = day, .made_to = {day.us + DAY_US}, .limit = 10}, &page));
    assert_int_equal(page.n, 1);
    assert_true(uuid_eq(((struct node *)page.items)->id, n.id));
}

static void content_never_enters_the_trail(void **state)
{
    struct node n, m;

    (void)state;
    act(ALICE);
    n = note(cast.own_space[ALICE], "Zebrafinkentitel", "Zebrafinkentext");
    OK(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_BODY, .body = "Zebrafinkenrest"}, &m));
    OK(node_forget(&test, n.id, 0));
    assert_int_equal(test_number("SELECT COUNT(*) FROM audit_event WHERE CONCAT_WS(' ', before_state, after_state, payload) LIKE '%Zebra%'"), 0);
    assert_int_equal(test_number("SELECT COUNT(*) FROM audit_event WHERE kind LIKE 'node.%' AND is_news = 0"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_comes_back_as_it_was_written),
        cmocka_unit_test(each_thing_that_is_said_is_kept),
        cmocka_unit_test(what_is_wrong_is_named_and_nothing_is_written),
        cmocka_unit_test(others_do_not_even_see_that_it_is_there),
        cmocka_unit_test(content_that_changes_leaves_a_version_behind),
        cmocka_unit_test(equal_content_is_no_change),
        cmocka_unit_test(a_stale_version_is_refused),
        cmocka_unit_test(archived_is_out_of_the_way_and_read_only),
        cmocka_unit_test(forgotten_is_gone_until_it_is_restored),
        cmocka_unit_test(what_expired_is_gone),
        cmocka_unit_test(pages_follow_each_other_and_patterns_mean_themselves),
        cmocka_unit_test(scores_fade_and_a_pin_stops_it),
        cmocka_unit_test(uses_are_gathered_and_settled),
        cmocka_unit_test(what_is_set_after_a_use_stands),
        cmocka_unit_test(many_at_once_are_all_or_none),
        cmocka_unit_test(counts_are_of_what_one_can_read),
        cmocka_unit_test(days_are_counted_as_captured_and_derived),
        cmocka_unit_test(a_list_is_of_those_days_alone),
        cmocka_unit_test(content_never_enters_the_trail),
    };

    return cmocka_run_group_tests_name("node", tests, graph_group_begins, graph_group_ends);
}
