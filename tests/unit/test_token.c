/* Tokens: their text, who may make which, and what they give. */
#include "house.h"

/* ---- text */

static void well_formed(void **state)
{
    char secret[TOKEN_SECRET + 1], prefix[TOKEN_PREFIX + 1];
    const char *at = NULL, *text;
    static const char *const BAD[] = {
        "", "loci_", "loci_12345678_", "loci_1234567_0123456789012345678901234567890123456789012",
        "loci-12345678_0123456789012345678901234567890123456789012", "LOCI_12345678_0123456789012345678901234567890123456789012",
        "loci_12345678_012345678901234567890123456789012345678901", "loci_12345678_01234567890123456789012345678901234567890123",
        "loci_1234567-_0123456789012345678901234567890123456789012", "loci_12345678_012345678901234567890123456789012345678901=",
        "loci_12345678_01234567890123456789\n1234567890123456789012",
    };

    (void)state;
    token_random(secret);
    assert_int_equal(strlen(secret), TOKEN_SECRET);
    text = arena_printf(test.arena, "loci_abcDEF12_%s", secret);
    assert_true(token_parse(text, prefix, &at));
    assert_string_equal(prefix, "abcDEF12");
    assert_string_equal(at, secret);
    assert_false(token_parse(NULL, prefix, &at));
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        assert_false(token_parse(BAD[i], prefix, &at));
}

/* 43 digits of base 62 hold 256 bits and little more: the first digit is never above the eighth. */
static void random_is_whole(void **state)
{
    char a[TOKEN_SECRET + 1], b[TOKEN_SECRET + 1];
    int seen[256] = {0}, digits = 0;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        token_random(a);
        token_random(b);
        assert_string_not_equal(a, b);
        for (const char *p = a; *p; p++)
            digits += seen[(unsigned char)*p]++ == 0;
    }
    assert_int_equal(digits, 62);
}

static void hash_is_keyed(void **state)
{
    struct app strange = house_app;
    uint8_t one[TOKEN_HASH], same[TOKEN_HASH], another[TOKEN_HASH];

    (void)state;
    strange.secret[31] ^= 1;
    token_hash(&house_app, "secret", one);
    token_hash(&house_app, "secret", same);
    token_hash(&strange, "secret", another);
    assert_memory_equal(one, same, TOKEN_HASH);
    assert_memory_not_equal(one, another, TOKEN_HASH);
}

/* ---- making */

static err make(struct token in, struct token *out)
{
    if (!in.name)
        in.name = "test";
    return token_create(&test, &in, out);
}

static void only_a_hash_is_kept(void **state)
{
    struct agent a = house_agent("agent");
    struct token t, again;
    char *secret;

    (void)state;
    OK(make((struct token){.agent_id = a.id, .name = "laptop", .scopes = STRS("memory.read")}, &t));
    secret = strrchr(t.secret, '_') + 1;
    assert_int_equal(strlen(secret), TOKEN_SECRET);
    assert_int_equal(test_number(arena_printf(test.arena, "SELECT COUNT(*) FROM token WHERE id = '%s'", UUID_STR(t.id))), 1);
    assert_int_equal(test_number(arena_printf(test.arena, "SELECT COUNT(*) FROM token WHERE hash LIKE '%%%s%%'", secret)), 0);
    assert_int_equal(test_number(arena_printf(test.arena, "SELECT COUNT(*) FROM audit_event WHERE COALESCE(payload, '')"
                                              " LIKE '%%%s%%'", secret)), 0);
    OK(token_get(&test, t.id, &again));
    assert_null(again.secret);
    assert_string_equal(again.name, "laptop");
    assert_int_equal(again.scopes.n, 1);
    house_be(&test, t.secret);
}

