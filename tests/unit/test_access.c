/* The access gate: levels compiled from grants, the cache in two processes, rates, and Redis being away. */
#include <signal.h>

#include "house.h"

#include "access_impl.h"
#include "changes.h"
#include "config.h"
#include "kv.h"

static const char *text(struct uuid id)
{
    static char buffers[8][UUID_TEXT];
    static int next;

    return uuid_text(id, buffers[next++ % 8]);
}

/* head 'id': a statement that ends with its id. */
static void run_sql(const char *head, struct uuid id)
{
    test_sql(arena_printf(test.arena, "%s'%s'", head, text(id)));
}

/* ---- levels */

static void own_namespace(void **state)
{
    struct agent a = house_agent("agent"), b = house_agent("agent");
    const char *token = house_agent_token(a.id);
    struct space s;

    (void)state;
    house_be(&test, token);
    assert_int_equal(test.who->kind, PRINCIPAL_AGENT);
    assert_true(uuid_eq(test.who->id, a.id) && uuid_eq(test.account_id, house_one.id));
    assert_string_equal(test.who->account_slug, "one");
    OK(space_by_slug(&test, SPACE_NAMESPACE, arena_printf(test.arena, "agent:%s", text(a.id)), &s));
    assert_int_equal(access_level(test.access, s.id), ACCESS_MANAGE);
    OK(space_by_slug(&test, SPACE_NAMESPACE, "global", &s));
    assert_int_equal(access_level(test.access, s.id), ACCESS_READ);
    assert_err(space_by_slug(&test, SPACE_NAMESPACE, "system", &s), ERR_NOT_FOUND);
    ctx_forgive(&test);
    assert_err(space_by_slug(&test, SPACE_NAMESPACE, arena_printf(test.arena, "agent:%s", text(b.id)), &s), ERR_NOT_FOUND);
}

/* Owners do not read agents' namespaces by their role. */
static void not_even_the_owner(void **state)
{
    struct agent a = house_agent("agent");
    struct user u = house_user("owner");
    const char *token = house_user_token(u.id);
    struct space s;

    (void)state;
    house_be(&test, token);
    assert_err(space_by_slug(&test, SPACE_NAMESPACE, arena_printf(test.arena, "agent:%s", text(a.id)), &s), ERR_NOT_FOUND);
}

static void highest_grant_wins(void **state)
{
    struct agent a = house_agent("trusted");
    const char *token = house_agent_token(a.id);
    struct space s = house_space("s");

    (void)state;
    house_be(&test, token);
    assert_int_equal(access_level(test.access, s.id), ACCESS_NONE);
    assert_err(access_require(&test, s.id, ACCESS_READ), ERR_NOT_FOUND);
    house_grant(s.id, GRANTEE_EVERYONE, "", ACCESS_READ);
    house_be(&test, token);
    assert_int_equal(access_level(test.access, s.id), ACCESS_READ);
    assert_err(access_require(&test, s.id, ACCESS_WRITE), ERR_FORBIDDEN);
    house_grant(s.id, GRANTEE_ROLE, "trusted", ACCESS_WRITE);
    house_grant(s.id, GRANTEE_ROLE, "readonly", ACCESS_MANAGE);
    house_be(&test, token);
    assert_int_equal(access_level(test.access, s.id), ACCESS_WRITE);
    assert_true(access_may_write(&test, s.id) && !access_may_manage(&test, s.id));
    house_grant(s.id, GRANTEE_AGENT, text(a.id), ACCESS_MANAGE);
    house_be(&test, token);
    assert_int_equal(access_level(test.access, s.id), ACCESS_MANAGE);
    assert_err(access_require(&test, s.id, ACCESS_MANAGE), ERR_OK);
}

