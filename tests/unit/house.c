/* See house.h. */
#include "house.h"

#include <sodium.h>

#include "changes.h"
#include "log.h"
#include "metrics.h"
#include "node_cache.h"

struct account house_one, house_two;
struct app house_app, house_other_app;
struct ctx other;

static struct log quiet = {.level = LOG_ERROR, .fd = 2, .program = "test"};
static int made;

static const struct change_hearer *const HEARERS[] = {&access_cache_hearer, &node_cache_hearer, NULL};

static void app_begins(struct app *app)
{
    *app = (struct app){.conf = test_conf, .log = &quiet, .metrics = metrics_new(),
                        .access_cache = access_cache_new(100), .hearers = HEARERS, .host = "test"};
    memset(app->secret, 7, sizeof app->secret);
}

static void app_ends(struct app *app)
{
    access_cache_free(app->access_cache);
    metrics_free(app->metrics);
}

/* Texts of what lives longer than a request. */
static struct account make_account(const char *slug, const char *email)
{
    struct account a;
    struct user owner = {.email = email, .name = "Owner", .password = PASSWORD};

    OK(account_create(&test, slug, slug, "test", &owner, &a));
    a.slug = slug;
    a.name = slug;
    a.settings = NULL;
    return a;
}

int house_begins(void **state)
{
    setenv("LOCI_SECURITY_ARGON_FAST", "yes", 1);
    if (sodium_init() < 0 || test_group_begins(state) != 0)
        return 1;
    stack_fresh_schema(&test);
    app_begins(&house_app);
    app_begins(&house_other_app);
    stack_ctx(&other, test_conf, 30);
    other.app = &house_other_app;
    test.app = &house_app;
    house_one = make_account("one", OWNER_EMAIL);
    house_request(&test);
    house_two = make_account("two", "owner@two.example");
    return 0;
}

int house_ends(void **state)
{
    stack_ctx_done(&other);
    test_group_ends(state);
    app_ends(&house_app);
    app_ends(&house_other_app);
    return 0;
}

void house_request(struct ctx *c)
{
    arena_reset(c->arena);
    ctx_begin(c, 30);
    c->request_id = "test";
    c->ip = "192.0.2.1";
}

int house_test_begins(void **state)
{
    (void)state;
    house_request(&other);
    house_request(&test);
    house_be_system(&test, &house_one);
    return 0;
}

void house_be_system(struct ctx *c, const struct account *a)
{
    test_ok(c, access_as_system(c, a->id, "test"), "access_as_system", __FILE__, __LINE__);
}

/* Runs as the system on the other connection, so that `test` stays who it is. */
static struct ctx *system_ctx(void)
{
    ctx_begin(&other, 30);
    other.request_id = "test";
    house_be_system(&other, &house_one);
    return &other;
}

struct user house_user(const char *role)
{
    struct ctx *c = system_ctx();
    struct user in = {.email = arena_printf(c->arena, "user%d@one.example", ++made), .name = "Somebody",
                          .role = role, .password = PASSWORD};
    struct user u;

    test_ok(c, user_create(c, &in, &u), "user_create", __FILE__, __LINE__);
    return u;
}

struct agent house_agent(const char *role)
{
    struct ctx *c = system_ctx();
    struct agent in = {.slug = arena_printf(c->arena, "agent%d", ++made), .name = "Some agent", .role = role};
    struct agent a;

    test_ok(c, agent_create(c, &in, &a), "agent_create", __FILE__, __LINE__);
    return a;
}

const char *house_token(struct uuid user_id, struct uuid agent_id, struct strs scopes)
{
    struct ctx *c = system_ctx();
    struct token in = {.user_id = user_id, .agent_id = agent_id, .name = "test", .scopes = scopes};
    struct token t;

    test_ok(c, token_create(c, &in, &t), "token_create", __FILE__, __LINE__);
    return t.secret;
}

const char *house_agent_token(struct uuid agent_id)
{
    return house_token((struct uuid){{0}}, agent_id, (struct strs){0});
}

const char *house_user_token(struct uuid user_id)
{
    return house_token(user_id, (struct uuid){{0}}, (struct strs){0});
}

struct space house_space(const char *slug)
{
    struct ctx *c = system_ctx();
    struct space in = {.kind = SPACE_CONTEXT, .slug = arena_printf(c->arena, "%s%d", slug, ++made), .name = slug};
    struct space s = {.slug = in.slug};
    struct uuid id = {{0}};

    test_ok(c, space_make(c, &in, &id), "space_make", __FILE__, __LINE__);
    s.id = id;
    return s;
}

struct granting {
    struct grant in;
};

static err make_grant(struct ctx *c, void *arg)
{
    TRY(grant_make(c, &((struct granting *)arg)->in));
    return access_changed(c);
}

void house_grant(struct uuid space, enum grantee_kind kind, const char *id, enum access_level level)
{
    struct ctx *c = system_ctx();
    struct granting g = {{.space_id = space, .grantee_kind = kind, .grantee_id = id, .level = level}};

    test_ok(c, db_tx(c, make_grant, &g), "grant_make", __FILE__, __LINE__);
}

err house_come(struct ctx *c, const char *token)
{
    struct rate_state rate;

    ctx_begin(c, 30);
    c->request_id = "test";
    c->ip = "192.0.2.1";
    return access_by_token(c, token, &rate);
}

void house_be(struct ctx *c, const char *token)
{
    test_ok(c, house_come(c, token), "access_by_token", __FILE__, __LINE__);
}

double house_counted(const struct app *app, const char *metric)
{
    struct arena *a = arena_new(16u * 1024 * 1024);
    struct buf b;
    const char *at;
    double n = 0;

    buf_init(&b, a, 4096);
    metrics_render(app->metrics, &b);
    at = strstr(buf_str(&b), arena_printf(a, "\n%s ", metric));
    if (at)
        n = strtod(at + 2 + strlen(metric), NULL);
    arena_free(a);
    return n;
}
