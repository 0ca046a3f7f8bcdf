/* Webhooks: events posted to an address, signed, in order for each subject, tried again, and kept for a replay. */
#ifndef LOCI_WEBHOOK_H
#define LOCI_WEBHOOK_H

#include "enumx.h"
#include "event.h"
#include "field.h"
#include "page.h"
#include "thing_table.h"

#define LIMIT_WEBHOOKS 50 /* of an account */
#define LIMIT_WEBHOOK_URL 2000
#define LIMIT_WEBHOOK_REPLAY 1000 /* deliveries that one call replays */
#define WEBHOOK_ERROR 500
#define WEBHOOK_TRIES 20 /* of a delivery that its log keeps: all of a round, and some of a replay */
#define WEBHOOK_DISABLED_AFTER_US (3 * DAY_US)

#define WEBHOOK_STATUS(X) X(WEBHOOK_ACTIVE, "active") X(WEBHOOK_PAUSED, "paused") X(WEBHOOK_DISABLED, "disabled")
ENUMX_DECLARE(webhook_status, WEBHOOK_STATUS);
#define DELIVERY_STATUS(X) \
    X(DELIVERY_PENDING, "pending") X(DELIVERY_DELIVERED, "delivered") X(DELIVERY_DEAD, "dead") X(DELIVERY_WITHHELD, "withheld")
ENUMX_DECLARE(delivery_status, DELIVERY_STATUS);
#define DELIVERY_ANY(X) \
    X(DELIVERY_ANY_PENDING, "pending") X(DELIVERY_ANY_DELIVERED, "delivered") X(DELIVERY_ANY_DEAD, "dead") \
    X(DELIVERY_ANY_WITHHELD, "withheld") X(DELIVERY_ANY_ANY, "any")
ENUMX_DECLARE(delivery_any, DELIVERY_ANY);

struct webhook {
    struct uuid id, owner_id;
    const char *name, *url;
    struct strs kinds;
    struct uuids spaces;
    enum webhook_status status;
    const char *reason, *last_error;
    struct instant failing_since, last_success_at, last_failure_at;
    int64_t waiting, dead; /* deliveries; of a read by id or a list */
    int64_t version;
    struct instant created_at, updated_at;
    struct bytes sealed; /* the secret as it is kept */
    const char *secret;  /* set only when it was just made */
};

/* As kept, read and shown, with its deliveries counted; with a secret that was just made, and nothing counted. */
extern const struct thing WEBHOOK, WEBHOOK_WITH_SECRET;

struct webhook_change {
    struct thing_change change;
    struct webhook to;
};

/* One POST. */
struct webhook_try {
    struct instant at;
    int64_t http_status, ms; /* status 0: no answer */
    const char *error;       /* NULL: it was taken */
};

struct webhook_delivery {
    struct uuid id, webhook_id, event_id, subject_id;
    int64_t seq;
    const char *kind;
    enum delivery_status status;
    int64_t round, attempts, http_status, ms;
    const char *error;
    struct instant created_at, tried_at, done_at;
    struct list tries;      /* of struct webhook_try: the newest WEBHOOK_TRIES, the oldest of them first */
    const struct json *log; /* the same as it is kept */
};
extern const struct thing WEBHOOK_DELIVERY;

/* ---- for people: the caller's account; the caller has account.manage */

err webhook_list(struct ctx *c, const struct thing_page *in, struct page *out);
err webhook_get(struct ctx *c, struct uuid id, struct webhook *out);
/* Only people: a webhook hears what its maker may read, as that changes. out->secret is shown this once. */
err webhook_create(struct ctx *c, const struct webhook *in, struct webhook *out);
/* Made active, it goes on with what waits. */
err webhook_update(struct ctx *c, const struct webhook_change *ch, struct webhook *out);
err webhook_delete(struct ctx *c, const struct thing_key *key);
err webhook_rotate(struct ctx *c, const struct thing_key *key, struct webhook *out);

struct delivery_filter {
    struct uuid id; /* of the webhook */
    enum delivery_any status;
    int64_t limit;
    const char *cursor;
};
/* Newest first; items are struct webhook_delivery. */
err webhook_deliveries(struct ctx *c, const struct delivery_filter *f, struct page *out);
/* Once more, in its place among those of its subject. One that waits already: ERR_CONFLICT. */
err webhook_replay(struct ctx *c, struct uuid id, struct uuid delivery_id, struct webhook_delivery *out);
/* All that were given up, the oldest first; *n: at most LIMIT_WEBHOOK_REPLAY. */
err webhook_replay_dead(struct ctx *c, struct uuid id, int64_t *n);

/* ---- for the relay and the queue */

/* Does the account have one that takes events? */
err webhook_any(struct ctx *c, bool *any);
/* In the relay's transaction: what of these events is for whom. */
err webhook_take(struct ctx *c, const struct event *events, size_t n);
/* One delivery, when it is its turn. What fails with ERR_PROVIDER is to be tried again; the webhook's state is kept in any case. */
err webhook_deliver(struct ctx *c, struct uuid delivery_id);
/* Inside a transaction: it is given up, and the next of its subject has its turn. */
err webhook_give_up(struct ctx *c, struct uuid delivery_id, const char *why);

/* Accounts with a webhook that has failed too long, or deliveries older than that; and what is done about it. */
err webhook_upkeep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err webhook_disable_failing(struct ctx *c, int64_t *disabled);
err webhook_purge_log(struct ctx *c, int64_t limit, int64_t *deleted);

#endif
