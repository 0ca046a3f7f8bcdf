/* Operations on webhooks and their deliveries. */
#include "event_calls.h"
#include "webhook.h"

#define TAG .tag = "webhooks"
#define PATH "/api/v1/webhooks"
#define COUNT_MAX 9e15

#define WEBHOOK_FIELDS \
    F_UUID(struct webhook, id, 0, "id"), \
    F_STR(struct webhook, name, 0, 0, LIMIT_NAME, "display name"), \
    F_STR(struct webhook, url, 0, 0, LIMIT_WEBHOOK_URL, "URL that events are posted to"), \
    F_STRS(struct webhook, kinds, 0, LIMIT_EVENT_KINDS, "only these kinds; default: all"), \
    F_UUIDS(struct webhook, spaces, 0, LIMIT_EVENT_SPACES, "only these spaces; default: all"), \
    F_UUID(struct webhook, owner_id, 0, "user who created it; it gets the events that user may read"), \
    F_ENUM(struct webhook, status, 0, webhook_status, WEBHOOK_ACTIVE, "active; paused: events wait; disabled: events are dropped"), \
    F_STR(struct webhook, reason, FIELD_NULLABLE, 0, WEBHOOK_ERROR + 100, "why it is disabled"), \
    F_TIME(struct webhook, failing_since, FIELD_NULLABLE, "time of the first failure since the last success; it is disabled after three days"), \
    F_TIME(struct webhook, last_success_at, FIELD_NULLABLE, "time of the last success"), \
    F_TIME(struct webhook, last_failure_at, FIELD_NULLABLE, "time of the last failure"), \
    F_STR(struct webhook, last_error, FIELD_NULLABLE, 0, WEBHOOK_ERROR, "error of the last failure"), \
    F_INT(struct webhook, waiting, 0, 0, COUNT_MAX, 0, "pending deliveries"), \
    F_INT(struct webhook, dead, 0, 0, COUNT_MAX, 0, "failed deliveries"), \
    F_INT(struct webhook, version, 0, 1, COUNT_MAX, 1, "version; increases with every change; the ETag"), \
    F_TIME(struct webhook, created_at, 0, "when it was created"), \
    F_TIME(struct webhook, updated_at, 0, "when it was last changed")

static const struct field WEBHOOK_OUT[] = { WEBHOOK_FIELDS, F_END };
static const struct field SECRET_OUT[] = {
    WEBHOOK_FIELDS,
    F_STR(struct webhook, secret, FIELD_SECRET, 0, 100, "key of the signatures (whsec_…); shown only once"),
    F_END
};

struct by_id {
    struct uuid id;
};

static const struct field BY_ID[] = {
    F_UUID(struct by_id, id, FIELD_REQUIRED, "id of the webhook"),
    F_END
};

/* ---- reading */

struct list_in {
    int64_t limit;
    const char *cursor;
};

static const struct field LIST_IN[] = { F_PAGE(struct list_in), F_END };

