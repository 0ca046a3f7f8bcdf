/* Edges: who may join what, the two clocks, and what stays invisible. */
#include "graphtest.h"

#include "edge.h"
#include "grant.h"
#include "node.h"
#include "space.h"

static struct uuid a_node(struct uuid space, const char *kind, const char *title)
{
    struct node n;

    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = space, .kind = kind, .title = title}, &n));
    return n.id;
}

static err join(struct uuid a, struct uuid b, const char *relation, struct edge *out)
{
    return edge_create(&test, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = a, .target_id = b, .relation = relation}, out);
}

static size_t count(struct edge_filter f)
{
    struct page p;

    f.limit = 100;
    OK(edge_list(&test, &f, &p));
    return p.n;
}

static void an_edge_comes_back_as_it_was_written(void **state)
{
    struct uuid a, b;
    struct edge e, f;
    struct node n;

    (void)state;
    act(ALICE);
    a = a_node(cast.own_space[ALICE], "note", "a");
    b = a_node(cast.own_space[ALICE], "note", "b");
    OK(edge_create(&test, &(struct edge_new){.source_id = a, .target_id = b, .relation = "derived_FROM", .weight = 0.25, .confidence = 0.5,
                                             .metadata = test_json("{\"spans\":[1,2]}"), .valid_from = {DAY_US}}, &e));
    assert_string_equal(e.relation, "DERIVED_FROM");
    OK(edge_get(&test, e.id, &f));
    assert_true(uuid_eq(f.source_id, a) && uuid_eq(f.target_id, b));
    assert_true(f.weight == 0.25 && f.confidence == 0.5);
    assert_string_equal(f.metadata->s, "{\"spans\":[1,2]}");
    assert_int_equal(f.valid_from.us, DAY_US);
    assert_int_equal(f.recorded_at.us, test.now.us);
    OK(node_get(&test, b, &n));
    assert_int_equal(n.referenced_count, 1);
    FAILS(join(a, b, "Derived_From", &e), ERR_CONFLICT);
    OK(join(b, a, "DERIVED_FROM", &e));
    OK(join(a, b, "similar_to", &e));
    assert_true(e.bidirectional);
    OK(join(a, b, "quotes", &e)); /* a free one */
}

static void what_cannot_be_joined_is_named(void **state)
{
    struct uuid a, b, entity;
    struct edge e;

    (void)state;
    act(ALICE);
    a = a_node(cast.own_space[ALICE], "note", "a");
    b = a_node(cast.own_space[ALICE], "note", "b");
    entity = a_node(cast.own_space[ALICE], "entity", "e");
    assert_string_equal(FAILS(join(a, a, "CONTRADICTS", &e), ERR_INVALID), "/target_id");
    assert_string_equal(FAILS(join(a, b, "Not A Relation", &e), ERR_INVALID), "/relation");
    FAILS(join(a, entity, "MENTIONS", &e), ERR_CONFLICT);
    FAILS(join(a, b, "RECENT_IN", &e), ERR_CONFLICT);
    assert_string_equal(FAILS(join(entity, b, "RELATES_TO", &e), ERR_INVALID), "/source_id");
    assert_string_equal(FAILS(join(a, entity, "RELATES_TO", &e), ERR_INVALID), "/target_id");
    FAILS(join(a, (struct uuid){{9}}, "RELATES_TO", &e), ERR_NOT_FOUND);
    assert_string_equal(FAILS(edge_create(&test, &(struct edge_new){.source_id = a, .target_id = b, .relation = "uses", .weight = 1.5}, &e),
                              ERR_INVALID), "/weight");
    assert_string_equal(FAILS(edge_create(&test, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = a, .target_id = b, .relation = "uses",
                                                                    .valid_from = {20}, .valid_to = {10}}, &e), ERR_INVALID), "/valid_to");
}

static void both_ends_must_be_readable(void **state)
{
    struct uuid mine, hers;
    struct edge e, f;
    struct space shared;
    struct grant g;

    (void)state;
    act(BOB);
    hers = a_node(cast.own_space[BOB], "note", "bob's");
    act(ALICE);
    mine = a_node(cast.own_space[ALICE], "note", "alice's");
    FAILS(join(mine, hers, "CONTRADICTS", &e), ERR_NOT_FOUND);
    FAILS(join(hers, mine, "CONTRADICTS", &e), ERR_NOT_FOUND);
    OK(space_create(&test, &(struct space){.kind = SPACE_CONTEXT, .name = "s", .slug = "edges"}, &shared));
    OK(grant_add(&test, &(struct grant){.space_id = shared.id, .grantee_kind = GRANTEE_AGENT, .level = ACCESS_READ,
                                            .grantee_id = arena_strdup(test.arena, UUID_STR(cast.id[BOB]))}, &g));
    hers = a_node(shared.id, "note", "shared");
    OK(join(mine, hers, "CONTRADICTS", &e));
    act(BOB);
    FAILS(edge_get(&test, e.id, &f), ERR_NOT_FOUND);
    FAILS(edge_retire(&test, e.id, 0), ERR_NOT_FOUND);
    assert_int_equal(count((struct edge_filter){.node_id = hers}), 0);
    assert_int_equal(count((struct edge_filter){0}), 0);
    mine = a_node(cast.own_space[BOB], "note", "bob's own");
    OK(join(mine, hers, "CONTRADICTS", &e)); /* reading the target is enough */
    FAILS(join(hers, mine, "CONTRADICTS", &e), ERR_FORBIDDEN);
    assert_int_equal(count((struct edge_filter){.node_id = hers}), 1);
    act(ALICE);
    assert_int_equal(count((struct edge_filter){.node_id = hers}), 1); /* hers, not Bob's */
    act(STRANGER);
    FAILS(edge_get(&test, e.id, &f), ERR_NOT_FOUND);
}