static void teams(void **state)
{
    struct agent a = house_agent("agent");
    const char *token = house_agent_token(a.id);
    struct team t;
    struct team_member m;
    struct space s;

    (void)state;
    OK(team_create(&test, &(struct team){.slug = "builders", .name = "Builders"}, &t));
    house_be(&test, token);
    assert_err(space_by_slug(&test, SPACE_NAMESPACE, "team:builders", &s), ERR_NOT_FOUND);
    ctx_forgive(&test);
    house_be_system(&test, &house_one);
    OK(team_put_member(&test, &(struct team_member){.team_id = t.id, .agent_id = a.id, .role = NULL, .is_lead = false}, &m));
    house_be(&test, token);
    OK(space_by_slug(&test, SPACE_NAMESPACE, "team:builders", &s));
    assert_int_equal(access_level(test.access, s.id), ACCESS_WRITE);
    house_be_system(&test, &house_one);
    OK(team_remove_member(&test, &(struct team_member){.team_id = t.id, .agent_id = a.id}));
    house_be(&test, token);
    assert_int_equal(access_level(test.access, s.id), ACCESS_NONE);
}

static void archived_is_read_only(void **state)
{
    struct user u = house_user("editor");
    const char *token = house_user_token(u.id);
    struct space s = house_space("s"), w = house_space("w");

    (void)state;
    house_grant(s.id, GRANTEE_USER, text(u.id), ACCESS_MANAGE);
    house_grant(w.id, GRANTEE_USER, text(u.id), ACCESS_WRITE);
    run_sql("UPDATE space SET status = 'archived', archived_at = NOW(6) WHERE id = ", s.id);
    run_sql("UPDATE space SET status = 'archived', archived_at = NOW(6) WHERE id = ", w.id);
    house_be(&test, token);
    assert_true(access_may_read(&test, s.id) && access_may_manage(&test, s.id) && !access_may_write(&test, s.id));
    assert_err(access_require(&test, s.id, ACCESS_WRITE), ERR_FORBIDDEN);
    assert_int_equal(access_level(test.access, w.id), ACCESS_READ);
}

static void gone_and_expired(void **state)
{
    struct user u = house_user("editor");
    const char *token = house_user_token(u.id);
    struct space deleted = house_space("d"), expired = house_space("e"), past = house_space("g"), later = house_space("l");

    (void)state;
    house_grant(deleted.id, GRANTEE_USER, text(u.id), ACCESS_READ);
    house_grant(expired.id, GRANTEE_USER, text(u.id), ACCESS_READ);
    house_grant(past.id, GRANTEE_USER, text(u.id), ACCESS_READ);
    house_grant(later.id, GRANTEE_USER, text(u.id), ACCESS_READ);
    run_sql("UPDATE space SET deleted_at = UTC_TIMESTAMP(6) WHERE id = ", deleted.id);
    run_sql("UPDATE space SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE id = ", expired.id);
    run_sql("UPDATE space_grant SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE space_id = ", past.id);
    run_sql("UPDATE space_grant SET expires_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR WHERE space_id = ", later.id);
    house_be(&test, token);
    assert_false(access_may_read(&test, deleted.id));
    assert_false(access_may_read(&test, expired.id));
    assert_false(access_may_read(&test, past.id));
    assert_true(access_may_read(&test, later.id));
    for (size_t i = 0; i < test.access->n; i++) {
        assert_true(uuid_eq(test.access->readable[i], test.access->spaces[i].space_id));
        assert_true(i == 0 || uuid_cmp(test.access->readable[i - 1], test.access->readable[i]) < 0);
    }
}

/* A cached set does not outlive a grant in it. */
static void grant_expires_in_the_cache(void **state)
{
    struct user u = house_user("editor");
    const char *token = house_user_token(u.id);
    struct space s = house_space("s");
    struct rate_state rate;

    (void)state;
    house_grant(s.id, GRANTEE_USER, text(u.id), ACCESS_READ);
    run_sql("UPDATE space_grant SET expires_at = UTC_TIMESTAMP(6) + INTERVAL 5 SECOND WHERE space_id = ", s.id);
    house_be(&test, token);
    assert_true(access_may_read(&test, s.id));
    ctx_begin(&test, 30);
    test.now.us += 6 * SECOND_US;
    OK(access_by_token(&test, token, &rate));
    assert_false(access_may_read(&test, s.id));
}

