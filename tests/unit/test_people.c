/* Accounts, users, roles, agents and teams: what they may become, and who may make them so. */
#include "house.h"

#include <sodium.h>

static int64_t count(const char *sql, struct uuid id)
{
    return test_number(arena_printf(test.arena, "%s'%s'", sql, UUID_STR(id)));
}

/* ---- accounts */

static void account_comes_with_namespaces(void **state)
{
    struct account a, b;
    struct user u;

    (void)state;
    assert_err(account_create(&test, "one", "One again", "test", NULL, &a), ERR_CONFLICT);
    ctx_forgive(&test);
    assert_err(account_create(&test, "No Slug", "x", "test", NULL, &a), ERR_INVALID);
    ctx_forgive(&test);
    house_be_system(&test, &house_one);
    OK(account_by_slug(&test, "one", &b));
    assert_true(uuid_eq(b.id, house_one.id) && b.status == ACCOUNT_ACTIVE);
    OK(user_by_email(&test, "OWNER@one.example", &u));
    assert_string_equal(u.role, "owner");
    assert_int_equal(count("SELECT COUNT(*) FROM space WHERE kind = 'namespace' AND slug IN ('global', 'system')"
                           " AND account_id = ", house_one.id), 2);
}

static void account_settings_merge(void **state)
{
    struct json *set = json_obj(test.arena);
    struct account_patch p = {.set = ACCOUNT_SET_SETTINGS, .settings = set};
    struct account a;
    int64_t version;

    (void)state;
    OK(account_get(&test, &a));
    version = a.version;
    json_set_int(test.arena, set, "x", 1);
    json_set_int(test.arena, set, "y", 2);
    p.if_version = version;
    OK(account_update(&test, &p, &a));
    assert_int_equal(a.version, version + 1);
    assert_err(account_update(&test, &p, &a), ERR_PRECONDITION);
    assert_int_equal(test.fault.current_version, version + 1);
    ctx_forgive(&test);
    set = json_obj(test.arena);
    json_set(test.arena, set, "x", json_new(test.arena, JSON_NULL));
    p = (struct account_patch){.set = ACCOUNT_SET_SETTINGS, .if_version = -1, .settings = set};
    OK(account_update(&test, &p, &a));
    assert_string_equal(json_text(test.arena, a.settings), "{\"y\":2}");
    json_set_str(test.arena, set, "z", test_text_of(64 * 1024));
    assert_err(account_update(&test, &p, &a), ERR_INVALID);
}

/* ---- users */

static void the_last_owner_stays(void **state)
{
    struct user_filter f = {.status = -1, .role = "owner", .limit = 100};
    struct user first, second, u;
    struct page page;

    (void)state;
    OK(user_by_email(&test, OWNER_EMAIL, &first));
    OK(user_list(&test, &f, &page));
    for (size_t i = 0; i < page.n; i++) {
        const struct user *o = (struct user *)page.items + i;

        if (!uuid_eq(o->id, first.id))
            OK(user_delete(&test, &(struct thing_key){o->id, 0}));
    }
    assert_err(user_update(&test, CHANGE_OF(struct user_change, first.id, role, "admin"), &u), ERR_CONFLICT);
    ctx_forgive(&test);
    assert_err(user_update(&test, CHANGE_OF(struct user_change, first.id, status, USER_DISABLED), &u), ERR_CONFLICT);
    ctx_forgive(&test);
    assert_err(user_delete(&test, &(struct thing_key){first.id, 0}), ERR_CONFLICT);
    ctx_forgive(&test);
    second = house_user("owner");
    OK(user_update(&test, CHANGE_OF(struct user_change, second.id, status, USER_DISABLED), &u)); /* a disabled one is no support */
    assert_err(user_update(&test, CHANGE_OF(struct user_change, first.id, role, "admin"), &u), ERR_CONFLICT);
    ctx_forgive(&test);
    second = house_user("owner");
    OK(user_update(&test, CHANGE_OF(struct user_change, first.id, role, "admin"), &u));
    assert_string_equal(u.role, "admin");
    OK(user_update(&test, CHANGE_OF(struct user_change, first.id, role, "owner"), &u));
}

