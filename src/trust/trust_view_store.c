/* SQL of what trust is shown as. */
#include "trust_view_store.h"

#include "json.h"

err trust_view_store_leads(struct ctx *c, struct uuid lead, struct uuid agent_id, bool *leads)
{
    scoped_cursor q = {0};
    int64_t one;

    TRY(db_query(c, &q, "SELECT 1 FROM team_member m JOIN team_member l ON l.account_id = m.account_id AND l.team_id = m.team_id AND "
                 "l.is_lead = 1 AND l.agent_id = ? WHERE m.account_id = ? AND m.agent_id = ? LIMIT 1", IN(lead), IN(c->account_id),
                 IN(agent_id)));
    return db_row(&q, c, leads, OUT(&one));
}

err trust_view_store_leads_team(struct ctx *c, struct uuid lead, struct uuid team_id, bool *leads)
{
    scoped_cursor q = {0};
    int64_t one;

    TRY(db_query(c, &q, "SELECT 1 FROM team_member WHERE account_id = ? AND team_id = ? AND agent_id = ? AND is_lead = 1",
                 IN(c->account_id), IN(team_id), IN(lead)));
    return db_row(&q, c, leads, OUT(&one));
}

err trust_view_store_team(struct ctx *c, struct uuid team_id, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, TRUST_SELECT " JOIN team_member m ON m.account_id = a.account_id AND m.agent_id = a.id WHERE a.account_id = ? AND "
            "m.team_id = ? AND a.status = 'active' ORDER BY a.id LIMIT ?", IN(c->account_id), IN(team_id), IN((int64_t)TRUST_TEAM));
    TRY(sql_rows(c, &s, TRUST_TEAM, sizeof(struct agent_trust), trust_store_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

/* ---- the history */

static err trust_event_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    const char *inputs, *before, *after;
    struct trust_event *e = row;

    TRY(db_row(q, c, found, OUT(&e->id), OUT(&e->execution_id), OUT_OPT(&e->by_id), OUT(&e->kind), OUT(&inputs), OUT(&before),
               OUT(&after), OUT(&e->at)));
    if (!*found)
        return ERR_OK;
    e->inputs = json_raw(c->arena, inputs);
    e->before = json_raw(c->arena, before);
    e->after = json_raw(c->arena, after);
    return ERR_OK;
}

err trust_view_store_history(struct ctx *c, struct uuid agent_id, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, execution_id, by_id, kind, inputs, `before`, `after`, at FROM trust_event WHERE account_id = ? AND "
            "agent_id = ? ORDER BY id DESC LIMIT ?", IN(c->account_id), IN(agent_id), IN((int64_t)TRUST_HISTORY));
    TRY(sql_rows(c, &s, TRUST_HISTORY, sizeof(struct trust_event), trust_event_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

/* ---- counts */

static err trust_count_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct trust_count *n = row;

    return db_row(q, c, found, OUT(&n->what), OUT(&n->n));
}

static err trust_counts(struct ctx *c, struct sql *s, struct list *out)
{
    void *rows;

    TRY(sql_rows(c, s, TRUST_KINDS, sizeof(struct trust_count), trust_count_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

#define OPEN_OF(what, table, condition) \
    sql_add(&s, "SELECT '" what "', COUNT(*) FROM " table " WHERE account_id = ? AND agent_id = ? AND " condition, IN(c->account_id), \
            IN(agent_id))

err trust_view_store_open(struct ctx *c, struct uuid agent_id, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    OPEN_OF("escalations", "escalation", "resolved_at IS NULL UNION ALL ");
    OPEN_OF("feedback_requests", "feedback", "rating IS NULL UNION ALL ");
    OPEN_OF("observations", "observation", "status = 'open' UNION ALL ");
    OPEN_OF("proposals", "proposal", "status = 'pending_review'");
    return trust_counts(c, &s, out);
}

static err trust_goal_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct trust_goal *g = row;

    return db_row(q, c, found, OUT(&g->id), OUT(&g->title), OUT(&g->status), OUT(&g->progress));
}

err trust_view_store_goals(struct ctx *c, struct uuid agent_id, struct uuids spaces, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT g.id, n.title, g.status, g.progress FROM goal g JOIN node n ON n.account_id = g.account_id AND n.id = g.id AND "
            "n.forgotten_at IS NULL WHERE g.account_id = ? AND g.agent_id = ? AND g.status IN ('pending', 'active', 'paused')",
            IN(c->account_id), IN(agent_id));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY g.id LIMIT ?", IN((int64_t)TRUST_GOALS));
    TRY(sql_rows(c, &s, TRUST_GOALS, sizeof(struct trust_goal), trust_goal_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err trust_view_store_memories(struct ctx *c, struct uuid agent_id, struct uuids spaces, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.kind, COUNT(*) FROM space p JOIN node n ON n.account_id = p.account_id AND n.space_id = p.id AND "
            "n.status = 'active' AND n.forgotten_at IS NULL WHERE p.account_id = ? AND p.owner_agent_id = ? AND p.deleted_at IS NULL",
            IN(c->account_id), IN(agent_id));
    sql_add_in_uuids(&s, "p.id", spaces.v, spaces.n);
    sql_add(&s, " GROUP BY n.kind ORDER BY n.kind LIMIT ?", IN((int64_t)TRUST_KINDS));
    return trust_counts(c, &s, out);
}

err trust_view_store_tokens(struct ctx *c, struct uuid agent_id, int64_t *n, struct instant *last)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*), MAX(last_used_at) FROM token WHERE account_id = ? AND agent_id = ? AND revoked_at IS NULL",
                 IN(c->account_id), IN(agent_id)));
    return db_row(&q, c, &found, OUT(n), OUT_OPT(last));
}

static err trust_space_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct trust_space *p = row;

    return db_row(q, c, found, OUT(&p->space_id), OUT(&p->name), OUT(&p->kind));
}

err trust_view_store_spaces(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, name, kind FROM space WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    sql_add(&s, " ORDER BY kind, name, id LIMIT ?", IN((int64_t)TRUST_SPACES));
    TRY(sql_rows(c, &s, TRUST_SPACES, sizeof(struct trust_space), trust_space_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}
