/* SQL of entries changed many at a time. */
#include "entry_many_store.h"

#include "db.h"

err entry_many_store_lock(struct ctx *c, const struct uuid *ids, size_t n)
{
    scoped_cursor q = {0};
    struct uuid *contexts = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t found;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT x.space_id FROM context x WHERE x.account_id = ? AND x.space_id IN (SELECT e.space_id FROM entry e "
                "WHERE e.account_id = ? AND e.live = 1", IN(c->account_id), IN(c->account_id));
    sql_add_in_uuids(&s, "e.node_id", ids, n);
    sql_add(&s, ") ORDER BY x.space_id FOR UPDATE");
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, contexts, n, &found);
}

err entry_many_store_uncount(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE context x JOIN (SELECT space_id, COUNT(*) AS entries, SUM(size_bytes) AS bytes FROM entry "
                "WHERE account_id = ? AND live = 1", IN(c->account_id));
    sql_add_in_uuids(&s, "node_id", ids, n);
    sql_add(&s, " GROUP BY space_id) gone ON x.space_id = gone.space_id SET x.entry_count = x.entry_count - gone.entries, "
                "x.data_size_bytes = x.data_size_bytes - gone.bytes, x.last_modified_at = ? WHERE x.account_id = ?",
            IN(c->now), IN(c->account_id));
    return sql_exec(c, NULL, &s);
}

err entry_many_store_leave(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE entry SET live = NULL WHERE account_id = ? AND live = 1", IN(c->account_id));
    sql_add_in_uuids(&s, "node_id", ids, n);
    return sql_exec(c, NULL, &s);
}
