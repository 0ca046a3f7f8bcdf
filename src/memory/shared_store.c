/* SQL of the shared tier; see shared_store.h. */
#include "shared_store.h"

#include "access.h"
#include "db.h"

/* A live row at the path, above it or below it. */
static void add_has_key(struct sql *s, struct ctx *c, const struct pool_path *path)
{
    sql_add(s, " AND EXISTS (SELECT 1 FROM pool_entry e WHERE e.account_id = p.account_id AND e.space_id = p.space_id"
               " AND e.deleted_at IS NULL AND (e.expires_at IS NULL OR e.expires_at > ?)"
               " AND ((e.entry_key > ? AND e.entry_key < ?) OR e.entry_key IN (",
            IN(c->now), IN(pool_path_from(c->arena, path->key)), IN(pool_path_to(c->arena, path->key)));
    for (size_t i = 1; i < POOL_SEGMENTS; i++) /* always as many: one statement is prepared */
        sql_add(s, "?,", IN(pool_path_prefix(c->arena, path, i < path->n ? i : path->n)));
    sql_add(s, "?)))", IN(path->key));
}

err shared_store_pools(struct ctx *c, const struct shared_at *at, struct uuid own, const struct pool_path *path,
                       struct uuid pools[SHARED_POOLS], size_t *n)
{
    const char *task = at->task_id ? at->task_id : "", *run = at->run_id ? at->run_id : "";   /* no pool is of "" */
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT p.space_id FROM pool p JOIN space s ON s.account_id = p.account_id AND s.id = p.space_id"
                " WHERE p.account_id = ? AND s.deleted_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ?)"
                " AND (p.space_id = ? OR p.task_execution_id = ? OR p.workflow_run_id = ? OR p.pool_type = 'team_shared' OR s.slug = ?)",
            IN(c->account_id), IN(c->now), IN(own), IN(task), IN(run), IN(POOL_DEFAULT));
    sql_add_in_uuids(&s, "p.space_id", c->access->readable, c->access->n);
    add_has_key(&s, c, path);
    sql_add(&s, " ORDER BY CASE WHEN p.space_id = ? THEN 0 WHEN p.task_execution_id = ? THEN 1 WHEN p.workflow_run_id = ? THEN 2"
                " WHEN p.pool_type = 'team_shared' THEN 3 ELSE 4 END, p.space_id DESC LIMIT ?",
            IN(own), IN(task), IN(run), IN((int64_t)SHARED_POOLS));
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, pools, SHARED_POOLS, n);
}
