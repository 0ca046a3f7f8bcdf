/* MCP over HTTP: one POST, one answer; without sessions, so any process can answer any message. */
#include <string.h>
#include <strings.h>

#include "answer.h"
#include "api.h"
#include "config.h"
#include "mcp.h"
#include "mcp_headers.h"
#include "mcp_impl.h"
#include "mcp_reply.h"
#include "metrics.h"

static const struct metric CALLS = {"loci_mcp_messages_total", METRIC_COUNTER, "MCP messages by method and outcome."};

/* ---- from where: a page of another site must not reach a server on somebody's own machine */

static err check_source(struct ctx *c, struct exchange *x, struct mcp *m)
{
    const char *host = exchange_header(x, "Host"), *origin = exchange_header(x, "Origin");

    if (!mcp_host_allowed(c->app->conf, host))
        return mcp_refuse(c, m, MCP_SHAPE, 403, "unknown host name; add it to mcp.hosts");
    if (origin && !mcp_origin_allowed(c->app->conf, origin))
        return mcp_refuse(c, m, MCP_SHAPE, 403, "unknown origin; add it to http.cors_origins");
    return ERR_OK;
}

static err check_method(struct ctx *c, struct exchange *x, struct mcp *m)
{
    if (strcmp(x->method, "POST") == 0)
        return ERR_OK;
    exchange_set(x, "Allow", "POST");
    return mcp_refuse(c, m, MCP_SHAPE, 405, "send each message by POST");
}

/* ---- who: a token, never a browser's cookie */

static err authenticate(struct ctx *c, struct exchange *x)
{
    err e = exchange_header(x, "Authorization") ? api_authenticate(c, x)
                                                : fail(c, ERR_UNAUTHORIZED, "send Authorization: Bearer <token>");

    if (e == ERR_UNAUTHORIZED)
        exchange_set(x, "WWW-Authenticate", exchange_header(x, "Authorization")
                     ? "Bearer realm=\"loci\", error=\"invalid_token\"" : "Bearer realm=\"loci\"");
    if (e == ERR_RATE || e == ERR_UNAVAILABLE)
        exchange_set_int(x, "Retry-After", c->fault.retry_after_s > 0 ? c->fault.retry_after_s : 2);
    return e;
}

static err read_body(struct ctx *c, struct exchange *x, struct mcp *m)
{
    struct bytes body;

    if (!exchange_media_is(x, "application/json"))
        return mcp_refuse(c, m, MCP_SHAPE, 415, "Content-Type must be application/json");
    TRY(exchange_body(c, x, (size_t)c->app->conf->http_max_body, &body));
    return mcp_read(c, body, m);
}

static err mcp_http_receive(struct ctx *c, struct exchange *x, struct mcp *m)
{
    TRY(check_source(c, x, m));
    TRY(check_method(c, x, m));
    TRY(authenticate(c, x));
    TRY(read_body(c, x, m));
    if (m->is_answer || !m->id)
        return ERR_OK;
    return mcp_check_headers(c, x, m);
}

static void mcp_http_count(struct ctx *c, const struct mcp *m)
{
    /* Only names of ours become labels. */
    const char *method = !m->method || m->fault.code == MCP_NO_METHOD || strlen(m->method) > 40 ? "none" : m->method;
    const char *outcome = m->fault.code ? "refused" : "done";

    if (method[strspn(method, "abcdefghijklmnopqrstuvwxyzLS/")])
        method = "none";
    metrics_add(c->app->metrics, &CALLS, arena_printf(c->arena, "method=\"%s\",outcome=\"%s\"", method, outcome), 1);
}

static void serve_mcp(struct ctx *c, struct exchange *x, const struct route *route)
{
    struct mcp_peer peer = {.carrier = x};
    struct mcp m = {.peer = &peer};
    err e = mcp_http_receive(c, x, &m);

    (void)route;
    if (e != ERR_OK) {
        mcp_reply(c, x, &m, mcp_fault_json(c, &m, e));
    } else if (m.is_answer || !m.id) {
        e = m.is_answer ? mcp_reply_take(c, &m) : ERR_OK; /* to one of our questions; nobody waits for others */
        ctx_forgive(c);
        x->status = 202;
    } else {
        mcp_reply_prepare(c, x, &m);
        mcp_reply(c, x, &m, mcp_answer(c, &m));
    }
    mcp_http_count(c, &m);
}

void mcp_add_routes(struct router *r)
{
    static const struct route ROUTE = {"*", "/mcp", "mcp", serve_mcp, NULL};

    router_add(r, &ROUTE);
}
