/* Fuzzes a whole exchange: any CGI variables and body are routed, read, answered and logged, and the answer is well formed. */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>

#include "answer.h"
#include "app.h"
#include "config.h"
#include "fake_carrier.h"
#include "log.h"
#include "metrics.h"
#include "serve.h"

#define BODY_MAX 4096

/* The input, cut at NULs; what is left is the body. */
static const char *const VARS[] = {"REQUEST_METHOD", "REQUEST_URI", "CONTENT_TYPE", "CONTENT_LENGTH", "HTTP_COOKIE",
                                   "HTTP_X_REQUEST_ID", "HTTP_TRACEPARENT", "HTTP_ORIGIN", "REMOTE_ADDR"};
#define N_VARS (sizeof VARS / sizeof *VARS)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Answers with what it understood of path, query, cookie and body. */
static void echo(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct json *seen = json_obj(c->arena), *query = NULL, *form = NULL;
    struct bytes body = {"", 0};
    err e = exchange_pairs(c, x->query, strlen(x->query), "the query string", &query);

    if (e == ERR_OK && strcmp(r->method, "POST") == 0)
        e = exchange_body(c, x, BODY_MAX, &body);
    if (e == ERR_OK)
        e = exchange_pairs(c, body.p, body.n, "the form", &form);
    if (e != ERR_OK) {
        answer_problem(c, x, e);
        return;
    }
    for (size_t i = 0; i < x->n_params; i++)
        assert(str_is_utf8(x->params[i], strlen(x->params[i])));
    json_set(c->arena, seen, "query", query);
    json_set(c->arena, seen, "form", form);
    json_set_str(c->arena, seen, "first", x->n_params ? x->params[0] : NULL);
    answer_data(x, 200, seen, NULL);
}

static void streamed(struct ctx *c, struct exchange *x, const struct route *r)
{
    const char *cookie = exchange_cookie(x, "loci_session");

    (void)r;
    exchange_set(x, "Content-Type", "text/plain");
    answer_common(c, x);
    exchange_stream(x, cookie ? cookie : "none", cookie ? strlen(cookie) : 4);
}

static struct router *make_routes(struct arena *a)
{
    static const struct route ROUTES[] = {
        {"GET", "/", "root", echo, NULL},
        {"GET", "/a/:id", "a", echo, NULL},
        {"POST", "/a/:id", "a.post", echo, NULL},
        {"GET", "/a/fixed", "a.fixed", streamed, NULL},
        {"DELETE", "/a/:id/b/:key", "ab", echo, NULL},
        {"POST", "/api/v1/x", "x", echo, NULL},
    };
    static const struct route OTHER = {"GET", "/admin", "page", streamed, NULL};
    struct router *r = router_new(a);

    for (size_t i = 0; i < sizeof ROUTES / sizeof *ROUTES; i++)
        router_add(r, &ROUTES[i]);
    router_otherwise(r, &OTHER);
    return r;
}

static struct app *make_app(struct arena *a)
{
    struct app *app = ARENA_NEW(a, struct app);
    struct log *log = ARENA_NEW(a, struct log);
    struct config *conf;
    const char *why;

    conf = config_load(a, NULL, &why);
    assert(conf);
    conf->http_cors_origins = "https://a.example https://b.example";
    *log = (struct log){.level = LOG_INFO, .fd = open("/dev/null", O_WRONLY | O_CLOEXEC), .program = "fuzz"};
    app->conf = conf;
    app->log = log;
    app->metrics = metrics_new();
    return app;
}

/* One head, its lines without control characters, a length that is true, and a problem that can be read. */
static void check_answer(struct arena *a, const struct fake_carrier *f)
{
    const char *head_end = strstr(f->answer, "\r\n\r\n"), *body, *length;
    size_t n;
    struct json *j;
    const char *why;

    assert(head_end && strncmp(f->answer, "Status: ", 8) == 0 && strstr(f->answer, "\r\nX-Request-Id: "));
    for (const char *p = f->answer; p < head_end; p++) {
        assert((unsigned char)*p >= 0x20 || *p == '\r' || *p == '\n');
        assert((*p != '\r' || p[1] == '\n') && (*p != '\n' || p[-1] == '\r'));
    }
    body = head_end + 4;
    n = f->answer_len - (size_t)(body - f->answer);
    length = strstr(f->answer, "\r\nContent-Length: ");
    if (length && length < head_end && n)
        assert(strtoul(length + 18, NULL, 10) == n);
    if (n && strstr(f->answer, "Content-Type: application/"))
        assert(json_parse(a, body, n, &j, &why) == JSON_OK);
}

static void decoding_keeps_in_bounds(struct arena *a, const uint8_t *data, size_t size)
{
    const char *out = percent_decode(a, (const char *)data, size, true); /* libFuzzer's memory ends where the input does */

    if (out)
        assert(strlen(out) <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *process;
    static struct router *routes;
    static struct app *app;
    struct arena *a = arena_new(64 << 20);
    struct ctx c = {.arena = arena_new(64 << 20)};
    struct fake_carrier *f = ARENA_NEW(a, struct fake_carrier);
    char *copies[N_VARS] = {NULL};
    struct exchange x;

    if (!process) {
        process = arena_new(16 << 20);
        routes = make_routes(process);
        app = make_app(process);
    }
    c.app = app;
    fake_take_apart(data, size, f, VARS, N_VARS, copies);
    exchange_begin(&x, c.arena, &FAKE_IO, f);
    serve(&c, routes, &x);
    check_answer(a, f);
    decoding_keeps_in_bounds(a, data, size);
    for (size_t i = 0; i < N_VARS; i++)
        free(copies[i]);
    arena_free(c.arena);
    arena_free(a);
    return 0;
}
