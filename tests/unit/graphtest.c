/* See graphtest.h. */
#include "graphtest.h"

#include <sodium.h>
#include <unistd.h>

#include "account.h"
#include "agent.h"
#include "log.h"
#include "metrics.h"
#include "node.h"
#include "simd.h"
#include "space.h"
#include "token.h"
#include "user.h"

struct cast cast;
struct app test_app;
static struct log test_log = {.level = LOG_WARN, .fd = 2, .program = "test"};
static int64_t days;

const char *test_fails(err e, err code, const char *what, const char *file, int line)
{
    const char *pointer = test.fault.fields ? test.fault.fields->pointer : "";

    if (e != code) {
        print_error("%s: %s, not %s: %s (%s)\n", what, err_info(e)->slug, err_info(code)->slug,
                    test.fault.message ? test.fault.message : "-", db_last_error(&test));
        _fail(file, line);
    }
    assert_false(db_in_tx(&test));
    ctx_forgive(&test);
    return pointer;
}

struct json *test_json(const char *text)
{
    struct json *j = NULL;
    const char *why = "";

    if (json_parse(test.arena, text, strlen(text), &j, &why) != JSON_OK)
        BROKEN("not JSON: %s: %s", why, text);
    return j;
}

static void begin(void)
{
    arena_reset(test.arena);
    ctx_begin(&test, 30);
    test.now.us += days * DAY_US;
    test.request_id = "test-request";
    test.ip = "192.0.2.1";
}

void days_pass(int n)
{
    days += n;
}

void within_day(void)
{
    while (DAY_US - clock_now().us % DAY_US < 30 * SECOND_US)
        usleep(100000);
}

void act(enum actor who)
{
    struct rate_state rate;

    begin();
    OK(access_by_token(&test, cast.token[who], &rate));
}

/* ---- the cast */

static void give_token(enum actor a, struct uuid user_id, struct uuid agent_id)
{
    struct token t;

    OK(token_create(&test, &(struct token){.name = "test", .user_id = user_id, .agent_id = agent_id}, &t));
    snprintf(cast.token[a], sizeof cast.token[a], "%s", t.secret);
    cast.account_id[a] = test.account_id;
    cast.id[a] = uuid_is_nil(user_id) ? agent_id : user_id;
}

static void add_agent(enum actor a, const char *slug)
{
    struct agent g;
    struct space own;

    OK(agent_create(&test, &(struct agent){.slug = slug, .name = slug, .trust = 0.5}, &g));
    OK(access_as_system(&test, test.account_id, "test"));
    OK(space_by_slug(&test, SPACE_NAMESPACE, arena_printf(test.arena, "agent:%s", UUID_STR(g.id)), &own));
    give_token(a, (struct uuid){{0}}, g.id);
    cast.own_space[a] = own.id;
}

static void add_user(enum actor a, const char *email, const char *role)
{
    struct user u;

    OK(user_create(&test, &(struct user){.email = email, .name = email, .role = role}, &u));
    give_token(a, u.id, (struct uuid){{0}});
}

int graph_group_begins(void **state)
{
    struct account account;

    (void)state;
    test_conf = stack_start();
    stack_ctx(&test, test_conf, 30);
    stack_fresh_schema(&test);
    test_app = (struct app){.conf = test_conf, .log = &test_log, .metrics = metrics_new(), .simd = simd_available(0),
                            .access_cache = access_cache_new(64), .touches = node_touches_new(1000), .host = "test"};
    randombytes_buf(test_app.secret, sizeof test_app.secret);
    test.app = &test_app;
    begin();
    OK(account_create(&test, "one", "One", "test", NULL, &account));
    add_user(OWNER, "owner@example.org", "owner");
    add_user(EDITOR, "editor@example.org", "editor");
    add_agent(ALICE, "alice");
    add_agent(BOB, "bob");
    begin();
    OK(account_create(&test, "two", "Two", "test", NULL, &account));
    add_agent(STRANGER, "stranger");
    return 0;
}

int graph_group_ends(void **state)
{
    int code;

    test.app = NULL;
    code = test_group_ends(state); /* what its arena deferred still needs the cache */
    node_touches_free(test_app.touches);
    access_cache_free(test_app.access_cache);
    metrics_free(test_app.metrics);
    return code;
}