static void nobody_rises_above_himself(void **state)
{
    struct user admin = house_user("admin"), owner = house_user("owner"), viewer = house_user("viewer"), u;
    struct user n = {.email = "new@one.example", .name = "New", .role = "owner"};
    const char *token = house_user_token(admin.id);

    (void)state;
    house_be(&test, token);
    assert_err(user_create(&test, &n, &u), ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(user_update(&test, CHANGE_OF(struct user_change, admin.id, role, "owner"), &u), ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(user_update(&test, CHANGE_OF(struct user_change, owner.id, role, "viewer"), &u), ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(user_delete(&test, &(struct thing_key){owner.id, 0}), ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(user_set_password(&test, &(struct user_password){owner.id, NULL, "a new password"}), ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(user_set_operator(&test, admin.id, true), ERR_FORBIDDEN);
    ctx_forgive(&test);
    OK(user_update(&test, CHANGE_OF(struct user_change, viewer.id, role, "editor"), &u));
    OK(user_set_password(&test, &(struct user_password){viewer.id, NULL, "a new password"}));
    assert_true(test_number("SELECT COUNT(*) FROM audit_event WHERE kind = 'role.refuse'") >= 4);
}

/* Who holds account.manage alone neither gives nor takes more than that. */
static void manager_of_little(void **state)
{
    struct role r = {.name = "clerk", .kind = ROLE_OF_USER, .description = "keeps the books",
                     .perms = permissions_add(permissions_add(0, PERM_ACCOUNT_MANAGE), PERM_ACCOUNT_READ)};
    struct role made, bigger = {.name = "bigger", .kind = ROLE_OF_USER, .description = "", .perms = permissions_all()};
    struct user clerk, viewer = house_user("viewer"), u;
    struct agent a;
    const char *token;

    (void)state;
    OK(role_create(&test, &r, &made));
    clerk = house_user("clerk");
    token = house_user_token(clerk.id);
    house_be(&test, token);
    assert_err(role_create(&test, &bigger, &made), ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(role_set_permissions(&test, &(struct role){.name = "clerk", .perms = permissions_all()}, &made), ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(role_set_permissions(&test, &(struct role){.name = "viewer", .perms = permissions_all()}, &made), ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(user_update(&test, CHANGE_OF(struct user_change, viewer.id, status, USER_DISABLED), &u),
               ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(agent_create(&test, &(struct agent){.slug = "spy", .name = "Spy"}, &a), ERR_FORBIDDEN);
    ctx_forgive(&test);
    OK(user_create(&test, &(struct user){.email = "clerk2@one.example", .name = "Clerk", .role = "clerk"}, &u));
    assert_false(u.has_password);
}

static void user_changes(void **state)
{
    struct user u = house_user("viewer"), v = house_user("viewer"), out;
    struct user_filter f = {.status = USER_ACTIVE, .q = "ÉLOD", .limit = 10};
    struct user_change *ch = CHANGE_OF(struct user_change, u.id, email, "Elodie@One.example", .change.if_version = 1);
    struct page page;

    (void)state;
    OK(user_update(&test, CHANGE_OF(struct user_change, u.id, name, "Élodie 50%"), &out));
    assert_err(user_update(&test, ch, &out), ERR_PRECONDITION);
    ctx_forgive(&test);
    ch->change.if_version = 2;
    OK(user_update(&test, ch, &out));
    assert_string_equal(out.email, "elodie@one.example");
    assert_string_equal(out.name, "Élodie 50%");
    assert_int_equal(out.version, 3);
    ch->to.id = v.id;
    ch->change.if_version = 0;
    assert_err(user_update(&test, ch, &out), ERR_CONFLICT);
    assert_string_equal(test.fault.message, "another user has this e-mail address");
    ctx_forgive(&test);
    assert_err(user_update(&test, CHANGE_OF(struct user_change, u.id, role, "agent"), &out), ERR_INVALID);
    assert_string_equal(test.fault.fields->pointer, "/role");
    ctx_forgive(&test);
    OK(user_list(&test, &f, &page));
    assert_int_equal(page.n, 1);
    f.q = "50%";
    OK(user_list(&test, &f, &page));
    assert_int_equal(page.n, 1);
    f.q = "%";
    OK(user_list(&test, &f, &page));
    assert_int_equal(page.n, 1);
    assert_err(user_get(&test, uuid_new(1), &out), ERR_NOT_FOUND);
    ctx_forgive(&test);
    house_be_system(&test, &house_two);
    assert_err(user_get(&test, u.id, &out), ERR_NOT_FOUND);
}

static void deleted_user(void **state)
{
    struct user u = house_user("editor");
    const char *token = arena_strdup(test.arena, house_user_token(u.id));
    struct space s = house_space("s");

    (void)state;
    house_grant(s.id, GRANTEE_USER, UUID_STR(u.id), ACCESS_READ);
    house_be(&other, token);
    OK(user_delete(&test, &(struct thing_key){u.id, 1}));
    assert_err(house_come(&other, token), ERR_UNAUTHORIZED);
    assert_int_equal(count("SELECT COUNT(*) FROM token WHERE user_id = ", u.id), 0);
    assert_int_equal(count("SELECT COUNT(*) FROM space_grant WHERE grantee_id = ", u.id), 0);
    assert_err(user_delete(&test, &(struct thing_key){u.id, 0}), ERR_NOT_FOUND);
    assert_int_equal(count("SELECT COUNT(*) FROM audit_event WHERE kind = 'user.delete' AND subject_id = ", u.id), 1);
}

/* ---- roles */

static void roles(void **state)
{
    struct role r, *all;
    struct agent a = house_agent("readonly");
    const char *token = arena_strdup(test.arena, house_agent_token(a.id));
    size_t n;

    (void)state;
    OK(role_list(&test, &all, &n));
    assert_true(n >= 8);
    house_be(&other, token);
    assert_false(permissions_have(other.who->perms, PERM_JOBS_READ));
    OK(role_set_permissions(&test, &(struct role){.name = "readonly", .perms = permissions_add(0, PERM_JOBS_READ)}, &r));
    assert_true(r.built_in && permissions_have(r.perms, PERM_JOBS_READ) && permissions_have(r.perms, PERM_MEMORY_READ));
    house_be(&other, token);
    assert_true(permissions_have(other.who->perms, PERM_JOBS_READ) && permissions_have(other.who->perms, PERM_MEMORY_READ));
    OK(role_set_permissions(&test, &(struct role){.name = "readonly", .perms = 0}, &r));
    house_be(&other, token);
    assert_false(permissions_have(other.who->perms, PERM_JOBS_READ));
    assert_err(role_delete(&test, "readonly"), ERR_CONFLICT);
    ctx_forgive(&test);
    assert_err(role_get(&test, "nothing", &r), ERR_NOT_FOUND);
}

static void own_roles(void **state)
{
    struct role in = {.name = "scribe", .kind = ROLE_OF_AGENT, .description = "", .perms = permissions_add(0, PERM_MEMORY_WRITE)};
    struct role r;
    struct agent a, out;

    (void)state;
    OK(role_create(&test, &in, &r));
    assert_true(!r.built_in && r.permissions.n == 1);
    assert_err(role_create(&test, &in, &r), ERR_CONFLICT);
    ctx_forgive(&test);
    in.name = "owner";
    assert_err(role_create(&test, &in, &r), ERR_CONFLICT);
    ctx_forgive(&test);
    a = house_agent("scribe");
    assert_err(role_delete(&test, "scribe"), ERR_CONFLICT);
    ctx_forgive(&test);
    OK(agent_update(&test, CHANGE_OF(struct agent_change, a.id, role, "agent"), &out));
    OK(role_delete(&test, "scribe"));
    assert_err(agent_update(&test, CHANGE_OF(struct agent_change, a.id, role, "scribe"), &out), ERR_INVALID);
    ctx_forgive(&test);
    house_be_system(&test, &house_two);
    assert_err(role_get(&test, "clerk", &r), ERR_NOT_FOUND); /* another account's */
}

/* ---- agents */

static void agents(void **state)
{
    struct agent in = {.slug = "fox", .name = "Fox", .description = "quick"};
    struct agent a, child, out;
    struct page page;

    (void)state;
    OK(agent_create(&test, &in, &a));
    assert_string_equal(a.role, "agent");
    assert_string_equal(a.kind, "assistant");
    assert_err(agent_create(&test, &in, &out), ERR_CONFLICT);
    ctx_forgive(&test);
    in.slug = "bad slug";
    assert_err(agent_create(&test, &in, &out), ERR_INVALID);
    ctx_forgive(&test);
    in = (struct agent){.slug = "cub", .name = "Cub", .parent_id = a.id};
    OK(agent_create(&test, &in, &child));
    assert_err(agent_update(&test, CHANGE_OF(struct agent_change, a.id, parent_id, child.id), &out),
               ERR_INVALID);                                             /* a circle */
    ctx_forgive(&test);
    in = (struct agent){.slug = "orphan", .name = "Orphan", .parent_id = uuid_new(1)};
    assert_err(agent_create(&test, &in, &out), ERR_INVALID);
    ctx_forgive(&test);
    OK(agent_list(&test, &(struct agent_filter){.status = -1, .q = "fö_%", .limit = 10}, &page));
    assert_int_equal(page.n, 0);
    OK(agent_list(&test, &(struct agent_filter){.status = -1, .q = "FOX", .limit = 10}, &page));
    assert_int_equal(page.n, 1);
    OK(agent_archive(&test, &(struct thing_key){a.id, 1}));
    OK(agent_archive(&test, &(struct thing_key){a.id, 0}));
    OK(agent_get(&test, a.id, &out));
    assert_true(out.status == AGENT_ARCHIVED && out.version == 2);
    assert_err(agent_archive(&test, &(struct thing_key){a.id, 1}), ERR_PRECONDITION);
}

static void agent_parts(void **state)
{
    struct agent a = house_agent("agent");
    struct agent_roles out;
    const char *many[17];

    (void)state;
    OK(agent_roles_set(&test, &(struct agent_roles){a.id, STRS("reviewer", "coder", "coder")}, &out));
    assert_int_equal(out.roles.n, 2);
    assert_string_equal(out.roles.v[0], "coder");
    OK(agent_roles_set(&test, &(struct agent_roles){a.id, (struct strs){0}}, &out));
    assert_int_equal(out.roles.n, 0);
    assert_err(agent_roles_set(&test, &(struct agent_roles){a.id, STRS("coder", "Not a slug")}, &out), ERR_INVALID);
    assert_string_equal(test.fault.fields->pointer, "/roles/1");
    ctx_forgive(&test);
    for (int i = 0; i < 17; i++)
        many[i] = arena_printf(test.arena, "part%d", i);
    OK(agent_roles_set(&test, &(struct agent_roles){a.id, (struct strs){many, 16}}, &out));
    assert_err(agent_roles_set(&test, &(struct agent_roles){a.id, (struct strs){many, 17}}, &out), ERR_INVALID);
}

static const char *make_key(void)
{
    unsigned char pk[crypto_sign_PUBLICKEYBYTES], sk[crypto_sign_SECRETKEYBYTES];

    crypto_sign_keypair(pk, sk);
    return b64url_encode(test.arena, pk, sizeof pk);
}

static void agent_keys(void **state)
{
    struct agent a = house_agent("agent"), b = house_agent("agent");
    struct agent_key_new in = {.name = "laptop", .public_key = make_key()};
    struct agent_key k, other_key;
    struct page page;

    (void)state;
    OK(agent_key_add(&test, a.id, &in, &k));
    assert_string_equal(k.public_key, in.public_key);
    assert_err(agent_key_add(&test, a.id, &in, &other_key), ERR_CONFLICT);
    ctx_forgive(&test);
    in.public_key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"; /* of small order */
    assert_err(agent_key_add(&test, a.id, &in, &other_key), ERR_INVALID);
    ctx_forgive(&test);
    in.public_key = "zzz";
    assert_err(agent_key_add(&test, a.id, &in, &other_key), ERR_INVALID);
    ctx_forgive(&test);
    assert_err(agent_key_revoke(&test, b.id, k.id), ERR_NOT_FOUND);
    ctx_forgive(&test);
    OK(agent_key_revoke(&test, a.id, k.id));
    OK(agent_key_revoke(&test, a.id, k.id));
    OK(agent_key_list(&test, a.id, 10, NULL, &page));
    assert_true(page.n == 1 && ((struct agent_key *)page.items)->revoked_at.us);
    for (int i = 0; i < LIMIT_AGENT_KEYS; i++) {
        in.public_key = make_key();
        OK(agent_key_add(&test, a.id, &in, &k));
    }
    in.public_key = make_key();
    assert_err(agent_key_add(&test, a.id, &in, &k), ERR_CONFLICT);
}

/* ---- teams */

static void team_life(void **state)
{
    struct team in = {.slug = "blue", .name = "Blue"};
    struct agent a = house_agent("agent");
    struct team_member m;
    struct team t, again;
    struct page page;

    (void)state;
    OK(team_create(&test, &in, &t));
    assert_err(team_create(&test, &in, &again), ERR_CONFLICT);
    ctx_forgive(&test);
    OK(team_put_member(&test, &(struct team_member){.team_id = t.id, .agent_id = a.id, .role = "scout", .is_lead = true}, &m));
    OK(team_put_member(&test, &(struct team_member){.team_id = t.id, .agent_id = a.id, .role = "scout"}, &m));
    assert_true(str_eq(m.role, "scout") && !m.is_lead);
    OK(team_members(&test, &(struct team_member_filter){.id = t.id, .limit = 10}, &page));
    assert_int_equal(page.n, 1);
    OK(team_list(&test, &(struct team_filter){.q = "blü", .limit = 10}, &page));
    OK(team_list(&test, &(struct team_filter){.q = "lue", .limit = 10}, &page));
    assert_int_equal(page.n, 1);
    assert_err(team_put_member(&test, &(struct team_member){.team_id = t.id, .agent_id = uuid_new(1)}, &m), ERR_NOT_FOUND);
    ctx_forgive(&test);
    OK(team_get(&test, t.id, &t));
    assert_int_equal(t.members, 1);
    OK(team_update(&test, CHANGE_OF(struct team_change, t.id, name, "Navy", .change.if_version = 1), &t));
    assert_err(team_delete(&test, &(struct thing_key){t.id, 1}), ERR_PRECONDITION);
    ctx_forgive(&test);
    OK(team_delete(&test, &(struct thing_key){t.id, 2}));
    assert_int_equal(count("SELECT COUNT(*) FROM space_grant WHERE grantee_kind = 'team' AND grantee_id = ", t.id), 0);
    assert_int_equal(count("SELECT COUNT(*) FROM space WHERE status = 'archived' AND team_id = ", t.id), 1);
    OK(team_create(&test, &in, &again)); /* the name is free again */
    assert_err(team_remove_member(&test, &(struct team_member){.team_id = again.id, .agent_id = a.id}), ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOUSE_CASE(account_comes_with_namespaces), HOUSE_CASE(account_settings_merge), HOUSE_CASE(the_last_owner_stays),
        HOUSE_CASE(nobody_rises_above_himself), HOUSE_CASE(manager_of_little), HOUSE_CASE(user_changes),
        HOUSE_CASE(deleted_user), HOUSE_CASE(roles), HOUSE_CASE(own_roles), HOUSE_CASE(agents), HOUSE_CASE(agent_parts),
        HOUSE_CASE(agent_keys), HOUSE_CASE(team_life),
    };

    return cmocka_run_group_tests_name("people", tests, house_begins, house_ends);
}
