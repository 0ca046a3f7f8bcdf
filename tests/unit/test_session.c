/* Browser sessions: login in one voice, idle and whole life, ending, and what a new password does to them. */
#include <signal.h>
#include <unistd.h>

#include "house.h"

#include <ctype.h>

#include "config.h"
#include "kv.h"
#include "session.h"

static void forget_tries(void)
{
    struct kv_reply r;

    OK(kv_eval(&test, &r, "for _, k in ipairs(redis.call('KEYS', 'loci:{login}*')) do redis.call('DEL', k) end return 1", 0));
}

static int begins(void **state)
{
    test_conf->session_idle_s = 600;
    test_conf->session_max_s = 3600;
    test_conf->login_tries = 10;
    house_test_begins(state);
    forget_tries();
    return 0;
}

#define SESSION_CASE(f) cmocka_unit_test_setup(f, begins)

/* A request by nobody that logs in. */
static err login(const char *email, const char *password, struct login_done *out)
{
    struct login in = {.email = email, .password = password, .user_agent = "test browser"};

    ctx_begin(&test, 30);
    test.request_id = "test";
    test.ip = "192.0.2.1";
    return session_login(&test, &in, out);
}

static err come(struct ctx *c, const char *cookie)
{
    struct rate_state rate;

    ctx_begin(c, 30);
    c->request_id = "test";
    c->ip = "192.0.2.1";
    return access_by_session(c, cookie, &rate);
}

static void in_and_out(void **state)
{
    struct user u = house_user("editor");
    struct login_done in;

    (void)state;
    OK(login(u.email, PASSWORD, &in));
    assert_true(uuid_eq(in.user_id, u.id) && in.max_age_s == 3600);
    OK(come(&test, in.cookie));
    assert_true(test.who->kind == PRINCIPAL_USER && uuid_eq(test.who->id, u.id));
    assert_string_equal(test.who->csrf, in.csrf);
    assert_string_equal(test.who->email, u.email);
    assert_non_null(test.who->session);
    assert_true(permissions_have(test.who->perms, PERM_MEMORY_WRITE));
    assert_int_equal(test_number("SELECT COUNT(*) FROM user WHERE last_login_at IS NOT NULL"), 1);
    OK(session_end_current(&test));
    assert_err(come(&test, in.cookie), ERR_UNAUTHORIZED);
}

static void one_voice(void **state)
{
    struct user u = house_user("editor"), off = house_user("editor");
    struct user out;
    struct login_done in;
    struct { const char *email, *password; } wrong[] = {
        {u.email, "wrong password"}, {u.email, ""}, {u.email, NULL}, {"nobody@one.example", PASSWORD}, {"no address", PASSWORD},
        {NULL, NULL}, {off.email, PASSWORD}, {u.email, "correct horse battery "},
    };

    (void)state;
    OK(user_update(&test, CHANGE_OF(struct user_change, off.id, status, USER_DISABLED), &out));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_err(login(wrong[i].email, wrong[i].password, &in), ERR_UNAUTHORIZED);
        assert_string_equal(test.fault.message, "e-mail address, password or account is wrong");
        assert_null(test.who);
    }
    assert_true(test_number("SELECT COUNT(*) FROM audit_event WHERE kind = 'user.login_refuse'") > 0);
}

/* An address known in two accounts wants the account's name. */
static void which_account(void **state)
{
    struct user n = {.email = "both@example.org", .name = "Both", .role = "viewer", .password = PASSWORD};
    struct login in = {.email = "BOTH@example.org", .password = PASSWORD};
    struct user u;
    struct account acc;
    struct login_done done;

    (void)state;
    OK(user_create(&test, &n, &u));
    house_be_system(&test, &house_two);
    OK(user_create(&test, &n, &u));
    assert_err(login("both@example.org", PASSWORD, &done), ERR_UNAUTHORIZED);
    house_request(&test);
    in.account = "two";
    OK(session_login(&test, &in, &done));
    assert_true(uuid_eq(done.user_id, u.id));
    house_request(&test);
    in.account = "three";
    assert_err(session_login(&test, &in, &done), ERR_UNAUTHORIZED);
    house_request(&test);
    in.account = "Zwölf";
    assert_err(session_login(&test, &in, &done), ERR_UNAUTHORIZED);
    house_request(&test);
    house_be_system(&test, &house_two); /* suspended accounts do not count */
    OK(account_set_status(&test, ACCOUNT_SUSPENDED, &acc));
    OK(login("both@example.org", PASSWORD, &done));
    assert_false(uuid_eq(done.user_id, u.id));
    house_be_system(&test, &house_two);
    OK(account_set_status(&test, ACCOUNT_ACTIVE, &acc));
}

