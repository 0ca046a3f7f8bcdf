/* Fuzzes MCP: any headers and body become a message, are compared, done as far as no store is needed, and answered in JSON-RPC. */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>

#include "app.h"
#include "config.h"
#include "fake_carrier.h"
#include "log.h"
#include "mcp_headers.h"
#include "mcp_impl.h"
#include "metrics.h"

/* The input, cut at NULs; what is left is the body. */
static const char *const VARS[] = {"HTTP_HOST", "HTTP_ORIGIN", "HTTP_MCP_PROTOCOL_VERSION", "HTTP_MCP_METHOD", "HTTP_MCP_NAME",
                                   "HTTP_MCP_PARAM_REGION"};
#define N_VARS (sizeof VARS / sizeof *VARS)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- operations without a store */

struct echo {
    struct uuid agent_id;
    const char *name, *body;
    int64_t n;
    const struct json *value;
};

static const struct field ECHO[] = {
    F_UUID(struct echo, agent_id, FIELD_REQUIRED, "whose"),
    F_STR(struct echo, name, FIELD_REQUIRED, 1, 20, "name"),
    F_STR(struct echo, body, FIELD_NULLABLE, 0, 50, "text"),
    F_INT(struct echo, n, 0, 0, 10, 3, "number"),
    F_JSON(struct echo, value, FIELD_NULLABLE, 1000, "anything"),
    F_END
};

static err echo(struct ctx *c, const void *in, void *out)
{
    const struct echo *i = in;

    *(struct echo *)out = *i;
    return i->n == 7 ? fail(c, ERR_CONFLICT, "it is seven") : ERR_OK;
}

static const struct op ECHO_OP = {
    .name = "echo", .method = "GET", .path = "/api/v1/echo/:name", .tool = "echo", .tag = "t", .summary = "Echo.", .help = "More.",
    .flags = OP_OPEN | OP_READONLY, OP_IN(ECHO, struct echo), OP_OUT(ECHO, struct echo), .run = echo,
};
static const struct op DROP_OP = {
    .name = "drop", .method = "DELETE", .path = "/api/v1/echo/:name", .tool = "drop", .tag = "t", .summary = "Drop.",
    .flags = OP_OPEN | OP_DESTRUCTIVE | OP_CONFIRM, OP_IN(ECHO, struct echo), OP_OUT(ECHO, struct echo), .run = echo,
};

/* ---- one process for all inputs */

static struct app *make_app(struct arena *a)
{
    static const struct op *const OPS[] = {&ECHO_OP, &DROP_OP};
    static struct op_table table = {OPS, 2};
    struct app *app = ARENA_NEW(a, struct app);
    struct log *log = ARENA_NEW(a, struct log);
    struct config *conf;
    const char *why;

    conf = config_load(a, NULL, &why);
    assert(conf);
    conf->mcp_hosts = "memory.example other.example";
    conf->mcp_conformance_fixtures = true;
    *log = (struct log){.level = LOG_ERROR, .fd = open("/dev/null", O_WRONLY | O_CLOEXEC), .program = "fuzz"};
    app->conf = conf;
    app->log = log;
    app->metrics = metrics_new();
    app->ops = &table;
    return app;
}

/* One answer, which is a result or an error with a code and a sentence, to the id that was sent. */
static void check_answer(struct arena *a, const struct mcp *m, const struct json *answer)
{
    const char *text = json_text(a, answer), *why;
    const struct json *error;
    struct json *j;

    assert(json_parse(a, text, strlen(text), &j, &why) == JSON_OK);
    assert(str_eq(json_get_str(j, "jsonrpc"), "2.0"));
    assert(!json_get(j, "result") == !!json_get(j, "error"));
    error = json_get(j, "error");
    if (error)
        assert(json_get_int(error, "code", 0) && json_get_str(error, "message"));
    if (m->id)
        assert(json_equal(json_get(j, "id"), m->id));
}

static void one_message(struct ctx *c, struct exchange *x, struct bytes body)
{
    struct mcp_peer peer = {0};
    struct mcp m = {.peer = &peer};
    const char *host = exchange_header(x, "Host"), *origin = exchange_header(x, "Origin");
    err e = mcp_read(c, body, &m);

    if (mcp_host_allowed(c->app->conf, host))
        assert(host && strlen(host) >= strlen("[::1]"));
    if (origin)
        (void)mcp_origin_allowed(c->app->conf, origin);
    if (e == ERR_OK && (m.is_answer || !m.id))
        return;
    if (e == ERR_OK)
        e = mcp_check_headers(c, x, &m);
    check_answer(c->arena, &m, e == ERR_OK ? mcp_answer(c, &m) : mcp_fault_json(c, &m, e));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct app *app;
    static struct arena *kept;
    struct fake_carrier *f = calloc(1, sizeof *f);
    char *copies[N_VARS] = {0};
    struct arena *a = arena_new(64u << 20);
    struct principal who = {.kind = PRINCIPAL_AGENT, .perms = permissions_all(), .id = {{1}}, .role = "agent", .name = "fuzz"};
    struct access access = {0};
    struct ctx c = {.arena = a};
    struct exchange x;

    if (!app)
        app = make_app(kept = arena_new(1u << 20));
    assert(f);
    fake_take_apart(data, size, f, VARS, N_VARS, copies);
    c.app = app;
    ctx_begin(&c, 30);
    c.who = &who;
    c.access = &access;
    c.request_id = "fuzz";
    exchange_begin(&x, a, &FAKE_IO, f);
    one_message(&c, &x, (struct bytes){f->body, f->body_len});
    for (size_t i = 0; i < N_VARS; i++)
        free(copies[i]);
    free(f);
    arena_free(a);
    return 0;
}
