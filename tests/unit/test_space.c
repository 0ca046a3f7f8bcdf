/* Spaces and grants: who makes them, who sees them, who may let others in. */
#include "graphtest.h"

#include "agent.h"
#include "grant.h"
#include "node.h"
#include "space.h"
#include "team.h"
#include "user.h"

#define GIVEN_LEVEL {.bits[offsetof(struct grant_change, level) / 64] = (uint64_t)1 << (offsetof(struct grant_change, level) % 64)}

static struct space made(const char *slug)
{
    struct space s;

    OK(space_create(&test, &(struct space){.kind = SPACE_CONTEXT, .name = "A space", .slug = slug}, &s));
    return s;
}

static const char *text(struct uuid id)
{
    return arena_strdup(test.arena, UUID_STR(id));
}

static err grant_to(struct uuid space, enum grantee_kind kind, const char *id, enum access_level level, struct grant *out)
{
    return grant_add(&test, &(struct grant){.space_id = space, .grantee_kind = kind, .grantee_id = id, .level = level}, out);
}

static void namespaces_come_with_accounts_and_agents(void **state)
{
    struct space s;

    (void)state;
    act(ALICE);
    OK(space_by_slug(&test, SPACE_NAMESPACE, "global", &s));
    assert_int_equal(s.access, ACCESS_READ);
    FAILS(space_by_slug(&test, SPACE_NAMESPACE, "system", &s), ERR_NOT_FOUND);
    OK(space_get(&test, cast.own_space[ALICE], &s));
    assert_int_equal(s.access, ACCESS_MANAGE);
    assert_true(uuid_eq(s.owner_agent_id, cast.id[ALICE]));
    FAILS(space_delete(&test, s.id, 0), ERR_CONFLICT);
    FAILS(space_archive(&test, s.id, 0, &s), ERR_CONFLICT);
    assert_string_equal(FAILS(space_update(&test, CHANGE_OF(struct space_change, cast.own_space[ALICE], slug, "x"), &s),
                              ERR_INVALID), "/slug");
    OK(space_update(&test, CHANGE_OF(struct space_change, cast.own_space[ALICE], name, "Mine"), &s));
    assert_string_equal(FAILS(space_create(&test, &(struct space){.kind = SPACE_NAMESPACE, .name = "x", .slug = "x"}, &s),
                              ERR_INVALID), "/kind");
    act(OWNER);
    OK(space_by_slug(&test, SPACE_NAMESPACE, "global", &s));
    assert_int_equal(s.access, ACCESS_MANAGE);
    FAILS(space_get(&test, cast.own_space[ALICE], &s), ERR_NOT_FOUND);
    assert_string_equal(FAILS(space_own(&test, &s.id), ERR_INVALID), "/space_id");
}

static void who_makes_a_space_manages_it(void **state)
{
    struct space s, t;
    struct page p;

    (void)state;
    act(ALICE);
    s = made("alices");
    assert_int_equal(s.access, ACCESS_MANAGE);
    assert_true(uuid_eq(s.owner_agent_id, cast.id[ALICE]));
    OK(space_get(&test, s.id, &t)); /* in the same request */
    act(ALICE);
    OK(space_get(&test, s.id, &t));
    assert_int_equal(t.access, ACCESS_MANAGE);
    FAILS(space_create(&test, &(struct space){.kind = SPACE_CONTEXT, .name = "x", .slug = "alices"}, &t), ERR_CONFLICT);
    OK(space_create(&test, &(struct space){.kind = SPACE_DOMAIN, .name = "x", .slug = "alices"}, &t));
    OK(space_create(&test, &(struct space){.kind = SPACE_DOMAIN, .name = "no slug"}, &t));
    act(EDITOR);
    FAILS(space_get(&test, s.id, &t), ERR_NOT_FOUND);
    t = made("editors");
    assert_true(uuid_is_nil(t.owner_agent_id));
    OK(grant_list(&test, t.id, 10, NULL, &p));
    assert_int_equal(p.n, 1);
    act(STRANGER);
    FAILS(space_get(&test, s.id, &t), ERR_NOT_FOUND);
    made("alices"); /* a slug belongs to one account */
}

