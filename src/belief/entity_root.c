/* Entities that are one; see entity_root.h. */
#include "entity_root.h"

#include <assert.h>
#include <string.h>

#include "db.h"
#include "entity_store.h"
#include "fact_claim_store.h"
#include "fact_put.h"

/* ---- claims go to the questions of another subject */

static err move_slot(struct ctx *c, const struct uuid *subjects, size_t n, const struct fact_place *from, struct uuid root, bool anew)
{
    struct fact_slot to = {.space_id = from->space_id, .subject_id = root, .predicate = from->predicate,
                           .slot_key = claim_slot_key(c, from->space_id, root, from->predicate, from->object_key)};
    bool was_there;

    if (memcmp(to.slot_key.p, from->slot_key.p, to.slot_key.n) == 0)
        return ERR_OK;
    TRY(claim_store_rehome(c, subjects, n, from->slot_key, &to, &was_there));
    if (was_there || anew)
        TRY(fact_refold_about(c, to.slot_key, anew));
    TRY(fact_refold(c, from->slot_key));
    return claim_store_drop_empty(c, from->slot_key);
}

err entity_claims_to(struct ctx *c, const struct uuid *subjects, size_t n, struct uuid root, bool anew)
{
    const struct fact_place *v;
    struct list places;

    TRY(claim_store_places(c, subjects, n, ENTITY_SLOTS + 1, &places));
    if (places.n > ENTITY_SLOTS)
        return fail_reason(c, ERR_CONFLICT, "too_many_facts", "more than %d questions are answered about it", ENTITY_SLOTS);
    v = places.v;
    for (size_t i = 0; i < places.n; i++)
        TRY(move_slot(c, subjects, n, &v[i], root, anew));
    return ERR_OK;
}

/* ---- joining */

static err join_one(struct ctx *c, struct uuid keeper, struct uuid loser)
{
    struct uuids members, all;

    TRY(entity_members(c, &loser, 1, &members));
    TRY(entity_members(c, &keeper, 1, &all));
    if (members.n + all.n > ENTITY_MEMBERS)
        return fail(c, ERR_CONFLICT, "together they would be more than %d entities", ENTITY_MEMBERS);
    TRY(root_store_set(c, members.v, members.n, keeper));
    TRY(root_store_add(c, loser, keeper));
    return entity_claims_to(c, members.v, members.n, keeper, false);
}

err entity_join(struct ctx *c, struct uuid keeper, const struct uuid *losers, size_t n)
{
    assert(db_in_tx(c));
    for (size_t i = 0; i < n; i++)
        TRY(join_one(c, keeper, losers[i]));
    return ERR_OK;
}

/* ---- parting */

/* It, and what was joined to it before it was joined itself. */
static struct uuids branch_of(struct ctx *c, const struct entity_rooted *all, size_t n, struct uuid id)
{
    struct uuid *v = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t k = 1;

    v[0] = id;
    for (size_t at = 0; at < k; at++)
        for (size_t i = 0; i < n; i++)
            if (uuid_eq(all[i].parent_id, v[at]))
                v[k++] = all[i].entity_id;
    return (struct uuids){v, k};
}

static err part_one(struct ctx *c, struct uuid loser)
{
    struct uuids branch;
    struct uuid root;
    struct list all;

    TRY(entity_root(c, loser, &root));
    if (uuid_eq(root, loser))
        return ERR_OK;
    TRY(root_store_under(c, root, &all));
    branch = branch_of(c, all.v, all.n, loser);
    TRY(root_store_drop(c, loser));
    TRY(root_store_set(c, branch.v, branch.n, loser));
    return entity_claims_to(c, branch.v, branch.n, loser, true);
}

err entity_part(struct ctx *c, const struct uuid *losers, size_t n)
{
    assert(db_in_tx(c));
    for (size_t i = 0; i < n; i++)
        TRY(part_one(c, losers[i]));
    return ERR_OK;
}

/* ---- reading */

err entity_root(struct ctx *c, struct uuid id, struct uuid *root)
{
    return root_store_get(c, id, root);
}

err entity_members(struct ctx *c, const struct uuid *ids, size_t n, struct uuids *out)
{
    return root_store_members(c, ids, n, out);
}

err entity_named(struct ctx *c, const char *norm, struct uuids spaces, struct uuids *out)
{
    struct uuids owners;

    TRY(root_store_named(c, norm, spaces, &owners));
    return entity_members(c, owners.v, owners.n, out);
}