static void too_many_tries(void **state)
{
    struct user u = house_user("viewer"), v = house_user("viewer");
    struct login_done in;

    (void)state;
    test_conf->login_tries = 3;
    OK(login(u.email, PASSWORD, &in)); /* forgets what was counted */
    for (int i = 0; i < 3; i++)
        assert_err(login(u.email, "wrong password", &in), ERR_UNAUTHORIZED);
    assert_err(login(u.email, PASSWORD, &in), ERR_RATE);
    assert_true(test.fault.retry_after_s > 800 && test.fault.retry_after_s <= 900);
    OK(login(v.email, PASSWORD, &in)); /* others are let in */
    forget_tries();
    for (int i = 0; i < 3 * 5; i++) { /* one address, many names, and a login of one's own */
        assert_err(login(arena_printf(test.arena, "x%d@one.example", i), "wrong password", &in), ERR_UNAUTHORIZED);
        if (i < 3 * 5 - 1)
            OK(login(u.email, PASSWORD, &in));
    }
    assert_err(login(v.email, PASSWORD, &in), ERR_RATE);
    forget_tries();
    for (int i = 0; i < 3; i++) { /* one name in many spellings */
        char *spelt = arena_strdup(test.arena, u.email);

        spelt[i] = (char)toupper((unsigned char)spelt[i]);
        assert_err(login(spelt, "wrong password", &in), ERR_UNAUTHORIZED);
    }
    assert_err(login(u.email, PASSWORD, &in), ERR_RATE);
}

static void a_login_is_a_new_session(void **state)
{
    struct user u = house_user("viewer");
    struct login in = {.email = u.email, .password = PASSWORD};
    struct login_done first, second;

    (void)state;
    OK(login(u.email, PASSWORD, &first));
    in.old_cookie = arena_strdup(other.arena, first.cookie);
    house_request(&test);
    OK(session_login(&test, &in, &second));
    assert_string_not_equal(in.old_cookie, second.cookie);
    assert_err(come(&other, in.old_cookie), ERR_UNAUTHORIZED);
    OK(come(&test, second.cookie));
}

static void cookies_that_are_none(void **state)
{
    struct user u = house_user("viewer");
    struct login_done in;
    char *wrong, *two = arena_alloc(other.arena, 33);
    const char *foreign;

    (void)state;
    OK(login(u.email, PASSWORD, &in));
    wrong = arena_strdup(test.arena, in.cookie);
    wrong[strlen(wrong) - 1] = wrong[strlen(wrong) - 1] == 'a' ? 'b' : 'a';
    hex_encode(house_two.id.b, 16, two);
    foreign = arena_printf(test.arena, "%s%s", two, in.cookie + 32);
    assert_err(come(&test, wrong), ERR_UNAUTHORIZED);
    assert_err(come(&test, foreign), ERR_UNAUTHORIZED); /* the same secret under another account */
    assert_err(come(&test, ""), ERR_UNAUTHORIZED);
    assert_err(come(&test, NULL), ERR_UNAUTHORIZED);
    assert_err(come(&test, in.cookie + 1), ERR_UNAUTHORIZED);
    OK(come(&test, in.cookie));
}

static void idle_and_old(void **state)
{
    struct user u = house_user("viewer");
    struct login_done idle, old;
    int64_t began;

    (void)state;
    test_conf->session_idle_s = 1;
    OK(login(u.email, PASSWORD, &idle));
    usleep(1300000);
    assert_err(come(&test, idle.cookie), ERR_UNAUTHORIZED);
    test_conf->session_max_s = 1;
    test_conf->session_idle_s = 600;
    began = clock_monotonic_us();
    OK(login(u.email, PASSWORD, &old));
    while (come(&test, old.cookie) == ERR_OK) { /* use does not prolong it beyond its life */
        assert_true(clock_monotonic_us() - began < 10 * SECOND_US);
        usleep(100000);
    }
    assert_true(clock_monotonic_us() - began > SECOND_US - 10000);
    assert_err(come(&test, old.cookie), ERR_UNAUTHORIZED);
}

