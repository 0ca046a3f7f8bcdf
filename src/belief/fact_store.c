/* SQL of facts. */
#include "fact_store.h"

#include "db.h"

err fact_store_current(struct ctx *c, struct bytes slot_key, bool *found, struct fact_row *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT node_id, space_id, object_key, mention_count, last_seen_at FROM fact WHERE account_id = ? AND slot_key = ? "
                 "AND current = 1 FOR UPDATE",
                 IN(c->account_id), IN(slot_key)));
    return db_row(&q, c, found, OUT(&out->node_id), OUT(&out->space_id), OUT(&out->object_key), OUT(&out->mention_count),
                  OUT(&out->last_seen_at));
}

err fact_store_insert(struct ctx *c, const struct fact_row *f)
{
    return db_exec(c, NULL,
                   "INSERT INTO fact (account_id, node_id, space_id, slot_key, current, predicate, object_json, object_key, "
                   "first_seen_at, last_seen_at) VALUES (?,?,?,?,1,?,?,?,?,?)",
                   IN(c->account_id), IN(f->node_id), IN(f->space_id), IN(f->slot_key), IN(f->predicate),
                   IN(json_text(c->arena, f->object)), IN(f->object_key), IN(c->now), IN(c->now));
}

err fact_store_mention(struct ctx *c, struct uuid node_id)
{
    return db_exec(c, NULL, "UPDATE fact SET mention_count = mention_count + 1, last_seen_at = ? WHERE account_id = ? AND node_id = ?",
                   IN(c->now), IN(c->account_id), IN(node_id));
}

err fact_store_hold(struct ctx *c, struct uuid node_id, bool holds)
{
    if (holds)
        return db_exec(c, NULL, "UPDATE fact SET current = 1 WHERE account_id = ? AND node_id = ?", IN(c->account_id), IN(node_id));
    return db_exec(c, NULL, "UPDATE fact SET current = NULL WHERE account_id = ? AND node_id = ?", IN(c->account_id), IN(node_id));
}

err fact_store_leave(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE fact SET current = NULL WHERE account_id = ? AND current = 1", IN(c->account_id));
    sql_add_in_uuids(&s, "node_id", ids, n);
    return sql_exec(c, NULL, &s);
}