static void what_is_wrong_is_named(void **state)
{
    struct space in = {.kind = SPACE_CONTEXT, .name = "n", .slug = "wrong"};
    struct space s;

    (void)state;
    act(ALICE);
    in.parent_id = cast.own_space[BOB];
    assert_string_equal(FAILS(space_create(&test, &in, &s), ERR_INVALID), "/parent_id");
    in.parent_id = (struct uuid){{0}};
    in.owner_agent_id = cast.id[STRANGER];
    assert_string_equal(FAILS(space_create(&test, &in, &s), ERR_INVALID), "/owner_agent_id");
    in.owner_agent_id = cast.id[BOB];
    FAILS(space_create(&test, &in, &s), ERR_FORBIDDEN);
    in.owner_agent_id = (struct uuid){{0}};
    in.team_id = cast.id[BOB];
    assert_string_equal(FAILS(space_create(&test, &in, &s), ERR_INVALID), "/team_id");
    in.team_id = (struct uuid){{0}};
    in.slug = "Wrong";
    assert_string_equal(FAILS(space_create(&test, &in, &s), ERR_INVALID), "/slug");
    in.slug = "wrong";
    in.name = "";
    assert_string_equal(FAILS(space_create(&test, &in, &s), ERR_INVALID), "/name");
    in.name = test_text_of(256);
    assert_string_equal(FAILS(space_create(&test, &in, &s), ERR_INVALID), "/name");
    in.name = test_text_of(255);
    in.expires_at = test.now;
    assert_string_equal(FAILS(space_create(&test, &in, &s), ERR_INVALID), "/expires_at");
    in.expires_at.us = 0;
    OK(space_create(&test, &in, &s));
}

static void a_space_is_not_above_itself(void **state)
{
    struct space a, b, c;

    (void)state;
    act(ALICE);
    a = made("tree-a");
    OK(space_create(&test, &(struct space){.kind = SPACE_CONTEXT, .name = "b", .slug = "tree-b", .parent_id = a.id}, &b));
    OK(space_create(&test, &(struct space){.kind = SPACE_CONTEXT, .name = "c", .slug = "tree-c", .parent_id = b.id}, &c));
    assert_string_equal(FAILS(space_update(&test, CHANGE_OF(struct space_change, a.id, parent_id, c.id), &c),
                              ERR_INVALID), "/parent_id");
    assert_string_equal(FAILS(space_update(&test, CHANGE_OF(struct space_change, a.id, parent_id, a.id), &c),
                              ERR_INVALID), "/parent_id");
    OK(space_update(&test, CHANGE_OF(struct space_change, b.id, parent_id, (struct uuid){{0}}), &b));
    assert_true(uuid_is_nil(b.parent_id));
}

static void changes_are_merged_counted_and_matched(void **state)
{
    struct space s, t;

    (void)state;
    act(ALICE);
    s = made("change");
    OK(space_update(&test, CHANGE_OF(struct space_change, s.id, settings, test_json("{\"a\":1,\"b\":2}")), &t));
    OK(space_update(&test, CHANGE_OF(struct space_change, s.id, settings, test_json("{\"a\":null}"), .change.if_version = 2), &t));
    OK(space_get(&test, s.id, &t));
    assert_string_equal(t.settings->s, "{\"b\":2}");
    assert_int_equal(t.version, 3);
    FAILS(space_update(&test, CHANGE_OF(struct space_change, s.id, name, "x", .change.if_version = 2), &t), ERR_PRECONDITION);
    OK(space_archive(&test, s.id, 0, &t));
    FAILS(space_update(&test, CHANGE_OF(struct space_change, s.id, name, "x"), &t), ERR_CONFLICT);
    OK(space_unarchive(&test, s.id, 0, &t));
    assert_int_equal(t.version, 5);
}

