/* Webhooks as people have them; see webhook.h. */
#include "webhook.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "audit.h"
#include "config.h"
#include "db.h"
#include "match.h"
#include "net.h"
#include "outbox.h"
#include "principal.h"
#include "strs_json.h"
#include "webhook_impl.h"

ENUMX_DEFINE(webhook_status, WEBHOOK_STATUS);
ENUMX_DEFINE(webhook_wanted, WEBHOOK_WANTED);
ENUMX_DEFINE(delivery_status, DELIVERY_STATUS);
ENUMX_DEFINE(delivery_any, DELIVERY_ANY);

#define HEADS_AT_ONCE 10000

static err missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such webhook");
}

/* ---- what was done, for the trail: never the secret */

static struct json *state_of(struct ctx *c, const struct webhook *w)
{
    struct json *j = json_obj(c->arena);

    json_set_str(c->arena, j, "name", w->name);
    json_set_str(c->arena, j, "url", w->url);
    json_set(c->arena, j, "kinds", strs_to_json(c->arena, w->kinds));
    json_set_str(c->arena, j, "status", enumx_name(&webhook_status_enumx, (int)w->status));
    json_set_str(c->arena, j, "reason", w->reason);
    return j;
}

static err note(struct ctx *c, const char *verb, const struct webhook *before, const struct webhook *after)
{
    return audit_add(c, &(struct audit){ .kind = verb, .subject_kind = "webhook", .subject_id = (after ? after : before)->id,
                                         .before = before ? state_of(c, before) : NULL, .after = after ? state_of(c, after) : NULL });
}

err webhook_disable(struct ctx *c, const struct webhook *w, const char *reason)
{
    struct json *said = json_obj(c->arena);
    struct webhook after = *w;

    if (w->status == WEBHOOK_DISABLED)
        return ERR_OK;
    after.status = WEBHOOK_DISABLED;
    after.reason = reason;
    TRY(webhook_store_disable(c, w->id, reason));
    TRY(note(c, "webhook.disable", w, &after));
    json_set_str(c->arena, said, "name", w->name);
    json_set_str(c->arena, said, "reason", reason);
    return outbox_add(c, "webhook.disabled", w->id, (struct uuid){ { 0 } }, said);
}

/* ---- checks */

static err check(struct ctx *c, const struct webhook *w)
{
    const char *fault = net_url_fault(w->url, c->app->conf->webhooks_private);
    struct event_filter f = { w->kinds, w->spaces };

    if (fault)
        return fail_field(c, "/url", "url %s", fault);
    return event_filter_check(c, &f);
}

/* ---- making */

struct making {
    struct webhook *w;
};

static err create_body(struct ctx *c, void *arg)
{
    const struct making *m = arg;
    int64_t n;

    TRY(webhook_store_count(c, &n));
    if (n >= LIMIT_WEBHOOKS)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "an account can have at most %d webhooks", LIMIT_WEBHOOKS);
    TRY(webhook_store_insert(c, m->w));
    return note(c, "webhook.create", NULL, m->w);
}

static void give_secret(struct ctx *c, struct webhook *w)
{
    uint8_t secret[WEBHOOK_SECRET];

    webhook_secret_make(secret);
    w->sealed = webhook_seal(c, w->id, secret);
    w->secret = webhook_secret_text(c->arena, secret);
    sodium_memzero(secret, sizeof secret);
}

err webhook_create(struct ctx *c, const struct webhook_new *in, struct webhook *out)
{
    struct webhook w = { .id = uuid_new(c->now.us), .owner_id = c->who->id, .name = in->name, .url = in->url, .kinds = in->kinds,
                         .spaces = in->spaces, .status = WEBHOOK_ACTIVE, .version = 1, .created_at = c->now, .updated_at = c->now };

    if (c->who->kind != PRINCIPAL_USER)
        return fail(c, ERR_INVALID, "a webhook must be created by a user: it gets the events that user may read");
    TRY(check(c, &w));
    give_secret(c, &w);
    TRY(db_tx(c, create_body, &(struct making){ &w }));
    *out = w;
    return ERR_OK;
}

