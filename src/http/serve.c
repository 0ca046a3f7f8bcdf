/* What happens around every request: ids, deadline, CORS, routing, metrics and the log line. */
#include "serve.h"

#include <ctype.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "app.h"
#include "config.h"
#include "log.h"
#include "metrics.h"
#include "principal.h"
#include "random.h"

static const struct metric REQUESTS = {"loci_requests_total", METRIC_COUNTER, "Requests by call and status."};
static const struct metric SECONDS = {"loci_request_seconds", METRIC_HISTOGRAM, "Time of a request by call."};
static const struct metric BYTES = {"loci_response_bytes_total", METRIC_COUNTER, "Bytes of answers by call."};

static _Atomic bool draining;

void serve_drain(void)
{
    atomic_store(&draining, true);
}

bool serve_is_draining(void)
{
    return atomic_load(&draining);
}

/* A foreign request id is kept when it is harmless, else one is made. */
static const char *request_id(struct ctx *c, const char *given)
{
    size_t n = given ? strlen(given) : 0;
    char *made;

    if (n >= 1 && n <= REQUEST_ID_MAX &&
        strspn(given, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == n)
        return given;
    made = arena_alloc(c->arena, UUID_TEXT);
    return uuid_text(uuid_new(c->now.us), made);
}

static bool is_hex(const char *s, size_t n)
{
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)s[i]) && !(s[i] >= 'a' && s[i] <= 'f'))
            return false;
        any |= s[i] != '0';
    }
    return any;
}

/* W3C trace context: the caller's trace goes on with a span of ours; without one a trace begins. */
static const char *trace_context(struct ctx *c, const char *given)
{
    uint8_t random[24];
    char hex[49];

    random_fill(random, sizeof random);
    hex_encode(random, sizeof random, hex);
    if (given && strlen(given) == 55 && str_starts(given, "00-") && is_hex(given + 3, 32) && given[35] == '-' &&
        is_hex(given + 36, 16) && given[52] == '-')
        return arena_printf(c->arena, "00-%.32s-%.16s-%.2s", given + 3, hex, given + 53);
    return arena_printf(c->arena, "00-%.32s-%.16s-00", hex, hex + 32);
}

/* What the program calls itself: printable ASCII, so that it fits wherever it is kept. */
static const char *user_agent(struct ctx *c, const char *given)
{
    char *text = arena_strndup(c->arena, given ? given : "", strnlen(given ? given : "", USER_AGENT_MAX));

    for (char *p = text; *p; p++)
        if (*p < ' ' || *p > '~')
            *p = '?';
    return text;
}

static void serve_begin(struct ctx *c, struct exchange *x)
{
    const char *ip = x->io->param(x, "REMOTE_ADDR");

    ctx_begin(c, (int)c->app->conf->http_deadline_s);
    c->request_id = request_id(c, exchange_header(x, "X-Request-Id"));
    c->traceparent = trace_context(c, exchange_header(x, "traceparent"));
    c->ip = ip ? arena_strndup(c->arena, ip, strnlen(ip, 45)) : "";
    c->user_agent = user_agent(c, exchange_header(x, "User-Agent"));
}

/* Is the origin on the allow-list? */
static bool origin_allowed(const struct config *conf, const char *origin)
{
    size_t n = strlen(origin), len;

    for (const char *p = conf->http_cors_origins; *p; p += len) {
        p += strspn(p, " ");
        len = strcspn(p, " ");
        if (n && len == n && memcmp(p, origin, n) == 0)
            return true;
    }
    return false;
}

/* True when the exchange was a CORS preflight and is answered. Cookies are never shared with another origin. */
static bool cors(struct ctx *c, struct exchange *x)
{
    const char *origin = exchange_header(x, "Origin");

    if (!*c->app->conf->http_cors_origins || (!str_starts(x->path, "/api/") && strcmp(x->path, "/mcp") != 0))
        return false;
    exchange_set(x, "Vary", "Origin"); /* also where there is none: what is cached is for those like it */
    if (!origin || !origin_allowed(c->app->conf, origin))
        return false;
    exchange_set(x, "Access-Control-Allow-Origin", origin);
    exchange_set(x, "Access-Control-Expose-Headers",
                 "ETag, Location, Retry-After, WWW-Authenticate, X-Request-Id, Idempotency-Replayed, Content-Disposition, "
                 "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset");
    if (strcmp(x->method, "OPTIONS") != 0)
        return false;
    exchange_set(x, "Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE");
    exchange_set(x, "Access-Control-Allow-Headers",
                 "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Request-Id, traceparent, "
                 "MCP-Protocol-Version, Mcp-Method, Mcp-Name");
    exchange_set(x, "Access-Control-Max-Age", "600");
    x->status = 204;
    return true;
}

