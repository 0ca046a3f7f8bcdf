/* What holds for spaces of kind pool at every door: permissions, the pools that Loci names itself, events. */
#include "pool_impl.h"
#include "pool_store.h"
#include "space_rooms.h"

static bool is_named_by_loci(const char *slug)
{
    return str_eq(slug, POOL_DEFAULT) || str_starts(slug, POOL_PRIVATE);
}

static err check_pool_id(struct ctx *c, const char *slug)
{
    if (str_eq(slug, POOL_DEFAULT))
        return fail_reason(c, ERR_CONFLICT, "protected", "the pool '" POOL_DEFAULT "' is made by the first write to it");
    if (str_starts(slug, POOL_PRIVATE))
        return fail_reason(c, ERR_CONFLICT, "protected", "pools '" POOL_PRIVATE "…' are made by what agents remember");
    return ERR_OK;
}

/* Every agent of the account counts on the default pool. */
static err keep_default(struct ctx *c, enum space_deed deed, const struct space *before, const struct space *after)
{
    bool is_default = str_eq(before->slug, POOL_DEFAULT);

    if (is_default && (deed == SPACE_DELETES || deed == SPACE_ARCHIVES || (after && after->expires_at.us)))
        return fail_reason(c, ERR_CONFLICT, "protected", "the pool '" POOL_DEFAULT "' stays");
    if (after && is_named_by_loci(before->slug) && !str_eq(before->slug, after->slug))
        return fail_reason(c, ERR_CONFLICT, "protected", "the slug of the pool '%s' cannot be changed", before->slug);
    return ERR_OK;
}

static err tell_change(struct ctx *c, enum space_deed deed, const struct space *after)
{
    struct pool_row row = {0};
    bool found;

    if (deed != SPACE_UPDATES)
        return ERR_OK;
    TRY(pool_store_get(c, after->id, &found, &row));
    return found ? pool_tell_update(c, after, &row, NULL) : ERR_OK;
}

const struct space_room POOL_ROOM = {
    .kind = SPACE_POOL, .calls = "/api/v1/ai/memory_pools", .create = PERM_POOLS_MANAGE, .update = PERM_POOLS_MANAGE,
    .remove = PERM_POOLS_MANAGE, .govern = PERM_POOLS_MANAGE, .keeps_nodes = true,
    .make = pool_make_space, .check_slug = check_pool_id, .may = keep_default, .changed = tell_change,
};