/* ---- reading */

err webhook_get(struct ctx *c, struct uuid id, struct webhook *out)
{
    bool found;

    TRY(webhook_store_get(c, id, &found, out));
    return found ? ERR_OK : missing(c);
}

err webhook_list(struct ctx *c, int64_t limit, const char *cursor, struct page *out)
{
    struct webhook *rows;
    struct uuid before;
    size_t n;

    TRY(page_begin(c, cursor, &before));
    TRY(webhook_store_list(c, before, limit, &rows, &n));
    PAGE_END(c, out, rows, n, limit, struct webhook, id);
    return ERR_OK;
}

/* ---- changing */

struct changing {
    struct uuid id;
    const struct webhook_patch *patch;
    bool rotate;
    const char *secret;
};

static void apply(struct webhook *w, const struct webhook_patch *p)
{
    if (p->set & WEBHOOK_SET_NAME)
        w->name = p->to.name;
    if (p->set & WEBHOOK_SET_URL)
        w->url = p->to.url;
    if (p->set & WEBHOOK_SET_KINDS)
        w->kinds = p->to.kinds;
    if (p->set & WEBHOOK_SET_SPACES)
        w->spaces = p->to.spaces;
    if (!(p->set & WEBHOOK_SET_STATUS))
        return;
    w->status = p->status == WEBHOOK_WANT_ACTIVE ? WEBHOOK_ACTIVE : WEBHOOK_PAUSED;
    w->reason = NULL;
    w->failing_since = (struct instant){ 0 };
}

static err update_body(struct ctx *c, void *arg)
{
    struct changing *h = arg;
    struct webhook before, after;
    bool found;

    TRY(webhook_store_lock(c, h->id, &found, &before));
    if (!found)
        return missing(c);
    TRY(match_version(c, h->patch->if_version, before.version));
    after = before;
    apply(&after, h->patch);
    TRY(check(c, &after));
    if (h->rotate)
        give_secret(c, &after);
    h->secret = after.secret;
    TRY(webhook_store_save(c, &after));
    TRY(note(c, h->rotate ? "webhook.rotate" : "webhook.update", &before, &after));
    if (after.status != WEBHOOK_ACTIVE || before.status == WEBHOOK_ACTIVE)
        return ERR_OK;
    return webhook_promise_heads(c, h->id, (struct uuid){ { 0 } });
}

err webhook_update(struct ctx *c, struct uuid id, const struct webhook_patch *p, struct webhook *out)
{
    TRY(db_tx(c, update_body, &(struct changing){ .id = id, .patch = p }));
    return webhook_get(c, id, out);
}

err webhook_rotate(struct ctx *c, struct uuid id, struct webhook *out)
{
    struct changing h = { .id = id, .patch = &(struct webhook_patch){ .if_version = c->if_match }, .rotate = true };

    TRY(db_tx(c, update_body, &h));
    TRY(webhook_get(c, id, out));
    out->secret = h.secret;
    return ERR_OK;
}

static err delete_body(struct ctx *c, void *arg)
{
    const struct changing *h = arg;
    struct webhook w;
    bool found;

    TRY(webhook_store_lock(c, h->id, &found, &w));
    if (!found)
        return missing(c);
    TRY(match_version(c, h->patch->if_version, w.version));
    TRY(webhook_store_delete(c, h->id));
    return note(c, "webhook.delete", &w, NULL);
}

err webhook_delete(struct ctx *c, struct uuid id, int64_t if_version)
{
    return db_tx(c, delete_body, &(struct changing){ .id = id, .patch = &(struct webhook_patch){ .if_version = if_version } });
}

/* ---- deliveries */

