/* Tidying up behind contexts; see context_upkeep.h. */
#include "context_upkeep.h"

#include "context_upkeep_store.h"
#include "node_many.h"
#include "space.h"

static struct instant long_ago(const struct ctx *c)
{
    return (struct instant){c->now.us - SPACE_RESTORE_DAYS * DAY_US};
}

err context_upkeep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return context_upkeep_store_accounts(c, long_ago(c), above, ids, max, n);
}

err context_upkeep(struct ctx *c, int64_t limit, int64_t *n)
{
    struct uuid *nodes = ARENA_ARRAY(c->arena, struct uuid, (size_t)limit + 1), context;
    bool found;
    size_t k;

    *n = 0;
    TRY(context_upkeep_store_over(c, long_ago(c), &found, &context));
    if (!found)
        return ERR_OK;
    TRY(node_ids_of_space(c, context, nodes, (size_t)limit, &k));
    TRY(node_purge_many(c, nodes, k));
    *n = (int64_t)k;
    if (*n == limit)
        return ERR_OK;
    *n += 1;
    TRY(context_upkeep_store_delete(c, context));
    return space_purge(c, context);
}
