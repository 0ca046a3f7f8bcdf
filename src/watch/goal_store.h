/* SQL of goals; only goal*.c include it. */
#ifndef LOCI_GOAL_STORE_H
#define LOCI_GOAL_STORE_H

#include "goal.h"
#include "reach.h"

err goal_store_get(struct ctx *c, struct uuid id, bool *found, struct goal *out);
err goal_store_lock(struct ctx *c, struct uuid id, bool *found, struct goal *out);
err goal_store_list(struct ctx *c, const struct goal_filter *f, const struct watch_reach *reach, struct uuid before, struct page *out);
err goal_store_open(struct ctx *c, struct uuid agent_id, int64_t *n);
/* Open ones below it, at any depth. */
err goal_store_below(struct ctx *c, struct uuid id, struct list *out);
err goal_store_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err goal_store_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);

#endif
