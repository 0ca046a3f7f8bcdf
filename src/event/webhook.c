/* Webhooks as people have them; see webhook.h. */
#include "webhook.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "db.h"
#include "match.h"
#include "net.h"
#include "outbox.h"
#include "principal.h"
#include "row.h"
#include "thing.h"
#include "webhook_impl.h"

ENUMX_DEFINE(webhook_status, WEBHOOK_STATUS);
ENUMX_DEFINE(delivery_status, DELIVERY_STATUS);
ENUMX_DEFINE(delivery_any, DELIVERY_ANY);

#define HEADS_AT_ONCE 10000

/* The secret as it is kept; answers have another of that name. */
#define SEALED_COLUMN \
    {.type = FT_BYTES, .flags = COL_ROW, .name = "secret", .off = offsetof(struct webhook, sealed), .help = "key of the signatures, sealed"}

#define WEBHOOK_FIELDS(pending_, dead_) \
    F_ID(struct webhook, "id"), \
    F_STR(struct webhook, name, COL_OPEN | FIELD_REQUIRED, 1, LIMIT_NAME, "display name"), \
    F_STR(struct webhook, url, COL_OPEN | FIELD_REQUIRED, 1, LIMIT_WEBHOOK_URL, \
          "https URL that events are posted to; private addresses are refused"), \
    F_STRS(struct webhook, kinds, COL_OPEN, LIMIT_EVENT_KINDS, \
           "only these kinds; node.* matches all kinds with this prefix; default: all"), \
    F_UUIDS(struct webhook, spaces, COL_READ | COL_CREATE | COL_PATCH | FIELD_SPACE, LIMIT_EVENT_SPACES, \
            "only events in these spaces; default: all"), \
    F_UUID(struct webhook, owner_id, COL_READ, "user who created it; it gets the events that user may read"), \
    F_ENUM(struct webhook, status, COL_LATER, webhook_status, WEBHOOK_ACTIVE, \
           "active; paused: events wait; disabled, by Loci alone: events are dropped"), \
    F_STR(struct webhook, reason, COL_READ | COL_AUDIT | FIELD_NULLABLE, 0, 0, "why it is disabled"), \
    F_TIME(struct webhook, failing_since, COL_READ | FIELD_NULLABLE, \
           "time of the first failure since the last success; it is disabled after three days"), \
    F_TIME(struct webhook, last_success_at, COL_READ | FIELD_NULLABLE, "time of the last success"), \
    F_TIME(struct webhook, last_failure_at, COL_READ | FIELD_NULLABLE, "time of the last failure"), \
    F_STR(struct webhook, last_error, COL_READ | FIELD_NULLABLE, 0, 0, "error of the last failure"), \
    F_INT(struct webhook, waiting, COL_SHOW, 0, 0, 0, "pending deliveries", .sql = (pending_)), \
    F_INT(struct webhook, dead, COL_SHOW, 0, 0, 0, "failed deliveries", .sql = (dead_)), \
    F_VERSION(struct webhook), \
    F_TIMES(struct webhook), \
    SEALED_COLUMN
#define DELIVERIES(status) \
    "(SELECT COUNT(*) FROM webhook_delivery d WHERE d.account_id = w.account_id AND d.webhook_id = w.id AND d.status = '" status "')"

static const struct field WEBHOOK_COLUMNS[] = {WEBHOOK_FIELDS(DELIVERIES("pending"), DELIVERIES("dead")), F_END};
const struct thing WEBHOOK = THING("webhook", WEBHOOK_COLUMNS, struct webhook, .from = "webhook w", .alias = "w", .schema = "Webhook");

static const struct field SECRET_COLUMNS[] = {
    WEBHOOK_FIELDS(NULL, NULL),
    F_STR(struct webhook, secret, COL_SHOW | FIELD_SECRET, 0, 100, "key of the signatures (whsec_…); shown only once"),
    F_END
};
const struct thing WEBHOOK_WITH_SECRET = THING("webhook", SECRET_COLUMNS, struct webhook, .schema = "WebhookSecret");

static const struct field TRY_OUT[] = {
    F_TIME(struct webhook_try, at, 0, "time of the POST"),
    F_INT(struct webhook_try, http_status, 0, 0, 999, 0, "HTTP status of the answer; 0: no answer"),
    F_STR(struct webhook_try, error, FIELD_NULLABLE, 0, WEBHOOK_ERROR, "error; null: success"),
    F_INT(struct webhook_try, ms, 0, 0, 9e15, 0, "duration in milliseconds"),
    F_END
};

