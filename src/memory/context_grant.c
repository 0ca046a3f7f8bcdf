/* Grants of contexts and pools; see context_grant.h. */
#include "context_grant.h"

#include "context_impl.h"
#include "pool.h"

static err space_id_of(struct ctx *c, const struct shared *s, struct uuid *id)
{
    struct context x;
    struct space pool;

    if (s->kind == SHARED_POOL) {
        TRY(pool_find(c, s->ref, &pool));
        *id = pool.id;
        return ERR_OK;
    }
    TRY(context_find_to_govern(c, s->ref, &x));
    *id = x.id;
    return ERR_OK;
}

err context_grant(struct ctx *c, const struct shared *s, const struct context_grantee *to, enum access_level level,
                  struct instant expires_at, struct grant *out)
{
    struct grant in = {.grantee_kind = to->kind, .grantee_id = to->id, .level = level, .expires_at = expires_at};

    TRY(space_id_of(c, s, &in.space_id));
    return grant_set(c, &in, out);
}

err context_grants(struct ctx *c, const struct shared *s, int64_t limit, const char *cursor, struct page *out)
{
    struct uuid id;

    TRY(space_id_of(c, s, &id));
    return grant_list(c, id, limit, cursor, out);
}

err context_revoke(struct ctx *c, const struct shared *s, struct uuid grant_id, int64_t if_version)
{
    struct uuid id;

    TRY(space_id_of(c, s, &id));
    return grant_remove(c, id, grant_id, if_version);
}