static void other_account_sees_nothing(void **state)
{
    struct space s = house_space("s");

    (void)state;
    house_grant(s.id, GRANTEE_EVERYONE, "", ACCESS_READ);
    house_be_system(&test, &house_two);
    assert_false(access_may_read(&test, s.id));
    house_be_system(&test, &house_one);
    assert_int_equal(access_level(test.access, s.id), ACCESS_MANAGE);
}

/* ---- permissions */

static void role_within_scopes(void **state)
{
    struct agent a = house_agent("readonly");
    struct user u = house_user("viewer");
    const char *token = house_token(u.id, (struct uuid){{0}}, STRS("memory.*", "graph.read"));

    (void)state;
    house_be(&test, token);
    assert_true(test.who->perms == (((permissions)1 << PERM_MEMORY_READ) | ((permissions)1 << PERM_GRAPH_READ)));
    assert_err(access_permit(&test, PERM_MEMORY_READ), ERR_OK);
    assert_err(access_permit(&test, PERM_MEMORY_WRITE), ERR_FORBIDDEN);
    assert_int_equal(test_number("SELECT COUNT(*) FROM audit_event WHERE kind = 'access.refuse' AND"
                                 " subject_kind = 'permission'"), 1);
    house_be(&test, house_agent_token(a.id));
    assert_true(permissions_have(test.who->perms, PERM_MEMORY_READ));
    assert_false(permissions_have(test.who->perms, PERM_MEMORY_WRITE));
}

/* ---- the cache */

static void second_request_asks_no_database(void **state)
{
    struct agent a = house_agent("agent");
    const char *token = house_agent_token(a.id);
    int64_t calls;

    (void)state;
    house_be(&test, token);
    calls = db_test_calls(test.db);
    for (int i = 0; i < 5; i++)
        house_be(&test, token);
    assert_int_equal(db_test_calls(test.db), calls);
    assert_true(house_counted(&house_app, "loci_access_hits_total") >= 5);
}

static void change_reaches_the_other_process(void **state)
{
    struct agent a = house_agent("agent");
    const char *token = arena_strdup(test.arena, house_agent_token(a.id));
    struct space s = house_space("s");
    struct agent out;

    (void)state;
    house_be(&test, token);
    house_be(&other, token);
    assert_false(access_may_read(&other, s.id));
    house_be_system(&test, &house_one);
    OK(grant_add(&test, &(struct grant){.space_id = s.id, .grantee_kind = GRANTEE_AGENT, .grantee_id = text(a.id),
                                            .level = ACCESS_READ}, &(struct grant){0}));
    house_be(&other, token);
    assert_true(access_may_read(&other, s.id));
    OK(agent_update(&test, CHANGE_OF(struct agent_change, a.id, status, AGENT_PAUSED), &out));
    assert_err(house_come(&other, token), ERR_UNAUTHORIZED);
    OK(agent_update(&test, CHANGE_OF(struct agent_change, a.id, status, AGENT_ACTIVE), &out));
    house_be(&other, token);
}

static void revoked_at_once(void **state)
{
    struct agent a = house_agent("agent");
    const char *token = arena_strdup(test.arena, house_agent_token(a.id));
    struct uuid id;

    (void)state;
    house_be(&other, token);
    id = other.who->token_id;
    OK(token_revoke(&test, &(struct thing_key){.id = id}));
    assert_err(house_come(&other, token), ERR_UNAUTHORIZED);
    assert_err(house_come(&test, token), ERR_UNAUTHORIZED);
}

struct peek {
    const char *token;
    struct uuid space;
    bool fails;
};

