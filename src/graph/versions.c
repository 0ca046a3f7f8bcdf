/* Cutting the chain of a node's old states; see versions.h. */
#include "versions.h"

#include "app.h"
#include "audit.h"
#include "limit.h"
#include "node_write_store.h"
#include "versions_store.h"

err versions_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return versions_store_due(c, job, above, ids, max, n);
}

err versions_grown(struct ctx *c, struct instant since, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return versions_store_grown(c, since, LIMIT_NODE_VERSIONS, above, ids, max, n);
}

static err record(struct ctx *c, struct uuid id, struct uuid space_id, size_t n)
{
    struct json *payload = json_obj(c->arena);

    json_set_int(c->arena, payload, "versions", (int64_t)n);
    return audit_add(c, &(struct audit){.kind = "node.prune", .subject_kind = "node", .subject_id = id, .space_id = space_id,
                                        .payload = payload});
}

/* Locked like every change of the node, so that no state joins the chain meanwhile. The last state that stays is tied to the
 * next that goes, so that the chain never breaks, and says itself from when it was known. */
err versions_prune(struct ctx *c, struct uuid id, int64_t *n)
{
    struct old_state *chain = ARENA_ARRAY(c->arena, struct old_state, VERSIONS_AT_ONCE + 2);
    struct uuid *gone = ARENA_ARRAY(c->arena, struct uuid, VERSIONS_AT_ONCE), space_id, next = {0};
    size_t length, k = 0;
    bool found;

    *n = 0;
    TRY(versions_store_lock(c, id, &space_id, &found));
    if (!found)
        return ERR_OK;
    TRY(versions_store_chain(c, id, LIMIT_NODE_VERSIONS, chain, VERSIONS_AT_ONCE + 2, &length));
    if (length < 2)
        return ERR_OK;
    for (; k < VERSIONS_AT_ONCE && k + 1 < length; k++)
        gone[k] = chain[k + 1].id;
    if (k + 1 < length)
        next = chain[k + 1].id;
    TRY(node_write_cut(c, chain[0].id, next, chain[1].until, gone, k));
    if (c->app->nodes_erased)
        TRY(c->app->nodes_erased(c));
    *n = (int64_t)k;
    return record(c, id, space_id, k);
}