OP_CALL(WEBHOOK_LIST, struct list_in, struct page, webhook_list(c, in->limit, in->cursor, out),
        .name = "webhook.list", .method = "GET", .path = PATH, TAG,
        .summary = "Lists the account's webhooks, newest first.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct list_in), OP_OUT(WEBHOOK_OUT, struct webhook));

OP_CALL(WEBHOOK_GET, struct by_id, struct webhook, webhook_get(c, in->id, out),
        .name = "webhook.get", .method = "GET", .path = PATH "/:id", TAG,
        .summary = "Returns one webhook, without its secret.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
        OP_IN(BY_ID, struct by_id), OP_OUT(WEBHOOK_OUT, struct webhook));

/* ---- making and changing */

static const struct field CREATE_IN[] = {
    F_STR(struct webhook_new, name, FIELD_REQUIRED, 1, LIMIT_NAME, "display name"),
    F_STR(struct webhook_new, url, FIELD_REQUIRED, 1, LIMIT_WEBHOOK_URL, "https URL to post to; private addresses are refused"),
    F_STRS(struct webhook_new, kinds, 0, LIMIT_EVENT_KINDS, "only these kinds; node.* matches all kinds with this prefix; default: all"),
    F_UUIDS(struct webhook_new, spaces, FIELD_SPACE, LIMIT_EVENT_SPACES, "only events in these spaces; default: all"),
    F_END
};

OP_CALL(WEBHOOK_CREATE, struct webhook_new, struct webhook, webhook_create(c, in, out),
        .name = "webhook.create", .method = "POST", .path = PATH, TAG,
        .summary = "Creates a webhook: events are posted to a URL.",
        .help = "Each event is a POST of {type, timestamp, data} with the headers webhook-id, webhook-timestamp and webhook-signature of "
                "Standard Webhooks. Any 2xx is a success. Otherwise it is retried for about twelve hours, and later events of the same subject "
                "wait. The answer contains the secret, which is shown only once.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES | OP_ETAG,
        OP_IN(CREATE_IN, struct webhook_new), OP_OUT(SECRET_OUT, struct webhook));

struct update_in {
    struct given given;
    struct uuid id;
    const char *name, *url;
    struct strs kinds;
    struct uuids spaces;
    enum webhook_wanted status;
};

static const struct field UPDATE_IN[] = {
    F_UUID(struct update_in, id, FIELD_REQUIRED, "id of the webhook"),
    F_STR(struct update_in, name, 0, 1, LIMIT_NAME, "display name"),
    F_STR(struct update_in, url, 0, 1, LIMIT_WEBHOOK_URL, "https URL to post to"),
    F_STRS(struct update_in, kinds, 0, LIMIT_EVENT_KINDS, "only these kinds; default: all"),
    F_UUIDS(struct update_in, spaces, FIELD_SPACE, LIMIT_EVENT_SPACES, "only events in these spaces; default: all"),
    F_ENUM(struct update_in, status, FIELD_UNSAID, webhook_wanted, WEBHOOK_WANT_ACTIVE, "active: pending events are delivered; paused"),
    F_END
};

static err update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct webhook_patch p = { .if_version = c->if_match, .to = { i->name, i->url, i->kinds, i->spaces }, .status = i->status };

    p.set = (given(i, name) ? WEBHOOK_SET_NAME : 0) | (given(i, url) ? WEBHOOK_SET_URL : 0) |
            (given(i, kinds) ? WEBHOOK_SET_KINDS : 0) | (given(i, spaces) ? WEBHOOK_SET_SPACES : 0) |
            (given(i, status) ? WEBHOOK_SET_STATUS : 0);
    return webhook_update(c, i->id, &p, out);
}

static const struct op WEBHOOK_UPDATE = {
    .name = "webhook.update", .method = "PATCH", .path = PATH "/:id", TAG,
    .summary = "Changes, pauses or resumes a webhook.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(WEBHOOK_OUT, struct webhook), .run = update,
};

OP_CALL(WEBHOOK_DELETE, struct by_id, void, webhook_delete(c, in->id, c->if_match),
        .name = "webhook.delete", .method = "DELETE", .path = PATH "/:id", TAG,
        .summary = "Deletes a webhook and its delivery log.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY,
        OP_IN(BY_ID, struct by_id));

OP_CALL(WEBHOOK_ROTATE_SECRET, struct by_id, struct webhook, webhook_rotate(c, in->id, out),
        .name = "webhook.rotate_secret", .method = "POST", .path = PATH "/:id/rotate_secret", TAG,
        .summary = "Creates a new secret; the old one stops working at once.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH,
        OP_IN(BY_ID, struct by_id), OP_OUT(SECRET_OUT, struct webhook));

/* ---- deliveries */

static const struct field TRY_OUT[] = {
    F_TIME(struct webhook_try, at, 0, "time of the POST"),
    F_INT(struct webhook_try, http_status, 0, 0, 999, 0, "HTTP status of the answer; 0: no answer"),
    F_STR(struct webhook_try, error, FIELD_NULLABLE, 0, WEBHOOK_ERROR, "error; null: success"),
    F_INT(struct webhook_try, ms, 0, 0, COUNT_MAX, 0, "duration in milliseconds"),
    F_END
};

