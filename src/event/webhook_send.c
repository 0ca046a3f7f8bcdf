/* Which events are for which webhook, and posting them; see webhook.h. */
#include <sodium.h>
#include <string.h>

#include "access.h"
#include "app.h"
#include "config.h"
#include "db.h"
#include "event_store.h"
#include "metrics.h"
#include "net.h"
#include "webhook_impl.h"

#define ANSWER_MS 10000
#define ANSWER_MAX (64 * 1024) /* bytes of an answer, which nobody reads */
#define PATIENCE_MAX_S 3600    /* that a receiver may ask for */

static const struct metric POSTS = {"loci_webhook_posts_total", METRIC_COUNTER, "events posted to webhooks, by result"};

/* ---- taking */

/* The same request in the name of the person whose webhook it is; false: there is no such person any more. */
static err become_owner(struct ctx *c, const struct webhook *w, struct ctx *as, bool *is_there)
{
    err e;

    *as = *c;
    e = access_as_user(as, c->account_id, w->owner_id);
    *is_there = e == ERR_OK;
    c->fault = e == ERR_OK || e == ERR_NOT_FOUND ? c->fault : as->fault;
    return e == ERR_NOT_FOUND ? ERR_OK : e;
}

static bool webhook_send_is_among(const struct uuid *ids, size_t n, struct uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(ids[i], id))
            return true;
    return false;
}

