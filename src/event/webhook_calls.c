/* Operations on webhooks and their deliveries. */
#include "event_calls.h"
#include "webhook.h"

#define TAG .tag = "webhooks"
#define PATH "/api/v1/webhooks"

/* ---- reading */

OP_CALL(WEBHOOK_LIST, struct thing_page, struct page, webhook_list(c, in, out),
        .name = "webhook.list", .method = "GET", .path = PATH, TAG,
        .summary = "Lists the account's webhooks, newest first.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_PAGE, OP_GIVE(WEBHOOK, struct webhook));

OP_CALL(WEBHOOK_GET, struct thing_key, struct webhook, webhook_get(c, in->id, out),
        .name = "webhook.get", .method = "GET", .path = PATH "/:id", TAG,
        .summary = "Returns one webhook, without its secret.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
        OP_KEY(WEBHOOK), OP_GIVE(WEBHOOK, struct webhook));

/* ---- making and changing */

OP_CALL(WEBHOOK_CREATE, struct webhook, struct webhook, webhook_create(c, in, out),
        .name = "webhook.create", .method = "POST", .path = PATH, TAG,
        .summary = "Creates a webhook: events are posted to a URL.",
        .help = "Each event is a POST of {type, timestamp, data} with the headers webhook-id, webhook-timestamp and webhook-signature of "
                "Standard Webhooks. Any 2xx is a success. Otherwise it is retried for about twelve hours, and later events of the same subject "
                "wait. The answer contains the secret, which is shown only once.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES | OP_ETAG,
        OP_MAKE(WEBHOOK, struct webhook), OP_GIVE(WEBHOOK_WITH_SECRET, struct webhook));

OP_CALL(WEBHOOK_UPDATE, struct webhook_change, struct webhook, webhook_update(c, in, out),
        .name = "webhook.update", .method = "PATCH", .path = PATH "/:id", TAG,
        .summary = "Changes, pauses or resumes a webhook.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH,
        OP_CHANGE(WEBHOOK, struct webhook_change), OP_GIVE(WEBHOOK, struct webhook));

OP_CALL(WEBHOOK_DELETE, struct thing_key, void, webhook_delete(c, in),
        .name = "webhook.delete", .method = "DELETE", .path = PATH "/:id", TAG,
        .summary = "Deletes a webhook and its delivery log.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY,
        OP_KEY(WEBHOOK));

OP_CALL(WEBHOOK_ROTATE_SECRET, struct thing_key, struct webhook, webhook_rotate(c, in, out),
        .name = "webhook.rotate_secret", .method = "POST", .path = PATH "/:id/rotate_secret", TAG,
        .summary = "Creates a new secret; the old one stops working at once.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH,
        OP_KEY(WEBHOOK), OP_GIVE(WEBHOOK_WITH_SECRET, struct webhook));

/* ---- deliveries */

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
        OP_IN(DELIVERIES_IN, struct delivery_filter), OP_GIVE(WEBHOOK_DELIVERY, struct webhook_delivery));

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
        OP_IN(REPLAY_IN, struct replay_in), OP_GIVE(WEBHOOK_DELIVERY, struct webhook_delivery));

struct replayed {
    int64_t replayed;
};

static const struct field REPLAYED_OUT[] = {
    F_INT(struct replayed, replayed, 0, 0, LIMIT_WEBHOOK_REPLAY, 0, "deliveries that are pending again; call again if there are more"),
    F_END
};

OP_CALL(WEBHOOK_REPLAY_DEAD, struct thing_key, struct replayed, webhook_replay_dead(c, in->id, &out->replayed),
        .name = "webhook.replay_dead", .method = "POST", .path = PATH "/:id/replay_dead", TAG,
        .summary = "Delivers all failed events again, oldest first.",
        .perm = PERM_ACCOUNT_MANAGE,
        OP_KEY(WEBHOOK), OP_OUT(REPLAYED_OUT, struct replayed));

const struct op *const webhook_calls_table[] = { &WEBHOOK_LIST, &WEBHOOK_GET, &WEBHOOK_CREATE, &WEBHOOK_UPDATE, &WEBHOOK_DELETE,
                                                 &WEBHOOK_ROTATE_SECRET, &WEBHOOK_DELIVERIES, &WEBHOOK_REPLAY, &WEBHOOK_REPLAY_DEAD, NULL };