static void an_archived_space_is_read_only(void **state)
{
    struct space s;
    struct node n, m;

    (void)state;
    act(ALICE);
    s = made("quiet");
    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = s.id, .kind = "note", .title = "in it"}, &n));
    OK(space_archive(&test, s.id, 0, &s));
    act(ALICE);
    OK(node_get(&test, n.id, &m));
    FAILS(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "x"}, &m), ERR_FORBIDDEN);
    FAILS(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = s.id, .kind = "note", .title = "x"}, &m), ERR_FORBIDDEN);
}

/* Those that the caller is shown as his to bring back. */
static size_t deleted_ones(void)
{
    struct page p;

    OK(space_list(&test, &(struct space_filter){.kind = -1, .status = -1, .deleted = true, .limit = 100}, &p));
    return p.n;
}

static void deleted_is_gone_for_thirty_days_at_least(void **state)
{
    struct space s, t;
    struct node n, m;

    (void)state;
    act(ALICE);
    s = made("going");
    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = s.id, .kind = "note", .title = "in it"}, &n));
    assert_int_equal(deleted_ones(), 0);
    OK(space_delete(&test, s.id, 0));
    act(ALICE);
    assert_int_equal(deleted_ones(), 1);
    FAILS(space_get(&test, s.id, &t), ERR_NOT_FOUND);
    FAILS(node_get(&test, n.id, &m), ERR_NOT_FOUND);
    FAILS(space_create(&test, &(struct space){.kind = SPACE_CONTEXT, .name = "x", .slug = "going"}, &t), ERR_CONFLICT);
    act(BOB);
    assert_int_equal(deleted_ones(), 0);
    FAILS(space_restore(&test, s.id, &t), ERR_NOT_FOUND);
    act(STRANGER);
    assert_int_equal(deleted_ones(), 0);
    FAILS(space_restore(&test, s.id, &t), ERR_NOT_FOUND);
    act(ALICE);
    OK(space_restore(&test, s.id, &t));
    act(ALICE);
    OK(node_get(&test, n.id, &m));
    OK(space_delete(&test, s.id, 0));
    days_pass(31);
    act(ALICE);
    assert_int_equal(deleted_ones(), 0);
    FAILS(space_restore(&test, s.id, &t), ERR_NOT_FOUND);
}

static void grants_open_and_close(void **state)
{
    struct space s, t;
    struct grant g, h;
    struct node n;

    (void)state;
    act(ALICE);
    s = made("shared");
    OK(grant_to(s.id, GRANTEE_AGENT, text(cast.id[BOB]), ACCESS_READ, &g));
    FAILS(grant_to(s.id, GRANTEE_AGENT, text(cast.id[BOB]), ACCESS_WRITE, &h), ERR_CONFLICT);
    act(BOB);
    OK(space_get(&test, s.id, &t));
    assert_int_equal(t.access, ACCESS_READ);
    FAILS(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = s.id, .kind = "note", .title = "x"}, &n), ERR_FORBIDDEN);
    FAILS(space_update(&test, CHANGE_OF(struct space_change, s.id, name, "x"), &t), ERR_FORBIDDEN);
    FAILS(grant_to(s.id, GRANTEE_EVERYONE, NULL, ACCESS_READ, &h), ERR_FORBIDDEN);
    FAILS(grant_update(&test, &(struct grant_change){.given = GIVEN_LEVEL, .id = s.id, .grant_id = g.id, .level = ACCESS_MANAGE}, &h),
          ERR_FORBIDDEN);
    act(ALICE);
    OK(grant_update(&test, &(struct grant_change){.given = GIVEN_LEVEL, .id = s.id, .grant_id = g.id, .level = ACCESS_WRITE}, &h));
    act(BOB);
    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = s.id, .kind = "note", .title = "x"}, &n));
    act(ALICE);
    OK(grant_remove(&test, s.id, g.id, 0));
    FAILS(grant_remove(&test, s.id, g.id, 0), ERR_NOT_FOUND);
    act(BOB);
    FAILS(space_get(&test, s.id, &t), ERR_NOT_FOUND);
    FAILS(node_get(&test, n.id, &n), ERR_NOT_FOUND);
}

