/* Events for others, written in the transaction of the change they tell of; a relay publishes them later. */
#ifndef LOCI_OUTBOX_H
#define LOCI_OUTBOX_H

#include "ctx.h"
#include "json.h"

/* space_id: only who may read it will hear of the event; nil: account-wide. payload holds no content, only ids and names. */
err outbox_add(struct ctx *c, const char *kind, struct uuid subject_id, struct uuid space_id, const struct json *payload);

#endif