err webhook_deliveries(struct ctx *c, const struct delivery_filter *f, struct page *out)
{
    struct webhook_delivery *rows;
    struct webhook w;
    struct uuid before;
    size_t n;

    TRY(webhook_get(c, f->id, &w));
    TRY(page_begin(c, f->cursor, &before));
    TRY(delivery_store_list(c, f, before, &rows, &n));
    PAGE_END(c, out, rows, n, f->limit, struct webhook_delivery, id);
    return ERR_OK;
}

err webhook_promise_heads(struct ctx *c, struct uuid webhook_id, struct uuid subject_id)
{
    size_t n, most = uuid_is_nil(subject_id) ? HEADS_AT_ONCE : 1;
    struct webhook_delivery *rows = ARENA_ARRAY(c->arena, struct webhook_delivery, most);
    struct uuid *ids;
    int64_t *rounds;

    TRY(delivery_store_heads(c, webhook_id, subject_id, most, rows, &n));
    if (!n || !c->app->deliver_later)
        return ERR_OK;
    ids = ARENA_ARRAY(c->arena, struct uuid, n);
    rounds = ARENA_ARRAY(c->arena, int64_t, n);
    for (size_t i = 0; i < n; i++) {
        ids[i] = rows[i].id;
        rounds[i] = rows[i].round;
    }
    return c->app->deliver_later(c, ids, rounds, n);
}

struct replaying {
    struct uuid webhook_id, delivery_id;     /* delivery nil: all dead ones */
    int64_t n;
};

static err again(struct ctx *c, const struct webhook *w, const struct replaying *r)
{
    struct webhook_delivery d;
    bool found;

    TRY(delivery_store_get(c, r->delivery_id, &found, &d));
    if (!found || !uuid_eq(d.webhook_id, w->id))
        return fail(c, ERR_NOT_FOUND, "no such delivery");
    if (d.status == DELIVERY_PENDING)
        return fail(c, ERR_CONFLICT, "the delivery is already pending");
    return delivery_store_again(c, d.id);
}

static err again_dead(struct ctx *c, const struct webhook *w, struct replaying *r)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, LIMIT_WEBHOOK_REPLAY);
    size_t n;

    TRY(delivery_store_dead(c, w->id, LIMIT_WEBHOOK_REPLAY, ids, &n));
    for (size_t i = 0; i < n; i++)
        TRY(delivery_store_again(c, ids[i]));
    r->n = (int64_t)n;
    return ERR_OK;
}

static err replay_body(struct ctx *c, void *arg)
{
    struct replaying *r = arg;
    struct webhook w;
    bool found;

    TRY(webhook_store_lock(c, r->webhook_id, &found, &w));
    if (!found)
        return missing(c);
    if (w.status != WEBHOOK_ACTIVE)
        return fail_reason(c, ERR_CONFLICT, "not_active", "the webhook is %s; activate it first",
                           enumx_name(&webhook_status_enumx, (int)w.status));
    TRY(uuid_is_nil(r->delivery_id) ? again_dead(c, &w, r) : again(c, &w, r));
    TRY(note(c, "webhook.replay", NULL, &w));
    return webhook_promise_heads(c, w.id, (struct uuid){ { 0 } });
}

err webhook_replay(struct ctx *c, struct uuid id, struct uuid delivery_id, struct webhook_delivery *out)
{
    bool found;

    if (uuid_is_nil(delivery_id))
        return fail(c, ERR_NOT_FOUND, "no such delivery");
    TRY(db_tx(c, replay_body, &(struct replaying){ id, delivery_id, 0 }));
    TRY(delivery_store_get(c, delivery_id, &found, out));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such delivery");
}

err webhook_replay_dead(struct ctx *c, struct uuid id, int64_t *n)
{
    struct replaying r = { .webhook_id = id };

    TRY(db_tx(c, replay_body, &r));
    *n = r.n;
    return ERR_OK;
}
