/* SQL of proposals. */
#include "proposal_store.h"

#include "proposal_impl.h"
#include "row.h"

#define LED \
    "SELECT m.agent_id FROM team_member l JOIN team_member m ON m.account_id = l.account_id AND m.team_id = l.team_id " \
    "WHERE l.account_id = ? AND l.agent_id = ? AND l.is_lead = 1"

static void proposal_store_seen_by(struct sql *s, struct ctx *c, struct uuid viewer)
{
    if (!uuid_is_nil(viewer))
        sql_add(s, " AND (agent_id = ? OR agent_id IN (" LED "))", IN(viewer), IN(c->account_id), IN(viewer));
}

err proposal_store_get(struct ctx *c, struct uuid id, struct uuid viewer, bool lock, bool *found, struct proposal *out)
{
    struct list rows;
    struct sql s;

    row_select(&s, c->arena, &PROPOSAL, "SELECT {*} FROM {from} WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id));
    proposal_store_seen_by(&s, c, viewer);
    if (lock)
        sql_add(&s, " FOR UPDATE");
    TRY(row_all(c, &PROPOSAL, &s, 1, &rows));
    *found = rows.n == 1;
    if (*found)
        *out = *(struct proposal *)rows.v;
    return ERR_OK;
}

err proposal_store_list(struct ctx *c, const struct proposal_filter *f, struct uuid viewer, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &PROPOSAL, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    proposal_store_seen_by(&s, c, viewer);
    if (f->status >= 0)
        sql_add(&s, " AND status = ?", IN(enumx_name(&proposal_status_enumx, f->status)));
    if (f->proposal_type >= 0)
        sql_add(&s, " AND proposal_type = ?", IN(enumx_name(&proposal_type_enumx, f->proposal_type)));
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND agent_id = ?", IN(f->agent_id));
    if (f->overdue)
        sql_add(&s, " AND status = 'pending_review' AND review_deadline <= ?",
            IN(((struct instant){c->now.us + REVIEW_REMINDER_HOURS * HOUR_US})));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &PROPOSAL, &s, f->limit, out);
}

err proposal_store_agent(struct ctx *c, struct uuid agent_id, struct uuid viewer, bool *found)
{
    scoped_cursor q = {0};
    struct uuid id;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id FROM agent WHERE account_id = ? AND id = ? AND status <> 'archived'", IN(c->account_id), IN(agent_id));
    if (!uuid_is_nil(viewer))
        sql_add(&s, " AND (id = ? OR id IN (" LED "))", IN(viewer), IN(c->account_id), IN(viewer));
    sql_add(&s, " FOR UPDATE");
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, found, OUT(&id));
}

err proposal_store_open(struct ctx *c, struct uuid agent_id, int64_t *of_agent, int64_t *of_account)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT (SELECT COUNT(*) FROM proposal WHERE account_id = ? AND agent_id = ? AND status = 'pending_review'), "
        "(SELECT COUNT(*) FROM proposal WHERE account_id = ? AND status = 'pending_review')", IN(c->account_id), IN(agent_id),
        IN(c->account_id)));
    return db_row(&q, c, &found, OUT(of_agent), OUT(of_account));
}

err proposal_store_reviewer(struct ctx *c, struct uuid agent_id, struct uuid *out)
{
    scoped_cursor q = {0};
    struct instant at;
    int64_t step;
    bool found;

    *out = (struct uuid){{0}};
    TRY(db_query(c, &q, "(SELECT u.id, 1 AS step, COALESCE(t.last_used_at, t.created_at) AS at FROM token t JOIN audit_event e ON "
        "e.account_id = t.account_id AND e.subject_id = t.id AND e.kind = 'token.create' JOIN user u ON u.account_id = e.account_id AND "
        "u.id = e.actor_id AND u.status = 'active' WHERE t.account_id = ? AND t.agent_id = ?) UNION ALL (SELECT id, 2, NULL FROM user "
        "WHERE account_id = ? AND status = 'active' AND role = 'owner' ORDER BY id LIMIT 1) ORDER BY step, at DESC LIMIT 1",
        IN(c->account_id), IN(agent_id), IN(c->account_id)));
    return db_row(&q, c, &found, OUT(out), OUT(&step), OUT_OPT(&at));
}

err proposal_store_due_at(struct ctx *c, struct uuid id, struct instant at)
{
    return db_exec(c, NULL, "UPDATE proposal SET due_at = ? WHERE account_id = ? AND id = ?", IN(at), IN(c->account_id), IN(id));
}

err proposal_store_overdue(struct ctx *c, int64_t limit, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &PROPOSAL, "SELECT {*} FROM {from} WHERE account_id = ? AND due_at <= ? ORDER BY due_at LIMIT ? FOR UPDATE",
        IN(c->account_id), IN(c->now), IN(limit));
    return row_all(c, &PROPOSAL, &s, (size_t)limit, out);
}

err proposal_store_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM proposal WHERE account_id > ? AND due_at <= ? UNION SELECT DISTINCT account_id "
        "FROM recommendation WHERE account_id > ? AND due_at <= ? ORDER BY account_id LIMIT ?", IN(above), IN(c->now), IN(above),
        IN(c->now), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}
