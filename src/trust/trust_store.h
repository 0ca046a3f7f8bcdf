/* SQL of trust; only this room's services include it. */
#ifndef LOCI_TRUST_STORE_H
#define LOCI_TRUST_STORE_H

#include "list.h"
#include "trust_impl.h"

/* An event of the history, as it is written. */
struct trust_entry {
    const struct trust_item *item;
    const struct json *before, *after;
};

/* lock: inside a transaction; then the agent's own row is locked. */
err trust_store_get(struct ctx *c, struct uuid agent_id, bool lock, bool *found, struct agent_trust *out);
err trust_store_save(struct ctx *c, const struct agent_trust *t);
/* Those of n items whose execution has counted already. */
err trust_store_seen(struct ctx *c, struct uuid agent_id, const struct trust_item *items, size_t n, bool *seen);
/* The newest TRUST_EVENTS stay. */
err trust_store_add(struct ctx *c, struct uuid agent_id, const struct trust_entry *entries, size_t n);

#endif