static const struct field DELIVERY_COLUMNS[] = {
    F_ID(struct webhook_delivery, "id"),
    F_UUID(struct webhook_delivery, webhook_id, COL_ROW, "the webhook"),
    F_UUID(struct webhook_delivery, event_id, COL_READ, "event id; the header webhook-id"),
    F_INT(struct webhook_delivery, seq, COL_READ, 0, 0, 0, "its number in the account's stream"),
    F_STR(struct webhook_delivery, kind, COL_READ, 0, 0, "kind of event"),
    F_UUID(struct webhook_delivery, subject_id, COL_READ, "subject; later events of the same subject wait for this one"),
    F_ENUM(struct webhook_delivery, status, COL_READ, delivery_status, DELIVERY_PENDING,
           "pending, delivered, dead (all tries failed), or withheld (the webhook's owner may not read it any more)"),
    F_INT(struct webhook_delivery, round, COL_ROW, 0, 0, 0, "how often it was promised"),
    F_INT(struct webhook_delivery, attempts, COL_READ, 0, 0, 0, "tries so far"),
    F_INT(struct webhook_delivery, http_status, COL_SHOW, 0, 0, 0, "HTTP status of the last try; 0: no answer", .sql = "COALESCE(d.http_status, 0)"),
    F_STR(struct webhook_delivery, error, COL_READ | FIELD_NULLABLE, 0, 0, "error of the last try"),
    F_INT(struct webhook_delivery, ms, COL_SHOW, 0, 0, 0, "duration in milliseconds", .sql = "COALESCE(d.ms, 0)"),
    F_TIME(struct webhook_delivery, created_at, COL_READ | COL_BORN, "when the event was relayed"),
    F_TIME(struct webhook_delivery, tried_at, COL_READ | FIELD_NULLABLE, "time of the last try"),
    F_TIME(struct webhook_delivery, done_at, COL_READ | FIELD_NULLABLE, "time when it was delivered or finally failed"),
    F_LIST(struct webhook_delivery, tries, COL_SHOW, WEBHOOK_TRIES, TRY_OUT, struct webhook_try, "newest tries, oldest first"),
    F_JSON(struct webhook_delivery, log, 0, 0, "newest tries as they are kept", .sql = "d.tries"),
    F_END
};
const struct thing WEBHOOK_DELIVERY = THING("webhook_delivery", DELIVERY_COLUMNS, struct webhook_delivery,
    .from = "webhook_delivery d", .alias = "d", .schema = "WebhookDelivery");

static err webhook_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such webhook");
}

/* ---- what was done, for the trail: never the secret */

static struct json *webhook_state_of(struct ctx *c, const struct webhook *w)
{
    return w ? field_encode_use(c->arena, WEBHOOK_COLUMNS, COL_AUDIT, w) : NULL;
}

static err webhook_note(struct ctx *c, const char *verb, const struct webhook *before, const struct webhook *after)
{
    return thing_note(c, &WEBHOOK, verb, after->id, webhook_state_of(c, before), webhook_state_of(c, after));
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
    TRY(webhook_note(c, "disable", w, &after));
    json_set_str(c->arena, said, "name", w->name);
    json_set_str(c->arena, said, "reason", reason);
    return outbox_add(c, "webhook.disabled", w->id, (struct uuid){{0}}, said);
}

/* ---- checks */

static err webhook_check(struct ctx *c, const struct webhook *w)
{
    const char *fault = net_url_fault(w->url, c->app->conf->webhooks_private);
    struct event_filter f = {w->kinds, w->spaces};

    if (fault)
        return fail_field(c, "/url", "url %s", fault);
    return event_filter_check(c, &f);
}

/* ---- making */

static void give_secret(struct ctx *c, struct webhook *w)
{
    uint8_t secret[WEBHOOK_SECRET];

    webhook_secret_make(secret);
    w->sealed = webhook_seal(c, w->id, secret);
    w->secret = webhook_secret_text(c->arena, secret);
    sodium_memzero(secret, sizeof secret);
}

static err webhook_create_tx(struct ctx *c, const struct webhook *in, struct webhook *out)
{
    struct webhook w = *in;
    int64_t n;

    if (c->who->kind != PRINCIPAL_USER)
        return fail(c, ERR_INVALID, "a webhook must be created by a user: it gets the events that user may read");
    w.owner_id = c->who->id;
    TRY(thing_begin(c, &WEBHOOK_WITH_SECRET, &w));
    TRY(webhook_check(c, &w));
    give_secret(c, &w);
    TRY(webhook_store_count(c, &n));
    if (n >= LIMIT_WEBHOOKS)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "an account can have at most %d webhooks", LIMIT_WEBHOOKS);
    TRY(thing_insert(c, &WEBHOOK_WITH_SECRET, &w));
    *out = w;
    return ERR_OK;
}
DB_TX(webhook_create, struct webhook, struct webhook)

/* ---- reading */

err webhook_get(struct ctx *c, struct uuid id, struct webhook *out)
{
    return thing_get(c, &WEBHOOK, id, out);
}

err webhook_list(struct ctx *c, const struct thing_page *in, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, in->cursor, &before));
    return webhook_store_list(c, before, in->limit, out);
}

/* ---- changing */

static err webhook_to_change(struct ctx *c, struct uuid id, int64_t if_version, struct webhook *out)
{
    bool found;

    TRY(webhook_store_lock(c, id, &found, out));
    return found ? match_version(c, if_version, out->version) : webhook_missing(c);
}

