/* SQL of tuning. */
#include "tuning_store.h"

#include "db.h"

static err tuning_store_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct tuning *t = row;

    return db_row(q, c, found, OUT(&t->agent_id), OUT(&t->name), OUT(&t->decided), OUT(&t->approved), OUT(&t->late_rejected),
        OUT(&t->has_policy));
}

err tuning_store_list(struct ctx *c, struct uuid behind, struct instant since, int64_t limit, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT p.agent_id, a.name, COUNT(*), CAST(SUM(p.status <> 'rejected') AS SIGNED), "
        "CAST(SUM(p.status = 'rejected' AND p.place <= ?) AS SIGNED), EXISTS (SELECT 1 FROM intervention_policy i WHERE i.account_id = "
        "a.account_id AND i.agent_id = a.id AND i.policy = 'auto_approve' AND i.is_active = 1) FROM (SELECT account_id, agent_id, status, "
        "ROW_NUMBER() OVER (PARTITION BY agent_id ORDER BY reviewed_at DESC, id DESC) AS place FROM proposal WHERE account_id = ? AND "
        "reviewed_at >= ? AND reviewed_by IS NOT NULL AND priority <> 'critical' AND proposal_type <> 'code_change' AND agent_id > ?) p "
        "JOIN agent a ON a.account_id = p.account_id AND a.id = p.agent_id AND a.status = 'active' GROUP BY a.account_id, p.agent_id, "
        "a.id, a.name HAVING COUNT(*) >= ? ORDER BY p.agent_id LIMIT ?", IN((int64_t)TUNING_LAST), IN(c->account_id), IN(since),
        IN(behind), IN((int64_t)TUNING_LEAST), IN(limit));
    return sql_rows(c, &s, (size_t)limit, sizeof(struct tuning), tuning_store_read, &out->v, &out->n);
}

err tuning_store_due(struct ctx *c, struct uuid above, struct instant since, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM proposal WHERE account_id > ? AND reviewed_at >= ? ORDER BY account_id LIMIT ?",
        IN(above), IN(since), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}
