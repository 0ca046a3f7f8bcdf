/* SQL of tidying up behind pools; see pool_upkeep_store.h. */
#include "pool_upkeep_store.h"

#include "db.h"

#define IN_USE \
    "s.status = 'active' AND s.deleted_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ?)"
#define POOL_AND_SPACE "pool p JOIN space s ON s.account_id = p.account_id AND s.id = p.space_id WHERE p.account_id = ? AND "

err pool_upkeep_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM pool WHERE account_id > ? ORDER BY account_id LIMIT ?", IN(above),
                 IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err pool_upkeep_store_with_expired(struct ctx *c, struct uuid *pools, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT DISTINCT e.space_id FROM pool_entry e JOIN space s ON s.account_id = e.account_id AND s.id = e.space_id "
                 "WHERE e.account_id = ? AND e.expires_at <= ? AND e.deleted_at IS NULL AND " IN_USE " LIMIT ?",
                 IN(c->account_id), IN(c->now), IN(c->now), IN((int64_t)max)));
    return db_ids(c, &q, pools, max, n);
}

/* By their nodes: a key that was made again has another one, and the first waits here all the same. */
err pool_upkeep_store_dropped(struct ctx *c, struct instant before, struct uuid *nodes, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT n.id FROM pool p JOIN node n ON n.account_id = p.account_id AND n.space_id = p.space_id "
                 "AND n.kind = 'pool_entry' AND n.status = 'forgotten' WHERE p.account_id = ? AND n.forgotten_at <= ? LIMIT ?",
                 IN(c->account_id), IN(before), IN((int64_t)max)));
    return db_ids(c, &q, nodes, max, n);
}

err pool_upkeep_store_delete_keys(struct ctx *c, const struct uuid *nodes, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM pool_entry WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "node_id", nodes, n);
    return sql_exec(c, NULL, &s);
}

err pool_upkeep_store_idle_sessions(struct ctx *c, struct instant since, struct uuid *pools, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT p.space_id FROM " POOL_AND_SPACE "p.scope = 'session' AND p.persist_across_executions = 0 "
                 "AND GREATEST(COALESCE(p.last_write_at, s.created_at), s.updated_at) <= ? AND " IN_USE " LIMIT ?",
                 IN(c->account_id), IN(since), IN(c->now), IN((int64_t)max)));
    return db_ids(c, &q, pools, max, n);
}

err pool_upkeep_store_over(struct ctx *c, struct instant before, struct uuid *pools, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT p.space_id FROM " POOL_AND_SPACE "(s.deleted_at <= ? OR (s.deleted_at IS NULL AND s.expires_at <= ?)) LIMIT ?",
                 IN(c->account_id), IN(before), IN(before), IN((int64_t)max)));
    return db_ids(c, &q, pools, max, n);
}

err pool_upkeep_store_delete_pool(struct ctx *c, struct uuid pool)
{
    return db_exec(c, NULL, "DELETE FROM pool WHERE account_id = ? AND space_id = ?", IN(c->account_id), IN(pool));
}