static const struct field DELIVERY_OUT[] = {
    F_UUID(struct webhook_delivery, id, 0, "id"),
    F_UUID(struct webhook_delivery, event_id, 0, "event id; the header webhook-id"),
    F_INT(struct webhook_delivery, seq, 0, 1, COUNT_MAX, 1, "its number in the account's stream"),
    F_STR(struct webhook_delivery, kind, 0, 0, LIMIT_EVENT_KIND, "kind of event"),
    F_UUID(struct webhook_delivery, subject_id, 0, "subject; later events of the same subject wait for this one"),
    F_ENUM(struct webhook_delivery, status, 0, delivery_status, DELIVERY_PENDING,
           "pending, delivered, dead (all tries failed), or withheld (the webhook's owner may not read it any more)"),
    F_INT(struct webhook_delivery, attempts, 0, 0, COUNT_MAX, 0, "tries so far"),
    F_INT(struct webhook_delivery, http_status, 0, 0, 999, 0, "HTTP status of the last try; 0: no answer"),
    F_STR(struct webhook_delivery, error, FIELD_NULLABLE, 0, WEBHOOK_ERROR, "error of the last try"),
    F_INT(struct webhook_delivery, ms, 0, 0, COUNT_MAX, 0, "duration in milliseconds"),
    F_TIME(struct webhook_delivery, created_at, 0, "when the event was relayed"),
    F_TIME(struct webhook_delivery, tried_at, FIELD_NULLABLE, "time of the last try"),
    F_TIME(struct webhook_delivery, done_at, FIELD_NULLABLE, "time when it was delivered or finally failed"),
    F_LIST(struct webhook_delivery, tries, 0, WEBHOOK_TRIES, TRY_OUT, struct webhook_try, "newest tries, oldest first"),
    F_END
};

static const struct field DELIVERIES_IN[] = {
    F_UUID(struct delivery_filter, id, FIELD_REQUIRED, "id of the webhook"),
    F_ENUM(struct delivery_filter, status, 0, delivery_any, DELIVERY_ANY_ANY, "only of this status"),
    F_PAGE(struct delivery_filter),
    F_END
};

OP_CALL(WEBHOOK_DELIVERIES, struct delivery_filter, struct page, webhook_deliveries(c, in, out),
        .name = "webhook.deliveries", .method = "GET", .path = PATH "/:id/deliveries", TAG,
        .summary = "Lists the deliveries of a webhook, newest first.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(DELIVERIES_IN, struct delivery_filter), OP_OUT(DELIVERY_OUT, struct webhook_delivery));

struct replay_in {
    struct uuid id, delivery_id;
};

static const struct field REPLAY_IN[] = {
    F_UUID(struct replay_in, id, FIELD_REQUIRED, "id of the webhook"),
    F_UUID(struct replay_in, delivery_id, FIELD_REQUIRED, "id of the delivery"),
    F_END
};

OP_CALL(WEBHOOK_REPLAY, struct replay_in, struct webhook_delivery, webhook_replay(c, in->id, in->delivery_id, out),
        .name = "webhook.replay", .method = "POST", .path = PATH "/:id/deliveries/:delivery_id/replay", TAG,
        .summary = "Delivers an event again, with the same webhook-id.",
        .perm = PERM_ACCOUNT_MANAGE,
        OP_IN(REPLAY_IN, struct replay_in), OP_OUT(DELIVERY_OUT, struct webhook_delivery));

struct replayed {
    int64_t replayed;
};

static const struct field REPLAYED_OUT[] = {
    F_INT(struct replayed, replayed, 0, 0, LIMIT_WEBHOOK_REPLAY, 0, "deliveries that are pending again; call again if there are more"),
    F_END
};

OP_CALL(WEBHOOK_REPLAY_DEAD, struct by_id, struct replayed, webhook_replay_dead(c, in->id, &out->replayed),
        .name = "webhook.replay_dead", .method = "POST", .path = PATH "/:id/replay_dead", TAG,
        .summary = "Delivers all failed events again, oldest first.",
        .perm = PERM_ACCOUNT_MANAGE,
        OP_IN(BY_ID, struct by_id), OP_OUT(REPLAYED_OUT, struct replayed));

const struct op *const webhook_calls_table[] = { &WEBHOOK_LIST, &WEBHOOK_GET, &WEBHOOK_CREATE, &WEBHOOK_UPDATE, &WEBHOOK_DELETE,
                                                 &WEBHOOK_ROTATE_SECRET, &WEBHOOK_DELIVERIES, &WEBHOOK_REPLAY, &WEBHOOK_REPLAY_DEAD, NULL };