static void grants_expire(void **state)
{
    struct space s, t;
    struct grant g;
    struct grant in;

    (void)state;
    act(ALICE);
    s = made("for-a-while");
    in = (struct grant){.space_id = s.id, .grantee_kind = GRANTEE_EVERYONE, .level = ACCESS_READ, .expires_at = test.now};
    assert_string_equal(FAILS(grant_add(&test, &in, &g), ERR_INVALID), "/expires_at");
    in.expires_at.us += DAY_US;
    OK(grant_add(&test, &in, &g));
    act(BOB);
    OK(space_get(&test, s.id, &t));
    days_pass(2);
    act(BOB);
    FAILS(space_get(&test, s.id, &t), ERR_NOT_FOUND);
}

static void grantees_are_of_this_account(void **state)
{
    struct space s;
    struct grant g;

    (void)state;
    act(ALICE);
    s = made("grantees");
    assert_string_equal(FAILS(grant_to(s.id, GRANTEE_AGENT, text(cast.id[STRANGER]), ACCESS_READ, &g), ERR_INVALID), "/grantee_id");
    assert_string_equal(FAILS(grant_to(s.id, GRANTEE_USER, text(cast.id[BOB]), ACCESS_READ, &g), ERR_INVALID), "/grantee_id");
    assert_string_equal(FAILS(grant_to(s.id, GRANTEE_TEAM, "x", ACCESS_READ, &g), ERR_INVALID), "/grantee_id");
    assert_string_equal(FAILS(grant_to(s.id, GRANTEE_ROLE, "nonsense", ACCESS_READ, &g), ERR_INVALID), "/grantee_id");
    assert_string_equal(FAILS(grant_to(s.id, GRANTEE_EVERYONE, "x", ACCESS_READ, &g), ERR_INVALID), "/grantee_id");
    assert_string_equal(FAILS(grant_to(s.id, GRANTEE_AGENT, NULL, ACCESS_READ, &g), ERR_INVALID), "/grantee_id");
    assert_string_equal(FAILS(grant_to(s.id, GRANTEE_EVERYONE, NULL, ACCESS_NONE, &g), ERR_INVALID), "/level");
    OK(grant_to(s.id, GRANTEE_ROLE, "editor", ACCESS_READ, &g));
    act(EDITOR);
    OK(space_get(&test, s.id, &s));
}

static void teams_share(void **state)
{
    struct space s, t;
    struct team team;
    struct team_member m;

    (void)state;
    act(OWNER);
    OK(team_create(&test, &(struct team){.slug = "red", .name = "Red"}, &team));
    OK(team_put_member(&test, &(struct team_member){.team_id = team.id, .agent_id = cast.id[BOB], .role = "member", .is_lead = false}, &m));
    act(ALICE);
    OK(space_create(&test, &(struct space){.kind = SPACE_CONTEXT, .name = "t", .slug = "teams", .team_id = team.id}, &s));
    act(BOB);
    OK(space_get(&test, s.id, &t));
    assert_int_equal(t.access, ACCESS_WRITE);
    OK(space_by_slug(&test, SPACE_NAMESPACE, "team:red", &t));
    assert_int_equal(t.access, ACCESS_WRITE);
}

