/* SQL of tidying up behind pools; only pool_upkeep.c includes this. */
#ifndef LOCI_POOL_UPKEEP_STORE_H
#define LOCI_POOL_UPKEEP_STORE_H

#include "ctx.h"

err pool_upkeep_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Pools in use that hold keys whose time is over. */
err pool_upkeep_store_with_expired(struct ctx *c, struct uuid *pools, size_t max, size_t *n);
/* Nodes of keys that were deleted before that. */
err pool_upkeep_store_dropped(struct ctx *c, struct instant before, struct uuid *nodes, size_t max, size_t *n);
err pool_upkeep_store_delete_keys(struct ctx *c, const struct uuid *nodes, size_t n);
/* Pools of sessions, in use, without a write since then. */
err pool_upkeep_store_idle_sessions(struct ctx *c, struct instant since, struct uuid *pools, size_t max, size_t *n);
/* Pools that were deleted, or expired, before that. */
err pool_upkeep_store_over(struct ctx *c, struct instant before, struct uuid *pools, size_t max, size_t *n);
err pool_upkeep_store_delete_pool(struct ctx *c, struct uuid pool);

#endif
