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

static err versions_record(struct ctx *c, struct uuid id, struct uuid space_id, size_t n)
{
    struct json *payload = json_obj(c->arena);

    json_set_int(c->arena, payload, "versions", (int64_t)n);
    return audit_add(c, &(struct audit){.kind = "node.prune", .subject_kind = "node", .subject_id = id, .space_id = space_id,
                                        .payload = payload});
}

static err find_held(struct ctx *c, const struct old_state *chain, size_t n, bool *held)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);

    for (size_t i = 0; i < n; i++)
        ids[i] = chain[i].id;
    return c->app->states_held ? c->app->states_held(c, ids, n, held) : ERR_OK;
}

/* The states from `from` up to the next that is held go; `from - 1`, which began when `from` ended, stays and is tied to what
 * is left behind them. */
static err cut_run(struct ctx *c, const struct old_state *chain, size_t from, size_t to, size_t length)
{
    struct uuid *gone = ARENA_ARRAY(c->arena, struct uuid, to - from + 1), next = {0};

    for (size_t i = from; i < to; i++)
        gone[i - from] = chain[i].id;
    if (to < length)
        next = chain[to].id;
    return node_write_cut(c, chain[from - 1].id, next, chain[from].until, gone, to - from);
}

/* Locked like every change of the node, so that no state joins the chain meanwhile. The state before one that goes is tied to
 * the next that stays, so that the chain never breaks, and says itself from when it was known. */
err versions_prune(struct ctx *c, struct uuid id, int64_t *n, bool *more)
{
    struct old_state *chain = ARENA_ARRAY(c->arena, struct old_state, VERSIONS_AT_ONCE + 2);
    bool *held = ARENA_ARRAY(c->arena, bool, VERSIONS_AT_ONCE + 2), found;
    struct uuid space_id;
    size_t length, last, k = 0;

    *n = 0;
    *more = false;
    TRY(versions_store_lock(c, id, &space_id, &found));
    if (!found)
        return ERR_OK;
    TRY(versions_store_chain(c, id, LIMIT_NODE_VERSIONS, chain, VERSIONS_AT_ONCE + 2, &length));
    TRY(find_held(c, chain, length, held));
    last = length <= VERSIONS_AT_ONCE + 1 ? length : VERSIONS_AT_ONCE + 1;
    for (size_t i = 1, to; i < last; i = to + 1) {
        for (to = i; to < last && !held[to]; to++)
            ;
        if (to > i)
            TRY(cut_run(c, chain, i, to, length));
        k += to - i;
    }
    if (!k)
        return ERR_OK;
    if (c->app->nodes_erased)
        TRY(c->app->nodes_erased(c));
    *n = (int64_t)k;
    *more = length > last;
    return versions_record(c, id, space_id, k);
}
