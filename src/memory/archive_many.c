/* Archiving many memories at once; see archive_many.h. */
#include "archive_many.h"

#include "entry_many_store.h"
#include "fact.h"
#include "node_many.h"

err memory_leave_keys(struct ctx *c, const struct uuid *ids, size_t n)
{
    if (!n)
        return ERR_OK;
    TRY(entry_many_store_uncount(c, ids, n));
    TRY(entry_many_store_leave(c, ids, n));
    return fact_hold(c, ids, n, false);
}

/* The contexts are locked first, as by everybody who changes entries. */
err memory_archive_many(struct ctx *c, const struct uuid *ids, size_t n, const char *reason, struct uuid *done, size_t *n_done)
{
    *n_done = 0;
    if (!n)
        return ERR_OK;
    TRY(entry_many_store_lock(c, ids, n));
    TRY(node_archive_many(c, ids, n, reason, done, n_done));
    return memory_leave_keys(c, done, *n_done);
}

err memory_forget_many(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *done, size_t *n_done)
{
    struct node_wish *wishes = ARENA_ARRAY(c->arena, struct node_wish, n + 1);
    struct node_brief *there = ARENA_ARRAY(c->arena, struct node_brief, n + 1);

    *n_done = 0;
    if (!n)
        return ERR_OK;
    TRY(entry_many_store_lock(c, ids, n));
    TRY(node_briefs(c, ids, n, there));
    for (size_t i = 0; i < n; i++)
        if (!uuid_is_nil(there[i].id)) {
            wishes[*n_done] = (struct node_wish){.id = ids[i], .what = NODE_WISH_FORGET};
            done[(*n_done)++] = ids[i];
        }
    TRY(node_change_many(c, wishes, *n_done));
    return memory_leave_keys(c, done, *n_done);
}

err memory_drop_many(struct ctx *c, struct uuid space_id, const struct uuid *ids, size_t n)
{
    TRY(entry_many_store_lock(c, ids, n));
    TRY(node_drop_many(c, space_id, ids, n));
    return memory_leave_keys(c, ids, n);
}