/* While a change is under way, others read what is committed and keep nothing. */
static err change_slowly(struct ctx *c, void *arg)
{
    const struct peek *p = arg;
    int64_t before;

    TRY(access_changed(c));
    TRY(access_changed(c)); /* twice is once */
    before = db_test_calls(other.db);
    house_be(&other, p->token);
    house_be(&other, p->token);
    assert_true(db_test_calls(other.db) >= before + 6);
    TRY(grant_make(c, &(struct grant){.space_id = p->space, .grantee_kind = GRANTEE_EVERYONE, .grantee_id = "",
                                          .level = ACCESS_READ}));
    house_be(&other, p->token);
    assert_false(access_may_read(&other, p->space));
    return p->fails ? fail(c, ERR_CONFLICT, "as the test wants") : ERR_OK;
}

static void dirty_while_changing(void **state)
{
    struct agent a = house_agent("agent");
    struct peek p = {.token = arena_strdup(test.arena, house_agent_token(a.id)), .fails = true};
    int64_t calls;

    (void)state;
    p.space = house_space("s").id;
    assert_err(db_tx(&test, change_slowly, &p), ERR_CONFLICT);
    ctx_forgive(&test);
    house_be(&other, p.token);
    assert_false(access_may_read(&other, p.space));
    calls = db_test_calls(other.db);
    house_be(&other, p.token);
    assert_int_equal(db_test_calls(other.db), calls); /* the mark is gone after a rollback, too */
    p.fails = false;
    OK(db_tx(&test, change_slowly, &p));
    house_be(&other, p.token);
    assert_true(access_may_read(&other, p.space));
}

/* Two changes at once: what is read between their ends does not outlive the second. */
static err inner_change(struct ctx *c, void *arg)
{
    (void)arg;
    return access_changed(c);
}

static err outer_change(struct ctx *c, void *arg)
{
    const struct peek *p = arg;

    TRY(access_changed(c));
    house_be_system(&other, &house_one);
    test_ok(&other, db_tx(&other, inner_change, NULL), "inner", __FILE__, __LINE__);
    TRY(grant_make(c, &(struct grant){.space_id = p->space, .grantee_kind = GRANTEE_EVERYONE, .grantee_id = "",
                                          .level = ACCESS_READ}));
    house_be(&other, p->token); /* cached without the grant: the inner mark covered the outer one, and is gone */
    return ERR_OK;
}

static void overlapping_changes(void **state)
{
    struct agent a = house_agent("agent");
    struct peek p = {.token = arena_strdup(test.arena, house_agent_token(a.id))};

    (void)state;
    p.space = house_space("s").id;
    house_be(&other, p.token);
    OK(db_tx(&test, outer_change, &p));
    house_be(&other, p.token);
    assert_true(access_may_read(&other, p.space));
}

/* ---- hearing of changes */

/* Scripts that Redis has run so far: what a round trip of the gate is. */
static int64_t round_trips(void)
{
    struct kv_reply r;
    const char *at;

    OK(kv_cmd(&test, &r, kv_text("INFO"), kv_text("commandstats")));
    at = strstr(r.s, "cmdstat_evalsha:calls=");
    return at ? strtoll(at + strlen("cmdstat_evalsha:calls="), NULL, 10) : 0;
}

static void no_round_trip_while_nothing_changes(void **state)
{
    struct agent a = house_agent("agent");
    const char *token = arena_strdup(test.arena, house_agent_token(a.id));
    struct space s = house_space("s");
    struct rate_state rate;
    int64_t before;
    int cheap = 0;

    (void)state;
    house_other_app.feed = changes_feed_new(test_conf);
    changes_tick(&other);
    test_conf->http_rate_per_s = test_conf->http_rate_burst = 1000;
    for (int i = 0; i < 10; i++) {
        before = round_trips();
        ctx_begin(&other, 30);
        OK(access_by_token(&other, token, &rate));
        assert_true(rate.known && rate.limit == 1000 && rate.remaining > 900);
        cheap += round_trips() == before;
    }
    assert_true(cheap >= 5);
    assert_false(access_may_read(&other, s.id));
    house_be_system(&test, &house_one);
    OK(grant_add(&test, &(struct grant){.space_id = s.id, .grantee_kind = GRANTEE_AGENT, .grantee_id = text(a.id),
                                            .level = ACCESS_READ}, &(struct grant){0}));
    house_be(&other, token);
    assert_true(access_may_read(&other, s.id));
    for (int i = 0; i < 3; i++)
        house_be(&other, token);
    OK(token_revoke(&test, &(struct thing_key){.id = other.who->token_id}));
    assert_err(house_come(&other, token), ERR_UNAUTHORIZED);
    changes_feed_free(house_other_app.feed);
    house_other_app.feed = NULL;
}

