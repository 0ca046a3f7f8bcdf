/* Events for others that are no change of anything (a job's progress), written in the transaction of what they tell of; a relay
 * publishes them later, together with the audit events that are news (audit.h), which are no second row here. */
#ifndef LOCI_OUTBOX_H
#define LOCI_OUTBOX_H

#include "ctx.h"
#include "json.h"

/* space_id: only who may read it will hear of the event; nil: account-wide. payload holds no content, only ids and names. */
err outbox_add(struct ctx *c, const char *kind, struct uuid subject_id, struct uuid space_id, const struct json *payload);

struct outbox_event {
    struct uuid subject_id;
    const struct json *payload;
};
/* The same for n events of one kind and space, in one statement. */
err outbox_add_many(struct ctx *c, const char *kind, struct uuid space_id, const struct outbox_event *events, size_t n);

/* Others may hear of what is written (an event here, or an audit event that is news): whoever relays it is told when the
 * transaction is over, or at once when none is open. outbox_add and audit_add do it themselves. */
void outbox_made_news(struct ctx *c);

/* Deletes at most limit events of the account that are older than that, published or not: for the retention job. */
err outbox_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n);

#endif
