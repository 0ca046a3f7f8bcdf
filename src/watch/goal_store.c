/* SQL of goals. */
#include "goal_store.h"

#include "goal_impl.h"
#include "row.h"

#define LIVE " AND n.forgotten_at IS NULL"
#define OPEN " AND g.status IN ('pending', 'active', 'paused')"

err goal_store_get(struct ctx *c, struct uuid id, bool *found, struct goal *out)
{
    return row_one(c, &GOAL, found, out, "SELECT {*} FROM {from} WHERE g.account_id = ? AND g.id = ?" LIVE, IN(c->account_id), IN(id));
}

err goal_store_lock(struct ctx *c, struct uuid id, bool *found, struct goal *out)
{
    return row_one(c, &GOAL, found, out, "SELECT {*} FROM {from} WHERE g.account_id = ? AND g.id = ?" LIVE " FOR UPDATE",
                   IN(c->account_id), IN(id));
}

err goal_store_list(struct ctx *c, const struct goal_filter *f, const struct watch_reach *reach, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &GOAL, "SELECT {*} FROM {from} WHERE g.account_id = ? AND g.id < ?" LIVE, IN(c->account_id), IN(before));
    if (!reach->all)
        sql_add_in_uuids(&s, "g.agent_id", reach->agents.v, reach->agents.n);
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND g.agent_id = ?", IN(f->agent_id));
    if (f->status == GOALS_ACTIVE || f->stale)
        sql_add(&s, OPEN);
    else if (f->status == GOALS_TERMINAL)
        sql_add(&s, " AND g.status IN ('achieved', 'abandoned', 'failed')");
    if (f->top_level)
        sql_add(&s, " AND g.parent_goal_id IS NULL");
    if (f->stale)
        sql_add(&s, " AND g.warned_at IS NOT NULL");
    sql_add(&s, " ORDER BY g.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &GOAL, &s, f->limit, out);
}

err goal_store_open(struct ctx *c, struct uuid agent_id, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM goal g JOIN node n ON n.account_id = g.account_id AND n.id = g.id WHERE g.account_id = ? "
                        "AND g.agent_id = ?" OPEN LIVE, IN(c->account_id), IN(agent_id)));
    return db_row(&q, c, &found, OUT(n));
}

err goal_store_below(struct ctx *c, struct uuid id, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &GOAL, "SELECT {*} FROM {from} WHERE g.account_id = ?" OPEN LIVE " AND (g.parent_goal_id = ? OR "
               "g.parent_goal_id IN (SELECT k.id FROM goal k WHERE k.account_id = ? AND k.parent_goal_id = ?)) ORDER BY g.id FOR UPDATE",
               IN(c->account_id), IN(id), IN(c->account_id), IN(id));
    return row_all(c, &GOAL, &s, GOALS_OPEN, out);
}

err goal_store_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT account_id FROM goal WHERE account_id > ? GROUP BY account_id "
                        "HAVING MIN(due_at) <= ? ORDER BY account_id LIMIT ?", IN(above), IN(c->now), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err goal_store_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &GOAL_DUE, "SELECT {*} FROM {from} WHERE g.account_id = ? AND g.id > ? AND g.due_at <= ?" OPEN LIVE
               " ORDER BY g.id LIMIT ? FOR UPDATE", IN(c->account_id), IN(behind), IN(c->now), IN(limit));
    return row_all(c, &GOAL_DUE, &s, (size_t)limit, out);
}