/* Without a line nothing is trusted: Redis, or MariaDB, is asked each time. */
static void a_lost_line(void **state)
{
    struct agent a = house_agent("agent");
    const char *token = arena_strdup(test.arena, house_agent_token(a.id));
    struct uuid id;

    (void)state;
    house_other_app.feed = changes_feed_new(test_conf);
    changes_tick(&other);
    for (int i = 0; i < 4; i++)
        house_be(&other, token);
    id = other.who->token_id;
    stack_kv_signal(SIGKILL);
    OK(token_revoke(&test, &(struct thing_key){.id = id}));
    assert_err(house_come(&other, token), ERR_UNAUTHORIZED);
    stack_kv_again();
    assert_err(house_come(&other, token), ERR_UNAUTHORIZED);
    changes_tick(&other);
    assert_err(house_come(&other, token), ERR_UNAUTHORIZED);
    changes_feed_free(house_other_app.feed);
    house_other_app.feed = NULL;
}

/* ---- refusals, rates, Redis away */

static void all_refusals_alike(void **state)
{
    struct agent a = house_agent("agent");
    struct user u = house_user("viewer");
    const char *bad[] = {"", "x", "Bearer", NULL, NULL, NULL, NULL, NULL};
    const char *token = house_agent_token(a.id), *of_user = house_user_token(u.id);
    char *wrong = arena_strdup(test.arena, token), *prefix = arena_strdup(test.arena, token);

    (void)state;
    wrong[strlen(wrong) - 1] = wrong[strlen(wrong) - 1] == 'a' ? 'b' : 'a';
    prefix[6] = prefix[6] == 'a' ? 'b' : 'a';
    bad[3] = wrong;
    bad[4] = prefix;
    bad[5] = arena_printf(test.arena, "%sx", token);
    run_sql("UPDATE user SET status = 'disabled' WHERE id = ", u.id);
    bad[6] = of_user;
    for (int i = 0; i < 7; i++) {
        assert_err(house_come(&test, bad[i]), ERR_UNAUTHORIZED);
        assert_string_equal(test.fault.message, "the token or session is invalid, expired or revoked");
        assert_null(test.who);
    }
    house_be(&test, token);
    assert_err(house_come(&test, prefix), ERR_UNAUTHORIZED); /* its secret is cached, its name is wrong */
}

static void suspended_account(void **state)
{
    struct agent a = house_agent("agent");
    const char *token = arena_strdup(test.arena, house_agent_token(a.id));
    struct account acc;

    (void)state;
    house_be(&other, token);
    house_be_system(&test, &house_one);
    OK(account_set_status(&test, ACCOUNT_SUSPENDED, &acc));
    assert_err(house_come(&other, token), ERR_UNAUTHORIZED);
    OK(account_set_status(&test, ACCOUNT_ACTIVE, &acc));
    house_be(&other, token);
}

static void rates(void **state)
{
    struct agent a = house_agent("agent");
    const char *token = house_agent_token(a.id);
    struct rate_state rate;
    err e = ERR_OK;

    (void)state;
    test_conf->http_rate_per_s = 1;
    test_conf->http_rate_burst = 3;
    for (int i = 2; i >= 0; i--) {
        ctx_begin(&test, 30);
        OK(access_by_token(&test, token, &rate));
        assert_true(rate.known && rate.limit == 3 && rate.remaining == i);
    }
    ctx_begin(&test, 30);
    e = access_by_token(&test, token, &rate);
    test_conf->http_rate_per_s = 1000;
    test_conf->http_rate_burst = 1000;
    assert_err(e, ERR_RATE);
    assert_true(test.fault.retry_after_s >= 1 && rate.remaining == 0 && rate.reset_s >= 2);
    assert_null(test.who);
}

