/* SQL of the shared tier: which pools have a key, in the order in which they are asked; only shared.c includes this. */
#ifndef LOCI_SHARED_STORE_H
#define LOCI_SHARED_STORE_H

#include "pool_path.h"
#include "shared.h"

#define SHARED_POOLS 20 /* that have the key: beyond the first, only where a row above it lacks the member */

/* Of what the caller may read; own: the agent's private pool, or nil. */
err shared_store_pools(struct ctx *c, const struct shared_at *at, struct uuid own, const struct pool_path *path,
                       struct uuid pools[SHARED_POOLS], size_t *n);

#endif