static void for_oneself(void **state)
{
    struct agent a = house_agent("agent");
    struct token t;

    (void)state;
    house_be(&test, house_agent_token(a.id));
    OK(make((struct token){.scopes = STRS("memory.read")}, &t));
    assert_true(uuid_eq(t.agent_id, a.id) && uuid_is_nil(t.user_id));
    house_be(&test, arena_strdup(other.arena, t.secret));
    /* From one that can only read, none that can do more. */
    assert_err(make((struct token){.scopes = STRS("memory.write")}, &t), ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(make((struct token){0}, &t), ERR_FORBIDDEN);
    ctx_forgive(&test);
    OK(make((struct token){.scopes = STRS("memory.read")}, &t));
}

static void scopes_of_the_owner(void **state)
{
    struct agent a = house_agent("readonly");
    struct token t;

    (void)state;
    assert_err(make((struct token){.agent_id = a.id, .scopes = STRS("memory.read", "memory.write")}, &t), ERR_INVALID);
    assert_string_equal(test.fault.fields->pointer, "/scopes/1");
    ctx_forgive(&test);
    assert_err(make((struct token){.agent_id = a.id, .scopes = STRS("nonsense")}, &t), ERR_INVALID);
    assert_string_equal(test.fault.fields->pointer, "/scopes/0");
    ctx_forgive(&test);
    OK(make((struct token){.agent_id = a.id, .scopes = STRS("memory.*")}, &t));
}

static void for_others(void **state)
{
    struct user admin = house_user("admin"), viewer = house_user("viewer"), owner = house_user("owner");
    struct agent a = house_agent("agent");
    const char *of_admin = house_user_token(admin.id), *of_viewer = house_user_token(viewer.id);
    struct token t;

    (void)state;
    house_be(&test, of_admin);
    OK(make((struct token){.agent_id = a.id}, &t));
    OK(make((struct token){.user_id = viewer.id}, &t));
    assert_err(make((struct token){.user_id = owner.id}, &t), ERR_FORBIDDEN);
    house_be(&test, of_viewer);
    assert_err(make((struct token){.agent_id = a.id}, &t), ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(make((struct token){.user_id = admin.id}, &t), ERR_FORBIDDEN);
    ctx_forgive(&test);
    OK(make((struct token){.user_id = viewer.id}, &t));
}

/* Their tokens would steer the whole installation. */
static void not_for_operators(void **state)
{
    struct user owner = house_user("owner"), boss = house_user("viewer");
    const char *of_owner = house_user_token(owner.id);
    struct token t;

    (void)state;
    OK(user_set_operator(&test, boss.id, true));
    house_be(&test, of_owner);
    assert_err(make((struct token){.user_id = boss.id}, &t), ERR_FORBIDDEN);
    house_be(&test, house_user_token(boss.id));
    assert_true(test.who->is_operator);
    house_be(&test, house_token(boss.id, (struct uuid){{0}}, STRS("memory.read")));
    assert_false(test.who->is_operator);
}

static void wrong_owners(void **state)
{
    struct agent a = house_agent("agent"), paused = house_agent("agent");
    struct user u = house_user("viewer");
    struct token t;
    struct agent out;
    struct uuid nobody = uuid_new(test.now.us);

    (void)state;
    assert_err(make((struct token){0}, &t), ERR_INVALID); /* the system has none itself */
    ctx_forgive(&test);
    assert_err(make((struct token){.user_id = u.id, .agent_id = a.id}, &t), ERR_INVALID);
    ctx_forgive(&test);
    assert_err(make((struct token){.agent_id = nobody}, &t), ERR_INVALID);
    assert_string_equal(test.fault.fields->pointer, "/agent_id");
    ctx_forgive(&test);
    assert_err(make((struct token){.user_id = a.id}, &t), ERR_INVALID);
    ctx_forgive(&test);
    OK(agent_update(&test, CHANGE_OF(struct agent_change, paused.id, status, AGENT_PAUSED), &out));
    assert_err(make((struct token){.agent_id = paused.id}, &t), ERR_INVALID);
    ctx_forgive(&test);
    house_be_system(&test, &house_two); /* another account's agent is nobody */
    assert_err(make((struct token){.agent_id = a.id}, &t), ERR_INVALID);
}

static void expiry(void **state)
{
    struct agent a = house_agent("agent");
    struct instant soon = {test.now.us + 60 * SECOND_US}, later = {test.now.us + 120 * SECOND_US};
    struct rate_state rate;
    struct token t, u;

    (void)state;
    assert_err(make((struct token){.agent_id = a.id, .expires_at = test.now}, &t), ERR_INVALID);
    ctx_forgive(&test);
    OK(make((struct token){.agent_id = a.id, .expires_at = soon}, &t));
    t.secret = arena_strdup(other.arena, t.secret);
    house_be(&test, t.secret);
    assert_err(make((struct token){0}, &u), ERR_INVALID); /* cannot make one that lives on */
    ctx_forgive(&test);
    assert_err(make((struct token){.expires_at = later}, &u), ERR_INVALID);
    ctx_forgive(&test);
    OK(make((struct token){.expires_at = soon}, &u));
    ctx_begin(&test, 30);
    test.now = soon;
    assert_err(access_by_token(&test, t.secret, &rate), ERR_UNAUTHORIZED);
}

/* ---- reading and revoking */

static void own_ones_only(void **state)
{
    struct user viewer = house_user("viewer");
    struct agent a = house_agent("agent");
    const char *of_viewer = house_user_token(viewer.id);
    struct token_filter f = {.limit = 100};
    struct token t;
    struct page page;

    (void)state;
    OK(make((struct token){.agent_id = a.id}, &t));
    house_be(&test, of_viewer);
    assert_err(token_get(&test, t.id, &t), ERR_NOT_FOUND);
    ctx_forgive(&test);
    assert_err(token_revoke(&test, &(struct thing_key){.id = t.id}), ERR_NOT_FOUND);
    ctx_forgive(&test);
    OK(token_list(&test, &f, &page));
    assert_int_equal(page.n, 1);
    f.agent_id = a.id;
    OK(token_list(&test, &f, &page));
    assert_int_equal(page.n, 0);
}

static void revoking(void **state)
{
    struct agent a = house_agent("agent");
    struct token_filter f = {.agent_id = a.id, .limit = 2};
    struct token t[3];
    struct page page;

    (void)state;
    for (int i = 0; i < 3; i++)
        OK(make((struct token){.agent_id = a.id}, &t[i]));
    OK(token_list(&test, &f, &page));
    assert_true(page.n == 2 && page.has_more && uuid_eq(((struct token *)page.items)->id, t[2].id));
    f.cursor = page.next_cursor;
    OK(token_list(&test, &f, &page));
    assert_true(page.n == 1 && !page.has_more);
    OK(token_revoke(&test, &(struct thing_key){.id = t[1].id}));
    OK(token_revoke(&test, &(struct thing_key){.id = t[1].id}));
    f = (struct token_filter){.agent_id = a.id, .limit = 10};
    OK(token_list(&test, &f, &page));
    assert_int_equal(page.n, 2);
    f.with_revoked = true;
    OK(token_list(&test, &f, &page));
    assert_int_equal(page.n, 3);
    assert_int_equal(test_number(arena_printf(test.arena, "SELECT COUNT(*) FROM audit_event WHERE kind = 'token.revoke'"
                                              " AND subject_id = '%s'", UUID_STR(t[1].id))), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOUSE_CASE(well_formed), HOUSE_CASE(random_is_whole), HOUSE_CASE(hash_is_keyed), HOUSE_CASE(only_a_hash_is_kept),
        HOUSE_CASE(for_oneself), HOUSE_CASE(scopes_of_the_owner), HOUSE_CASE(for_others), HOUSE_CASE(not_for_operators),
        HOUSE_CASE(wrong_owners), HOUSE_CASE(expiry), HOUSE_CASE(own_ones_only), HOUSE_CASE(revoking),
    };

    return cmocka_run_group_tests_name("token", tests, house_begins, house_ends);
}
