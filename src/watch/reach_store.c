/* SQL of agents as this room sees them. */
#include "reach_store.h"

#include "db.h"
#include "reach.h"

err reach_store_led(struct ctx *c, struct uuid agent_id, struct uuids *out)
{
    scoped_cursor q = {0};

    out->v = ARENA_ARRAY(c->arena, struct uuid, WATCH_REACH);
    TRY(db_query(c, &q, "SELECT ? UNION SELECT m.agent_id FROM team_member l JOIN team_member m ON m.account_id = l.account_id AND "
                        "m.team_id = l.team_id WHERE l.account_id = ? AND l.agent_id = ? AND l.is_lead LIMIT ?",
                 IN(agent_id), IN(c->account_id), IN(agent_id), IN((int64_t)WATCH_REACH)));
    return db_ids(c, &q, out->v, WATCH_REACH, &out->n);
}

err reach_store_lock(struct ctx *c, const struct uuid *ids, size_t n)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id FROM agent WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    sql_add(&s, " ORDER BY id FOR UPDATE");
    return sql_query(c, &q, &s);
}