/* No route: what is wrong, as a page below the prefix that wants pages, else as a problem. */
static const struct route *no_route(struct ctx *c, struct router *routes, struct exchange *x, const char *allow, bool bad)
{
    const struct route *other = router_other(routes, x->path);
    err e = bad ? fail(c, ERR_BAD_REQUEST, "the path has an invalid percent-escape or is not UTF-8")
        : allow ? fail(c, ERR_METHOD, "this path supports %s", allow) : fail(c, ERR_NOT_FOUND, "not found");

    if (other)
        other->serve(c, x, other);
    else
        answer_problem(c, x, e);
    if (allow)
        exchange_set(x, "Allow", allow);
    return other;
}

static const struct route *dispatch(struct ctx *c, struct router *routes, struct exchange *x)
{
    const char *allow;
    bool bad;
    const struct route *r = router_find(routes, x, &allow, &bad);

    if (!r)
        return no_route(c, routes, x, allow, bad);
    r->serve(c, x, r);
    return r;
}

static void serve_count(struct ctx *c, const struct exchange *x, const char *call, double seconds)
{
    char labels[160];

    snprintf(labels, sizeof labels, "call=\"%s\",status=\"%d\"", call, x->status);
    metrics_add(c->app->metrics, &REQUESTS, labels, 1);
    snprintf(labels, sizeof labels, "call=\"%s\"", call);
    metrics_observe(c->app->metrics, &SECONDS, labels, seconds);
    metrics_add(c->app->metrics, &BYTES, labels, (double)x->sent);
}

static void log_request(struct ctx *c, const struct exchange *x, const char *call, double seconds)
{
    enum log_level level = x->status >= 500 ? LOG_ERROR : LOG_INFO;
    struct json *f;

    if (!log_wants(c->app->log, level))
        return;
    f = json_obj(c->arena);
    json_set_str(c->arena, f, "request_id", c->request_id);
    json_set_str(c->arena, f, "trace", c->traceparent);
    json_set_str(c->arena, f, "call", call);
    if (c->who)
        json_set_str(c->arena, f, "principal", arena_strdup(c->arena, UUID_STR(c->who->id)));
    json_set_int(c->arena, f, "status", x->status);
    json_set(c->arena, f, "ms", json_num(c->arena, (double)llround(seconds * 1e6) / 1000));
    json_set_int(c->arena, f, "bytes", (int64_t)x->sent);
    if (c->fault.code != ERR_OK && x->status >= 500) {
        json_set_str(c->arena, f, "error", c->fault.message);
        json_set_str(c->arena, f, "place", arena_printf(c->arena, "%s:%d", c->fault.file, c->fault.line));
    }
    log_write(c->arena, c->app->log, level, "request", f);
}

/* Something was left out of the answer, so nobody gets it. */
static void answer_too_large(struct ctx *c, struct exchange *x)
{
    ctx_forgive(c);
    x->body.len = 0;
    x->n_headers = 0;
    answer_problem(c, x, ctx_check_size(c));
}

static const struct metric PEAK = {"loci_arena_peak_bytes", METRIC_GAUGE, "Largest amount of memory used by one request."};

/* A request that takes little is not looked at twice. */
static void note_peak(struct ctx *c)
{
    static _Atomic size_t most;
    size_t peak = arena_peak(c->arena), before = atomic_load(&most);

    while (peak > before)
        if (atomic_compare_exchange_weak(&most, &before, peak)) {
            metrics_set(c->app->metrics, &PEAK, "", (double)peak);
            return;
        }
}

void serve(struct ctx *c, struct router *routes, struct exchange *x)
{
    int64_t start = clock_monotonic_us();
    const struct route *r = NULL;
    const char *call;
    double seconds;

    serve_begin(c, x);
    if (!cors(c, x))
        r = dispatch(c, routes, x);
    if (x->is_later) {
        arena_reset(c->arena);
        return;
    }
    if (arena_refused(c->arena) && !x->head_sent)
        answer_too_large(c, x);
    if (!x->head_sent)
        answer_common(c, x);
    exchange_send(x);
    seconds = (double)(clock_monotonic_us() - start) / 1e6;
    call = r ? r->name : "none";
    serve_count(c, x, call, seconds);
    log_request(c, x, call, seconds);
    note_peak(c);
    arena_reset(c->arena);
}
