/* Tidying up behind pools; see pool_upkeep.h. */
#include "pool_upkeep.h"

#include "node_many.h"
#include "pool_data.h"
#include "pool_upkeep_store.h"

#define POOLS_AT_ONCE 50

static struct instant pool_upkeep_ago(const struct ctx *c, int64_t us)
{
    return (struct instant){c->now.us - us};
}

err pool_upkeep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return pool_upkeep_store_accounts(c, above, ids, max, n);
}

err pool_upkeep_keys(struct ctx *c, int64_t limit, int64_t *n)
{
    struct uuid pools[POOLS_AT_ONCE];
    size_t n_pools;

    *n = 0;
    TRY(pool_upkeep_store_with_expired(c, pools, POOLS_AT_ONCE, &n_pools));
    for (size_t i = 0; i < n_pools && *n < limit; i++) {
        int64_t done;

        TRY(pool_tidy(c, pools[i], limit - *n, &done));
        *n += done;
    }
    return ERR_OK;
}

err pool_upkeep_tombstones(struct ctx *c, int64_t limit, int64_t *n)
{
    struct uuid *nodes = ARENA_ARRAY(c->arena, struct uuid, (size_t)limit + 1);
    size_t k;

    TRY(pool_upkeep_store_dropped(c, pool_upkeep_ago(c, POOL_TOMBSTONE_US), nodes, (size_t)limit, &k));
    TRY(pool_upkeep_store_delete_keys(c, nodes, k));
    TRY(node_purge_many(c, nodes, k));
    *n = (int64_t)k;
    return ERR_OK;
}

/* From now on they are expired pools like others. */
err pool_upkeep_sessions(struct ctx *c, int64_t limit, int64_t *n)
{
    struct instant end = {c->now.us + SECOND_US};
    struct uuid pools[POOLS_AT_ONCE];
    struct space s;
    size_t k;

    TRY(pool_upkeep_store_idle_sessions(c, pool_upkeep_ago(c, POOL_SESSION_US), pools,
                                        limit < POOLS_AT_ONCE ? (size_t)limit : POOLS_AT_ONCE, &k));
    for (size_t i = 0; i < k; i++)
        TRY(space_update(c, CHANGE_OF(struct space_change, pools[i], expires_at, end, .by_room = true), &s));
    *n = (int64_t)k;
    return ERR_OK;
}

err pool_upkeep_pools(struct ctx *c, int64_t limit, int64_t *n)
{
    struct uuid *nodes = ARENA_ARRAY(c->arena, struct uuid, (size_t)limit + 1), pool;
    size_t k, one;

    *n = 0;
    TRY(pool_upkeep_store_over(c, pool_upkeep_ago(c, POOL_PURGE_US), &pool, 1, &one));
    if (!one)
        return ERR_OK;
    TRY(node_ids_of_space(c, pool, nodes, (size_t)limit, &k));
    TRY(pool_upkeep_store_delete_keys(c, nodes, k));
    TRY(node_purge_many(c, nodes, k));
    *n = (int64_t)k;
    if (*n == limit)
        return ERR_OK;
    TRY(pool_upkeep_store_delete_pool(c, pool));
    *n += 1;
    return space_purge(c, pool);
}
