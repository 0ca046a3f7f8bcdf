/* Health, metrics, the entrance of the API and its OpenAPI document; see watch.h. */
#include "watch.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "app.h"
#include "config.h"
#include "health.h"
#include "metrics.h"
#include "op.h"
#include "openapi.h"
#include "serve.h"

static void live(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct json *data = json_obj(c->arena);

    (void)r;
    json_set_str(c->arena, data, "status", "alive");
    json_set_str(c->arena, data, "version", LOCI_VERSION);
    answer_data(x, 200, data, NULL);
}

static struct json *part_json(struct arena *a, const struct health_part *p)
{
    struct json *j = json_obj(a);

    json_set_str(a, j, "name", p->name);
    json_set_str(a, j, "state", p->off ? "off" : p->ok ? "ok" : "down");
    json_set_str(a, j, "detail", p->detail);
    json_set(a, j, "ms", json_num(a, (double)p->us / 1000));
    return j;
}

static void watch_ready(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct health_part parts[HEALTH_PARTS];
    struct json *data = json_obj(c->arena), *list = json_arr(c->arena);
    bool ok, draining = serve_is_draining();
    size_t n = health_check(c, parts);

    (void)r;
    ok = health_ready(parts, n) && !draining;
    for (size_t i = 0; i < n; i++)
        json_push(list, part_json(c->arena, &parts[i]));
    json_set_str(c->arena, data, "status", draining ? "draining" : ok ? "ready" : "not_ready");
    json_set(c->arena, data, "parts", list);
    answer_data(x, ok ? 200 : 503, data, NULL);
    if (!ok)
        exchange_set(x, "Retry-After", "2");
}

static bool may_see_metrics(struct ctx *c, struct exchange *x)
{
    const char *want = c->app->conf->http_metrics_token, *auth = exchange_header(x, "Authorization");

    if (!*want)
        return strcmp(c->ip, "127.0.0.1") == 0 || strcmp(c->ip, "::1") == 0 || !*c->ip;
    return auth && strlen(auth) == strlen(want) + 7 && str_starts(auth, "Bearer ") &&
           sodium_memcmp(auth + 7, want, strlen(want)) == 0;
}

static void metrics(struct ctx *c, struct exchange *x, const struct route *r)
{
    (void)r;
    if (!may_see_metrics(c, x)) {
        answer_problem(c, x, fail(c, ERR_FORBIDDEN, "metrics require loopback or the token of http.metrics_token"));
        return;
    }
    exchange_set(x, "Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    exchange_set(x, "Cache-Control", "no-store");
    metrics_render(c->app->metrics, &x->body);
    for (size_t i = 0; c->app->gauges && c->app->gauges[i]; i++)
        c->app->gauges[i](c, &x->body);
}

/* The document, as long as this program runs: it is large, the same for everybody, and many may read it slowly at once. */
static struct {
    pthread_mutex_t making;
    char *text;
    size_t n;
} document = {.making = PTHREAD_MUTEX_INITIALIZER};

static void document_make(struct ctx *c)
{
    struct buf b;

    buf_init(&b, c->arena, 1 << 20);
    json_write(&b, openapi_document(c->arena, c->app->ops, c->app->conf->web_public_url), false);
    document.text = arena_refused(c->arena) ? NULL : malloc(b.len);
    if (document.text)
        memcpy(document.text, b.data, document.n = b.len);
}

static void openapi(struct ctx *c, struct exchange *x, const struct route *r)
{
    (void)r;
    pthread_mutex_lock(&document.making);
    if (!document.text)
        document_make(c);
    pthread_mutex_unlock(&document.making);
    if (!document.text) {
        answer_problem(c, x, fail(c, ERR_UNAVAILABLE, "there is not enough memory for the document"));
        return;
    }
    exchange_set(x, "Content-Type", "application/json");
    exchange_set(x, "Cache-Control", "public, max-age=60");
    exchange_share(x, document.text, document.n);
}

/* Where an explorer begins: what this is and where its documents are. */
static void entrance(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct json *data = json_obj(c->arena);

    (void)r;
    json_set_str(c->arena, data, "name", "Loci");
    json_set_str(c->arena, data, "version", LOCI_VERSION);
    json_set_str(c->arena, data, "reference", "/api/v1/docs");
    json_set_str(c->arena, data, "openapi", "/api/v1/openapi.json");
    json_set_str(c->arena, data, "me", "/api/v1/me");
    json_set_str(c->arena, data, "mcp", "/mcp");
    answer_data(x, 200, data, NULL);
}

void watch_add_routes(struct router *r)
{
    static const struct route ROUTES[] = {
        {"GET", "/livez", "livez", live, NULL},
        {"GET", "/healthz", "healthz", live, NULL},
        {"GET", "/readyz", "readyz", watch_ready, NULL},
        {"GET", "/metrics", "metrics", metrics, NULL},
        {"GET", "/api/v1", "entrance", entrance, NULL},
        {"GET", "/api/v1/", "entrance", entrance, NULL},
        {"GET", "/api/v1/openapi.json", "openapi", openapi, NULL},
    };

    for (size_t i = 0; i < sizeof ROUTES / sizeof *ROUTES; i++)
        router_add(r, &ROUTES[i]);
}