static void lists_look_in_the_direction_asked_for(void **state)
{
    struct uuid hub, n[3];
    struct edge e;
    struct page p;

    (void)state;
    act(BOB);
    hub = a_node(cast.own_space[BOB], "note", "hub");
    for (int i = 0; i < 3; i++) {
        n[i] = a_node(cast.own_space[BOB], "note", "spoke");
        OK(join(hub, n[i], "uses", &e));
    }
    OK(join(n[0], hub, "CONTRADICTS", &e));
    assert_int_equal(count((struct edge_filter){.node_id = hub}), 4);
    assert_int_equal(count((struct edge_filter){.node_id = hub, .direction = EDGE_OUTWARD}), 3);
    assert_int_equal(count((struct edge_filter){.node_id = hub, .direction = EDGE_INWARD}), 1);
    assert_int_equal(count((struct edge_filter){.node_id = hub, .relation = "contradicts"}), 1);
    assert_int_equal(count((struct edge_filter){.node_id = n[0]}), 2);
    OK(edge_list(&test, &(struct edge_filter){.node_id = hub, .limit = 3}, &p));
    assert_true(p.has_more);
    OK(edge_list(&test, &(struct edge_filter){.node_id = hub, .limit = 3, .cursor = p.next_cursor}, &p));
    assert_int_equal(p.n, 1);
    OK(node_forget(&test, n[2], 0));
    assert_int_equal(count((struct edge_filter){.node_id = hub}), 3);
}

static void changes_are_versions_and_retiring_is_history(void **state)
{
    struct uuid a, b;
    struct edge e, f;
    struct instant before;

    (void)state;
    act(ALICE);
    a = a_node(cast.own_space[ALICE], "note", "a");
    b = a_node(cast.own_space[ALICE], "note", "b");
    OK(join(a, b, "precedes", &e));
    OK(edge_update(&test, e.id, &(struct edge_patch){.set = EDGE_SET_WEIGHT | EDGE_SET_METADATA, .weight = 0.1, .if_version = 1,
                                                     .metadata = test_json("{\"x\":1}")}, &f));
    assert_int_equal(f.version, 2);
    FAILS(edge_update(&test, e.id, &(struct edge_patch){.set = EDGE_SET_WEIGHT, .weight = 0.2, .if_version = 1}, &f), ERR_PRECONDITION);
    OK(edge_update(&test, e.id, &(struct edge_patch){.set = EDGE_SET_STATUS, .status = EDGE_ARCHIVED}, &f));
    assert_int_equal(count((struct edge_filter){.node_id = a}), 0);
    assert_int_equal(count((struct edge_filter){.node_id = a, .include_archived = true}), 1);
    OK(edge_update(&test, e.id, &(struct edge_patch){.set = EDGE_SET_STATUS, .status = EDGE_ACTIVE}, &f));
    before = test.now;
    days_pass(1);
    act(ALICE);
    OK(edge_retire(&test, e.id, 0));
    FAILS(edge_retire(&test, e.id, 0), ERR_CONFLICT);
    FAILS(edge_update(&test, e.id, &(struct edge_patch){.set = EDGE_SET_WEIGHT, .weight = 0.2}, &f), ERR_CONFLICT);
    OK(edge_get(&test, e.id, &f));
    assert_int_equal(f.retired_at.us, test.now.us);
    assert_int_equal(count((struct edge_filter){.node_id = a}), 0);
    before.us += 1;
    assert_int_equal(count((struct edge_filter){.node_id = a, .as_known_at = before}), 1);
    OK(join(a, b, "precedes", &f)); /* the live triple is free again */
    assert_int_equal(count((struct edge_filter){.node_id = a}), 1);
}

static void what_holds_in_the_world_has_its_own_clock(void **state)
{
    struct uuid a, b;
    struct edge e;

    (void)state;
    act(ALICE);
    a = a_node(cast.own_space[ALICE], "note", "a");
    b = a_node(cast.own_space[ALICE], "note", "b");
    OK(edge_create(&test, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = a, .target_id = b, .relation = "located_in",
                                             .valid_from = {10 * DAY_US}, .valid_to = {20 * DAY_US}}, &e));
    assert_int_equal(count((struct edge_filter){.node_id = a, .as_of = {9 * DAY_US}}), 0);
    assert_int_equal(count((struct edge_filter){.node_id = a, .as_of = {10 * DAY_US}}), 1);
    assert_int_equal(count((struct edge_filter){.node_id = a, .as_of = {20 * DAY_US}}), 0);
    assert_int_equal(count((struct edge_filter){.node_id = a}), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_comes_back_as_it_was_written),
        cmocka_unit_test(what_cannot_be_joined_is_named),
        cmocka_unit_test(both_ends_must_be_readable),
        cmocka_unit_test(lists_look_in_the_direction_asked_for),
        cmocka_unit_test(changes_are_versions_and_retiring_is_history),
        cmocka_unit_test(what_holds_in_the_world_has_its_own_clock),
    };

    return cmocka_run_group_tests_name("edge", tests, graph_group_begins, graph_group_ends);
}