static void listed_and_ended(void **state)
{
    struct user u = house_user("viewer"), v = house_user("viewer");
    struct login_done a, b, c;
    const char *end_me = NULL;
    struct session *list;
    size_t n;

    (void)state;
    OK(login(u.email, PASSWORD, &a));
    OK(login(u.email, PASSWORD, &b));
    OK(login(v.email, PASSWORD, &c));
    OK(come(&test, a.cookie));
    OK(session_list(&test, u.id, &list, &n));
    assert_int_equal(n, 2);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(list[i].user_agent, "test browser");
        assert_string_equal(list[i].ip, "192.0.2.1");
        assert_true(list[i].created_at.us && list[i].ends_at.us == list[i].created_at.us + 3600 * SECOND_US);
        if (!list[i].current)
            end_me = list[i].id;
    }
    assert_non_null(end_me);
    assert_err(session_list(&test, v.id, &list, &n), ERR_FORBIDDEN);
    ctx_forgive(&test);
    assert_err(session_end(&test, v.id, end_me), ERR_FORBIDDEN);
    ctx_forgive(&test);
    OK(session_end(&test, u.id, end_me));
    assert_err(session_end(&test, u.id, end_me), ERR_NOT_FOUND);
    ctx_forgive(&test);
    assert_err(come(&other, b.cookie), ERR_UNAUTHORIZED);
    OK(come(&other, a.cookie));
    assert_err(session_end_every(&other, v.id), ERR_FORBIDDEN);
    ctx_forgive(&other);
    OK(session_end_every(&other, u.id));
    assert_err(come(&other, a.cookie), ERR_UNAUTHORIZED);
    house_be_system(&test, &house_two); /* nobody of that account */
    assert_err(session_list(&test, u.id, &list, &n), ERR_NOT_FOUND);
    OK(come(&other, c.cookie));
}

static void what_ends_them(void **state)
{
    struct user u = house_user("editor");
    struct user out;
    struct login_done in;

    (void)state;
    OK(login(u.email, PASSWORD, &in));
    OK(come(&other, in.cookie));
    assert_err(user_set_password(&other, &(struct user_password){u.id, "wrong password", "another password"}), ERR_INVALID);
    ctx_forgive(&other);
    OK(user_set_password(&other, &(struct user_password){u.id, PASSWORD, "another password"}));
    assert_err(come(&other, in.cookie), ERR_UNAUTHORIZED);
    assert_err(login(u.email, PASSWORD, &in), ERR_UNAUTHORIZED);
    OK(login(u.email, "another password", &in));
    OK(come(&other, in.cookie));
    house_be_system(&test, &house_one);
    OK(user_update(&test, CHANGE_OF(struct user_change, u.id, role, "viewer"), &out));
    assert_err(come(&other, in.cookie), ERR_UNAUTHORIZED);
    OK(login(u.email, "another password", &in));
    OK(come(&other, in.cookie));
    house_be_system(&test, &house_one);
    OK(user_update(&test, CHANGE_OF(struct user_change, u.id, status, USER_DISABLED), &out));
    assert_err(come(&other, in.cookie), ERR_UNAUTHORIZED);
}

/* Even if Redis was away when the password changed: the stamp in the session is no longer the password's. */
static void stamp_outlives_redis(void **state)
{
    struct user u = house_user("editor");
    struct login_done in;

    (void)state;
    OK(login(u.email, PASSWORD, &in));
    OK(come(&other, in.cookie));
    test_sql(arena_printf(test.arena, "UPDATE user SET password_hash = 'x' WHERE id = '%s'", UUID_STR(u.id)));
    OK(kv_cmd(&test, NULL, kv_text("DEL"), kv_fmt(&test, "loci:{%s}:gen", UUID_STR(house_one.id))));
    assert_err(come(&other, in.cookie), ERR_UNAUTHORIZED);
}

static void pruned(void **state)
{
    struct user u = house_user("viewer");
    struct login_done a, b;
    struct session *list;
    int64_t gone;
    size_t n;

    (void)state;
    house_be_system(&test, &house_one);
    OK(session_prune(&test, 1000, &gone));
    test_conf->session_idle_s = 60;
    OK(login(u.email, PASSWORD, &a));
    test_conf->session_idle_s = 1;
    OK(login(u.email, PASSWORD, &b));
    test_conf->session_idle_s = 600;
    OK(come(&test, a.cookie));
    usleep(1300000);
    house_be_system(&test, &house_one);
    OK(session_prune(&test, 1000, &gone));
    assert_int_equal(gone, 1);
    OK(session_list(&test, u.id, &list, &n));
    assert_int_equal(n, 1);
}

static void redis_away(void **state)
{
    struct user u = house_user("viewer");
    struct login_done in;

    (void)state;
    OK(login(u.email, PASSWORD, &in));
    stack_kv_signal(SIGKILL);
    assert_err(come(&other, in.cookie), ERR_UNAVAILABLE);
    assert_err(login(u.email, PASSWORD, &in), ERR_UNAVAILABLE);
    stack_kv_again();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SESSION_CASE(in_and_out), SESSION_CASE(one_voice), SESSION_CASE(which_account), SESSION_CASE(too_many_tries),
        SESSION_CASE(a_login_is_a_new_session), SESSION_CASE(cookies_that_are_none), SESSION_CASE(idle_and_old),
        SESSION_CASE(listed_and_ended), SESSION_CASE(what_ends_them), SESSION_CASE(stamp_outlives_redis),
        SESSION_CASE(pruned), SESSION_CASE(redis_away),
    };

    return cmocka_run_group_tests_name("session", tests, house_begins, house_ends);
}