static void memory_manage_opens_a_door_that_is_watched(void **state)
{
    struct space t;
    struct grant g;

    (void)state;
    act(EDITOR);
    FAILS(grant_to(cast.own_space[ALICE], GRANTEE_USER, text(cast.id[EDITOR]), ACCESS_READ, &g), ERR_NOT_FOUND);
    act(OWNER);
    FAILS(grant_to(cast.own_space[ALICE], GRANTEE_USER, text(cast.id[EDITOR]), ACCESS_READ, &g), ERR_NOT_FOUND);
    OK(grant_to(cast.own_space[ALICE], GRANTEE_USER, text(cast.id[OWNER]), ACCESS_READ, &g));
    assert_int_equal(test_number("SELECT COUNT(*) FROM audit_event WHERE kind = 'grant.take'"), 1);
    act(OWNER);
    OK(space_get(&test, cast.own_space[ALICE], &t));
    OK(grant_to(cast.own_space[ALICE], GRANTEE_USER, text(cast.id[OWNER]), ACCESS_MANAGE, &g));
    act(OWNER);
    OK(space_get(&test, cast.own_space[ALICE], &t));
    assert_int_equal(t.access, ACCESS_MANAGE);
    OK(grant_remove(&test, t.id, g.id, 0));
    FAILS(grant_to(cast.own_space[STRANGER], GRANTEE_USER, text(cast.id[OWNER]), ACCESS_READ, &g), ERR_NOT_FOUND);
}

static void nobody_takes_the_system_namespace(void **state)
{
    struct grant g;
    struct uuid id;
    scoped_cursor q = {0};
    bool found;

    (void)state;
    act(OWNER);
    OK(db_query(&test, &q, "SELECT id FROM space WHERE account_id = ? AND kind = 'namespace' AND slug = 'system'", IN(test.account_id)));
    OK(db_row(&q, &test, &found, OUT(&id)));
    assert_true(found);
    FAILS(grant_to(id, GRANTEE_USER, text(cast.id[OWNER]), ACCESS_READ, &g), ERR_NOT_FOUND);
}

static void lists_show_what_can_be_read(void **state)
{
    struct page p;
    struct space s;
    const char *cursor = NULL;
    size_t seen = 0;

    (void)state;
    act(BOB);
    for (int i = 0; i < 5; i++)
        OK(space_create(&test, &(struct space){.kind = SPACE_POOL, .name = "Listed", .slug = arena_printf(test.arena, "listed_%d", i)},
                        &s));
    act(BOB);
    do {
        OK(space_list(&test, &(struct space_filter){.kind = SPACE_POOL, .status = -1, .q = "LISTED", .limit = 2, .cursor = cursor}, &p));
        seen += p.n;
        cursor = p.next_cursor;
    } while (p.has_more);
    assert_int_equal(seen, 5);
    OK(space_list(&test, &(struct space_filter){.kind = -1, .status = -1, .q = "listed_3", .limit = 9}, &p));
    assert_int_equal(p.n, 1);
    OK(space_list(&test, &(struct space_filter){.kind = -1, .status = SPACE_ARCHIVED, .q = "listed", .limit = 9}, &p));
    assert_int_equal(p.n, 0);
    act(ALICE);
    OK(space_list(&test, &(struct space_filter){.kind = SPACE_POOL, .status = -1, .limit = 9}, &p));
    assert_int_equal(p.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(namespaces_come_with_accounts_and_agents),
        cmocka_unit_test(who_makes_a_space_manages_it),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(a_space_is_not_above_itself),
        cmocka_unit_test(changes_are_merged_counted_and_matched),
        cmocka_unit_test(an_archived_space_is_read_only),
        cmocka_unit_test(deleted_is_gone_for_thirty_days_at_least),
        cmocka_unit_test(grants_open_and_close),
        cmocka_unit_test(grants_expire),
        cmocka_unit_test(grantees_are_of_this_account),
        cmocka_unit_test(teams_share),
        cmocka_unit_test(memory_manage_opens_a_door_that_is_watched),
        cmocka_unit_test(nobody_takes_the_system_namespace),
        cmocka_unit_test(lists_show_what_can_be_read),
    };

    return cmocka_run_group_tests_name("space", tests, graph_group_begins, graph_group_ends);
}