/* Those of them whose turn it is at once: nothing of their subject waits. */
static err promise(struct ctx *c, const struct webhook *w, const struct webhook_delivery *d, size_t n)
{
    struct uuid *subjects = ARENA_ARRAY(c->arena, struct uuid, n + 1), *busy = ARENA_ARRAY(c->arena, struct uuid, 2 * n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    int64_t *rounds = ARENA_ARRAY(c->arena, int64_t, n + 1);
    size_t n_busy, k = 0;

    for (size_t i = 0; i < n; i++)
        subjects[i] = d[i].subject_id;
    TRY(delivery_store_busy(c, w->id, subjects, n, busy, &n_busy));
    for (size_t i = 0; i < n; i++) {
        if (webhook_send_is_among(busy, n_busy, d[i].subject_id))
            continue;
        busy[n_busy++] = d[i].subject_id;
        ids[k] = d[i].id;
        rounds[k++] = 1;
    }
    TRY(delivery_store_insert(c, d, n));
    return k && w->status == WEBHOOK_ACTIVE && c->app->deliver_later ? c->app->deliver_later(c, ids, rounds, k) : ERR_OK;
}

static err take_for(struct ctx *c, const struct webhook *w, const struct event *events, size_t n)
{
    struct webhook_delivery *d = ARENA_ARRAY(c->arena, struct webhook_delivery, n + 1);
    struct event_filter f = {w->kinds, w->spaces};
    struct ctx as;
    bool is_there;
    size_t k = 0;

    TRY(become_owner(c, w, &as, &is_there));
    if (!is_there)
        return webhook_disable(c, w, "the user who created it no longer exists");
    for (size_t i = 0; i < n; i++) {
        const struct event *e = &events[i];

        if (!event_matches(&f, e->kind, e->space_id) || !event_audible(&as, e->kind, e->space_id))
            continue;
        d[k++] = (struct webhook_delivery){ .id = uuid_new(c->now.us), .webhook_id = w->id, .seq = e->id, .event_id = e->event_id,
                                            .kind = e->kind, .created_at = c->now,
                                            .subject_id = uuid_is_nil(e->subject_id) ? e->event_id : e->subject_id };
    }
    return k ? promise(c, w, d, k) : ERR_OK;
}

err webhook_any(struct ctx *c, bool *any)
{
    return webhook_store_any(c, any);
}

err webhook_take(struct ctx *c, const struct event *events, size_t n)
{
    struct list taking;

    TRY(webhook_store_taking(c, LIMIT_WEBHOOKS, &taking));
    for (size_t i = 0; i < taking.n; i++)
        TRY(take_for(c, (const struct webhook *)taking.v + i, events, n));
    return ERR_OK;
}

/* ---- what became of it */

/* A try, and what follows from it for the webhook and the subject's next. */
struct outcome {
    struct webhook_delivery d; /* with its new status */
    const char *error;         /* NULL: delivered */
    bool was_posted;
    bool is_gone; /* the receiver wants no more */
};

static err webhook_send_judge(struct ctx *c, const struct webhook *w, const struct outcome *o)
{
    if (!o->error)
        return webhook_store_succeeded(c, w->id);
    TRY(webhook_store_failed(c, w->id, o->error));
    if (o->is_gone)
        return webhook_disable(c, w, "the receiver answered 410 Gone");
    if (w->failing_since.us && c->now.us - w->failing_since.us >= WEBHOOK_DISABLED_AFTER_US)
        return webhook_disable(c, w, arena_printf(c->arena, "failing for three days: %s", o->error));
    return ERR_OK;
}

static err settle_body(struct ctx *c, void *arg)
{
    const struct outcome *o = arg;
    struct webhook w;
    bool found;

    TRY(webhook_store_lock(c, o->d.webhook_id, &found, &w));
    if (!found)
        return ERR_OK; /* deleted meanwhile, and its deliveries with it */
    TRY(delivery_store_tried(c, &o->d, o->was_posted));
    if (o->d.status != DELIVERY_WITHHELD)
        TRY(webhook_send_judge(c, &w, o));
    if (o->d.status == DELIVERY_PENDING || w.status != WEBHOOK_ACTIVE)
        return ERR_OK;
    return webhook_promise_heads(c, w.id, o->d.subject_id);
}

err webhook_give_up(struct ctx *c, struct uuid delivery_id, const char *why)
{
    struct webhook_delivery d;
    struct webhook w;
    bool found;

    TRY(delivery_store_get(c, delivery_id, &found, &d));
    if (!found)
        return ERR_OK;
    TRY(webhook_store_lock(c, d.webhook_id, &found, &w));
    TRY(delivery_store_get(c, delivery_id, &found, &d));
    if (!found || d.status != DELIVERY_PENDING)
        return ERR_OK;
    d.status = DELIVERY_DEAD;
    d.error = d.error ? d.error : why;
    TRY(delivery_store_tried(c, &d, false));
    return w.status == WEBHOOK_ACTIVE ? webhook_promise_heads(c, w.id, d.subject_id) : ERR_OK;
}

/* ---- posting */

static const char *body_of(struct ctx *c, const struct event *e)
{
    struct json *j = json_obj(c->arena);

    json_set_str(c->arena, j, "type", e->kind);
    json_set_str(c->arena, j, "timestamp", arena_strdup(c->arena, instant_text(e->at, (char[INSTANT_TEXT]){0})));
    json_set(c->arena, j, "data", json_raw(c->arena, e->text));
    return json_text(c->arena, j);
}

static const char *webhook_send_cut(struct ctx *c, const char *text)
{
    return arena_strndup(c->arena, text, str_first_bytes(text, WEBHOOK_ERROR));
}

/* What the answer says; NULL: it was taken. */
static const char *fault_of(struct ctx *c, const struct net_answer *a)
{
    if (a->status >= 200 && a->status < 300)
        return NULL;
    if (a->status >= 300 && a->status < 400)
        return arena_printf(c->arena, "status %d: redirects are not followed", a->status);
    return arena_printf(c->arena, "status %d", a->status);
}

static err post(struct ctx *c, const struct webhook *w, const struct event *e, struct net_answer *a)
{
    const char *id = arena_strdup(c->arena, UUID_STR(e->event_id)), *body = body_of(c, e), *headers[4] = {NULL};
    int64_t now_s = clock_now().us / SECOND_US; /* of this try, not of the task's beginning */
    uint8_t secret[WEBHOOK_SECRET];
    struct net_request r = { .url = w->url, .body = { body, strlen(body) }, .headers = headers, .ms = ANSWER_MS, .max = ANSWER_MAX,
                             .may_be_private = c->app->conf->webhooks_private };

    TRY(webhook_unseal(c, w, secret));
    headers[0] = arena_printf(c->arena, "webhook-id: %s", id);
    headers[1] = arena_printf(c->arena, "webhook-timestamp: %lld", (long long)now_s);
    headers[2] = arena_printf(c->arena, "webhook-signature: %s", webhook_signature(c->arena, secret, id, now_s, body));
    sodium_memzero(secret, sizeof secret);
    return net_ask(c, &r, a);
}

/* Posts it and keeps what came of it. */
static err webhook_send_try_once(struct ctx *c, const struct webhook *w, struct outcome *o, const struct event *e)
{
    int64_t began_us = clock_monotonic_us();
    struct net_answer a = {0};
    int retry_after_s;

    if (post(c, w, e, &a) == ERR_OK)
        o->error = fault_of(c, &a);
    else
        o->error = webhook_send_cut(c, c->fault.message);
    ctx_forgive(c);
    o->was_posted = true;
    o->is_gone = a.status == 410;
    o->d.attempts++;
    o->d.http_status = a.status;
    o->d.ms = (clock_monotonic_us() - began_us) / 1000;
    o->d.error = o->error;
    o->d.status = !o->error ? DELIVERY_DELIVERED : o->is_gone ? DELIVERY_DEAD : DELIVERY_PENDING;
    c->now = clock_now();
    metrics_add(c->app->metrics, &POSTS, o->error ? "result=\"failed\"" : "result=\"delivered\"", 1);
    TRY(db_tx(c, settle_body, o));
    if (o->d.status != DELIVERY_PENDING)
        return ERR_OK;
    retry_after_s = a.status == 429 || a.status == 503 ? a.retry_after_s : 0;
    (void)!fail(c, ERR_PROVIDER, "%s", o->error);
    c->fault.retry_after_s = retry_after_s > PATIENCE_MAX_S ? PATIENCE_MAX_S : retry_after_s;
    return ERR_PROVIDER;
}

/* Ends it without a try. */
static err end_as(struct ctx *c, struct outcome *o, enum delivery_status status, const char *why)
{
    o->d.status = status;
    o->d.error = o->error = why;
    return db_tx(c, settle_body, o);
}

/* It is not its webhook's time: when that comes it is promised anew, under another key. */
static err set_aside_body(struct ctx *c, void *arg)
{
    const struct webhook_delivery *d = arg;
    struct webhook w;
    bool found;

    TRY(webhook_store_lock(c, d->webhook_id, &found, &w));
    if (!found)
        return ERR_OK;
    TRY(delivery_store_promised_again(c, d->id));
    return w.status == WEBHOOK_ACTIVE ? webhook_promise_heads(c, w.id, d->subject_id) : ERR_OK;
}

err webhook_deliver(struct ctx *c, struct uuid delivery_id)
{
    struct outcome o = {0};
    struct event_page page;
    struct webhook w;
    struct ctx as;
    bool found;

    TRY(delivery_store_get(c, delivery_id, &found, &o.d));
    if (!found || o.d.status != DELIVERY_PENDING)
        return ERR_OK;
    TRY(webhook_store_get(c, o.d.webhook_id, &found, &w));
    if (!found)
        return ERR_OK;
    if (w.status != WEBHOOK_ACTIVE)
        return db_tx(c, set_aside_body, &o.d);
    TRY(event_store_read(c, o.d.seq - 1, 1, &page));
    if (!page.n)
        return end_as(c, &o, DELIVERY_DEAD, "the event is no longer kept");
    TRY(become_owner(c, &w, &as, &found));
    if (!found || !event_audible(&as, page.rows[0].kind, page.rows[0].space_id))
        return end_as(c, &o, DELIVERY_WITHHELD, "the owner of the webhook may no longer read it");
    return webhook_send_try_once(c, &w, &o, &page.rows[0]);
}

/* ---- upkeep */

static struct instant failing_before(const struct ctx *c)
{
    return (struct instant){c->now.us - WEBHOOK_DISABLED_AFTER_US};
}

static struct uuid log_before(const struct ctx *c)
{
    return uuid_floor(c->now.us - c->app->conf->webhooks_days * DAY_US);
}

err webhook_upkeep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return webhook_store_upkeep_due(c, failing_before(c), log_before(c), above, ids, max, n);
}

err webhook_disable_failing(struct ctx *c, int64_t *disabled)
{
    struct uuid ids[LIMIT_WEBHOOKS];
    struct webhook w;
    bool found;
    size_t n;

    *disabled = 0;
    TRY(webhook_store_failing(c, failing_before(c), ids, LIMIT_WEBHOOKS, &n));
    for (size_t i = 0; i < n; i++) {
        TRY(webhook_store_lock(c, ids[i], &found, &w));
        if (!found || w.status == WEBHOOK_DISABLED)
            continue;
        TRY(webhook_disable(c, &w, arena_printf(c->arena, "failing for three days: %s", w.last_error ? w.last_error : "")));
        (*disabled)++;
    }
    return ERR_OK;
}

err webhook_purge_log(struct ctx *c, int64_t limit, int64_t *deleted)
{
    return delivery_store_purge(c, log_before(c), limit, deleted);
}
