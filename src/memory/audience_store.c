/* SQL of namespaces by name. */
#include "audience_store.h"

#include "db.h"
#include "like.h"
#include "limit.h"

err audience_store_namespaces(struct ctx *c, const char *prefix, struct uuid **ids, size_t *n)
{
    scoped_cursor q = {0};

    *ids = ARENA_ARRAY(c->arena, struct uuid, LIMIT_SPACES);
    TRY(db_query(c, &q,
                 "SELECT id FROM space WHERE account_id = ? AND kind = 'namespace' AND slug LIKE ? AND "
                 "status = 'active'"
                 " AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > ?)",
                 IN(c->account_id), IN(like_prefix(c->arena, prefix)), IN(c->now)));
    return db_ids(c, &q, *ids, LIMIT_SPACES, n);
}
