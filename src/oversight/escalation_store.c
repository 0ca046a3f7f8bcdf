/* SQL of escalations. */
#include "escalation_store.h"

#include "row.h"

err escalation_store_find(struct ctx *c, struct bytes question, struct instant since, bool *found, struct escalation *out)
{
    return row_one(c, &ESCALATION, found, out,
        "SELECT {*} FROM {from} WHERE account_id = ? AND question_hash = ?"
        " AND (resolved_at IS NULL OR (resolved_at > ? AND answer_node_id IS NULL))"
        " ORDER BY resolved_at IS NULL DESC, id DESC LIMIT 1",
        IN(c->account_id), IN(question), IN(since));
}

err escalation_store_seen(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL,
        "UPDATE escalation SET seen_count = seen_count + 1, last_seen_at = ? WHERE account_id = ? AND id = ?", IN(c->now),
        IN(c->account_id), IN(id));
}

err escalation_store_count(struct ctx *c, struct uuid agent_id, int64_t *of_agent, int64_t *of_account)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
        "SELECT (SELECT COUNT(*) FROM escalation WHERE account_id = ? AND agent_id = ? AND dedup_key IS NOT NULL),"
        " (SELECT COUNT(*) FROM escalation WHERE account_id = ? AND dedup_key IS NOT NULL)",
        IN(c->account_id), IN(agent_id), IN(c->account_id)));
    return db_row(&q, c, &found, OUT(of_agent), OUT(of_account));
}

err escalation_store_list(struct ctx *c, const struct escalation_filter *f, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &ESCALATION_ROW, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (f->status == ESCALATION_UNRESOLVED)
        sql_add(&s, " AND dedup_key IS NOT NULL");
    else if (f->status == ESCALATION_RESOLVED)
        sql_add(&s, " AND dedup_key IS NULL");
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND agent_id = ?", IN(f->agent_id));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &ESCALATION_ROW, &s, f->limit, out);
}

err escalation_store_resolve(struct ctx *c, const struct escalation *e, int64_t *changed)
{
    return db_exec(c, changed,
        "UPDATE escalation SET status = 'resolved', dedup_key = NULL, resolved_at = ?, resolved_by = ?, resolution = ?,"
        " answer_node_id = ?, updated_at = ?, version = version + 1"
        " WHERE account_id = ? AND id = ? AND version = ? AND dedup_key IS NOT NULL",
        IN(c->now), IN(e->resolved_by), IN_OPT(e->resolution), IN_OPT(e->answer_node_id), IN(c->now), IN(c->account_id), IN(e->id),
        IN(e->version));
}
