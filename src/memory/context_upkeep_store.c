/* SQL of tidying up behind contexts. */
#include "context_upkeep_store.h"

#include "db.h"

#define OVER "context x JOIN space s ON s.account_id = x.account_id AND s.id = x.space_id WHERE (s.deleted_at <= ? OR (s.deleted_at IS NULL AND s.expires_at <= ?))"

err context_upkeep_store_accounts(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT x.account_id FROM " OVER " AND x.account_id > ? ORDER BY x.account_id LIMIT ?", IN(before),
                 IN(before), IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err context_upkeep_store_over(struct ctx *c, struct instant before, bool *found, struct uuid *context)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT x.space_id FROM " OVER " AND x.account_id = ? LIMIT 1", IN(before), IN(before), IN(c->account_id)));
    return db_row(&q, c, found, OUT(context));
}

err context_upkeep_store_delete(struct ctx *c, struct uuid context)
{
    return db_exec(c, NULL, "DELETE FROM context WHERE account_id = ? AND space_id = ?", IN(c->account_id), IN(context));
}
