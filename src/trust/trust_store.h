/* SQL of trust; only this room's services include it. */
#ifndef LOCI_TRUST_STORE_H
#define LOCI_TRUST_STORE_H

#include "db.h"
#include "list.h"
#include "trust_impl.h"

/* An event of the history, as it is written. */
struct trust_entry {
    const struct trust_item *item;
    const struct json *before, *after;
};

/* What trust_store_read reads: the agent `a`, with the values of a new one where it has none. */
#define TRUST_SELECT \
    "SELECT a.id, a.parent_id, a.name, a.limited_at, COALESCE(t.reliability, 5e-1), COALESCE(t.cost, 5e-1), COALESCE(t.safety, 1e0), " \
    "COALESCE(t.quality, 5e-1), COALESCE(t.speed, 5e-1), COALESCE(t.overall, 65e-2), COALESCE(t.tier, 'supervised'), " \
    "COALESCE(t.evaluation_count, 0), t.last_evaluated_at, t.decayed_at, COALESCE(t.tier_since, a.created_at), t.last_demoted_at, " \
    "t.pinned_tier, t.pin_reason FROM agent a LEFT JOIN agent_trust t ON t.account_id = a.account_id AND t.agent_id = a.id"
err trust_store_read(struct ctx *c, struct db_cursor *q, bool *found, void *row);
/* lock: inside a transaction; then the agent's own row is locked. */
err trust_store_get(struct ctx *c, struct uuid agent_id, bool lock, bool *found, struct agent_trust *out);
/* n of them, with their mirrors in the agents' own rows. */
err trust_store_save(struct ctx *c, const struct agent_trust *t, size_t n);
/* Those of n items whose execution has counted already. */
err trust_store_seen(struct ctx *c, struct uuid agent_id, const struct trust_item *items, size_t n, bool *seen);
/* The newest TRUST_EVENTS stay. */
err trust_store_add(struct ctx *c, struct uuid agent_id, const struct trust_entry *entries, size_t n);
/* For the job: accounts with agents that were idle for long, and a batch of these, locked. */
err trust_store_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err trust_store_idle(struct ctx *c, int64_t limit, struct list *out);

#endif