static void use_is_noted_once_a_minute(void **state)
{
    struct agent a = house_agent("agent");
    const char *token = house_agent_token(a.id);
    struct rate_state rate;
    struct token t;

    (void)state;
    house_be(&test, token);
    OK(token_get(&test, test.who->token_id, &t));
    assert_true(t.last_used_at.us == test.now.us);
    assert_string_equal(t.last_ip, "192.0.2.1");
    ctx_begin(&test, 30);
    access_cache_clear(house_app.access_cache);
    OK(access_by_token(&test, token, &rate));
    OK(token_get(&test, test.who->token_id, &t));
    assert_true(t.last_used_at.us < test.now.us);
}

static void redis_away(void **state)
{
    struct agent a = house_agent("agent");
    const char *token = arena_strdup(test.arena, house_agent_token(a.id));
    struct rate_state rate;
    struct uuid id;

    (void)state;
    house_be(&other, token);
    id = other.who->token_id;
    stack_kv_signal(SIGKILL);
    ctx_begin(&other, 30);
    assert_err(access_by_token(&other, token, &rate), ERR_OK);
    assert_false(rate.known);
    OK(token_revoke(&test, &(struct thing_key){.id = id}));
    assert_err(house_come(&other, token), ERR_UNAUTHORIZED);
    stack_kv_again();
    assert_err(house_come(&other, token), ERR_UNAUTHORIZED);
}

static void many_entries(void **state)
{
    struct access_cache *small = access_cache_new(3), *kept = house_app.access_cache;
    struct agent a = house_agent("agent");
    const char *tokens[5];
    int64_t calls;

    (void)state;
    for (int i = 0; i < 5; i++)
        tokens[i] = house_agent_token(a.id);
    house_app.access_cache = small;
    for (int i = 0; i < 5; i++)
        house_be(&test, tokens[i]);
    calls = db_test_calls(test.db);
    house_be(&test, tokens[4]);
    house_be(&test, tokens[2]);
    assert_int_equal(db_test_calls(test.db), calls);
    house_be(&test, tokens[0]); /* had to make room */
    assert_true(db_test_calls(test.db) > calls);
    assert_true(house_counted(&house_app, "loci_access_entries") == 3);
    assert_true(house_counted(&house_app, "loci_access_bytes") > 3 * 16);
    arena_reset(test.arena); /* lets go of the entries */
    house_app.access_cache = kept;
    access_cache_free(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOUSE_CASE(own_namespace), HOUSE_CASE(not_even_the_owner), HOUSE_CASE(highest_grant_wins), HOUSE_CASE(teams),
        HOUSE_CASE(archived_is_read_only), HOUSE_CASE(gone_and_expired), HOUSE_CASE(grant_expires_in_the_cache),
        HOUSE_CASE(other_account_sees_nothing), HOUSE_CASE(role_within_scopes),
        HOUSE_CASE(second_request_asks_no_database), HOUSE_CASE(change_reaches_the_other_process),
        HOUSE_CASE(revoked_at_once), HOUSE_CASE(no_round_trip_while_nothing_changes), HOUSE_CASE(dirty_while_changing), HOUSE_CASE(overlapping_changes),
        HOUSE_CASE(all_refusals_alike), HOUSE_CASE(suspended_account), HOUSE_CASE(rates),
        HOUSE_CASE(use_is_noted_once_a_minute), HOUSE_CASE(many_entries), HOUSE_CASE(redis_away),
        HOUSE_CASE(a_lost_line),
    };

    return cmocka_run_group_tests_name("access", tests, house_begins, house_ends);
}
