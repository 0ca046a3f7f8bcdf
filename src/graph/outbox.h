/* Events for others, written in the transaction of the change they tell of; a relay publishes them later. */
#ifndef LOCI_OUTBOX_H
#define LOCI_OUTBOX_H

#include "ctx.h"
#include "json.h"

/* space_id: only who may read it will hear of the event; nil: account-wide. payload holds no content, only ids and names. */
err outbox_add(struct ctx *c, const char *kind, struct uuid subject_id, struct uuid space_id, const struct json *payload);

struct outbox {
    const char *kind;
    struct uuid subject_id, space_id;
    const struct json *payload;
};
/* The same for n events, in one statement. */
err outbox_add_many(struct ctx *c, const struct outbox *o, size_t n);

/* Deletes at most limit events of the account that are older than that, published or not: for the retention job. */
err outbox_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n);

#endif