static err webhook_save(struct ctx *c, const char *verb, const struct webhook *was, struct webhook *w)
{
    TRY(webhook_check(c, w));
    return thing_save(c, &WEBHOOK_WITH_SECRET, &(struct thing_change){.if_version = c->if_match, .verb = verb}, was, w);
}

static err webhook_update_tx(struct ctx *c, const struct webhook_change *ch, struct webhook *out)
{
    struct webhook was, w;

    TRY(webhook_to_change(c, ch->to.id, ch->change.if_version, &was));
    w = was;
    TRY(thing_apply(c, &WEBHOOK, ch, &w));
    if (changes(ch, status)) {
        if (w.status == WEBHOOK_DISABLED)
            return fail_field(c, "/status", "status must be active or paused");
        w.reason = NULL;
        w.failing_since = (struct instant){0};
    }
    TRY(webhook_save(c, "update", &was, &w));
    if (w.status == WEBHOOK_ACTIVE && was.status != WEBHOOK_ACTIVE)
        TRY(webhook_promise_heads(c, w.id, (struct uuid){{0}}));
    return webhook_get(c, w.id, out);
}
DB_TX(webhook_update, struct webhook_change, struct webhook)

static err webhook_rotate_tx(struct ctx *c, const struct thing_key *key, struct webhook *out)
{
    struct webhook was, w;

    TRY(webhook_to_change(c, key->id, key->if_version, &was));
    w = was;
    give_secret(c, &w);
    TRY(webhook_save(c, "rotate", &was, &w));
    TRY(webhook_get(c, w.id, out));
    out->secret = w.secret;
    return ERR_OK;
}
DB_TX(webhook_rotate, struct thing_key, struct webhook)

static err webhook_delete_tx(struct ctx *c, const struct thing_key *key)
{
    struct webhook w;

    TRY(webhook_to_change(c, key->id, key->if_version, &w));
    TRY(webhook_store_delete_log(c, w.id));
    return thing_remove(c, &WEBHOOK_WITH_SECRET, &w, key->if_version);
}
DB_TX_IN(webhook_delete, struct thing_key)

/* ---- deliveries */

err webhook_deliveries(struct ctx *c, const struct delivery_filter *f, struct page *out)
{
    struct webhook w;
    struct uuid before;
    struct list rows;

    TRY(webhook_get(c, f->id, &w));
    TRY(page_begin(c, f->cursor, &before));
    TRY(delivery_store_list(c, f, before, &rows));
    PAGE_END(c, out, rows.v, rows.n, f->limit, struct webhook_delivery, id);
    return ERR_OK;
}

err webhook_promise_heads(struct ctx *c, struct uuid webhook_id, struct uuid subject_id)
{
    const struct webhook_delivery *rows;
    struct list heads;
    struct uuid *ids;
    int64_t *rounds;

    TRY(delivery_store_heads(c, webhook_id, subject_id, uuid_is_nil(subject_id) ? HEADS_AT_ONCE : 1, &heads));
    if (!heads.n || !c->app->deliver_later)
        return ERR_OK;
    rows = heads.v;
    ids = ARENA_ARRAY(c->arena, struct uuid, heads.n);
    rounds = ARENA_ARRAY(c->arena, int64_t, heads.n);
    for (size_t i = 0; i < heads.n; i++) {
        ids[i] = rows[i].id;
        rounds[i] = rows[i].round;
    }
    return c->app->deliver_later(c, ids, rounds, heads.n);
}

struct replaying {
    struct uuid webhook_id, delivery_id; /* delivery nil: all dead ones */
    int64_t n;
};

static err webhook_again(struct ctx *c, const struct webhook *w, const struct replaying *r)
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
        return webhook_missing(c);
    if (w.status != WEBHOOK_ACTIVE)
        return fail_reason(c, ERR_CONFLICT, "not_active", "the webhook is %s; activate it first",
                           enumx_name(&webhook_status_enumx, (int)w.status));
    TRY(uuid_is_nil(r->delivery_id) ? again_dead(c, &w, r) : webhook_again(c, &w, r));
    TRY(webhook_note(c, "replay", NULL, &w));
    return webhook_promise_heads(c, w.id, (struct uuid){{0}});
}

err webhook_replay(struct ctx *c, struct uuid id, struct uuid delivery_id, struct webhook_delivery *out)
{
    bool found;

    if (uuid_is_nil(delivery_id))
        return fail(c, ERR_NOT_FOUND, "no such delivery");
    TRY(db_tx(c, replay_body, &(struct replaying){id, delivery_id, 0}));
    TRY(delivery_store_get(c, delivery_id, &found, out));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such delivery");
}

err webhook_replay_dead(struct ctx *c, struct uuid id, int64_t *n)
{
    struct replaying r = {.webhook_id = id};

    TRY(db_tx(c, replay_body, &r));
    *n = r.n;
    return ERR_OK;
}
