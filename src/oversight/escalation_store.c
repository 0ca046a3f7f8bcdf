/* SQL of escalations. */
#include "escalation_store.h"

#include "row.h"

static const char *escalation_status_name(const struct escalation *e)
{
    return enumx_name(&escalation_status_enumx, (int)e->status);
}

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

err escalation_store_count(struct ctx *c, struct uuid agent_id, bool questions, int64_t *of_agent, int64_t *of_account)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
        "SELECT (SELECT COUNT(*) FROM escalation WHERE account_id = ? AND agent_id = ? AND dedup_key IS NOT NULL"
        " AND (escalation_type = 'low_confidence_recall') = ?),"
        " (SELECT COUNT(*) FROM escalation WHERE account_id = ? AND dedup_key IS NOT NULL)",
        IN(c->account_id), IN(agent_id), IN(questions), IN(c->account_id)));
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
    else if (f->status == ESCALATION_EXHAUSTED)
        sql_add(&s, " AND remind_at IS NOT NULL");
    if (f->severity >= 0)
        sql_add(&s, " AND severity = ?", IN(enumx_name(&escalation_severity_enumx, f->severity)));
    if (f->type >= 0)
        sql_add(&s, " AND escalation_type = ?", IN(enumx_name(&escalation_type_enumx, f->type)));
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND agent_id = ?", IN(f->agent_id));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &ESCALATION_ROW, &s, f->limit, out);
}

err escalation_store_resolve(struct ctx *c, const struct escalation *e, int64_t *changed)
{
    return db_exec(c, changed,
        "UPDATE escalation SET status = ?, dedup_key = NULL, next_escalation_at = NULL, remind_at = NULL, resolved_at = ?, resolved_by = ?,"
        " resolution = ?, answer_node_id = ?, updated_at = ?, version = version + 1"
        " WHERE account_id = ? AND id = ? AND version = ? AND dedup_key IS NOT NULL",
        IN(escalation_status_name(e)), IN(c->now), IN_OPT(e->resolved_by), IN_OPT(e->resolution), IN_OPT(e->answer_node_id), IN(c->now),
        IN(c->account_id), IN(e->id), IN(e->version));
}

err escalation_store_open(struct ctx *c, struct bytes key, bool *found, struct escalation *out)
{
    return row_one(c, &ESCALATION_ROW, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND dedup_key = ? FOR UPDATE",
                   IN(c->account_id), IN(key));
}

err escalation_store_save(struct ctx *c, struct escalation *e, int64_t *changed)
{
    TRY(db_exec(c, changed,
        "UPDATE escalation SET status = ?, severity = ?, current_level = ?, escalated_to = ?, timeout_hours = ?, next_escalation_at = ?,"
        " acknowledged_at = ?, acknowledged_by = ?, exhausted_at = ?, remind_at = ?, updated_at = ?, version = version + 1"
        " WHERE account_id = ? AND id = ? AND version = ? AND dedup_key IS NOT NULL",
        IN(escalation_status_name(e)), IN(enumx_name(&escalation_severity_enumx, (int)e->severity)), IN(e->current_level),
        IN_OPT(e->escalated_to), IN(e->timeout_hours), IN_OPT(e->next_escalation_at),
        IN_OPT(e->acknowledged_at), IN_OPT(e->acknowledged_by), IN_OPT(e->exhausted_at), IN_OPT(e->remind_at), IN(c->now),
        IN(c->account_id), IN(e->id), IN(e->version)));
    e->version++;
    return ERR_OK;
}

/* Who changed the agent or one of its tokens last. */
static err recent_interactor(struct ctx *c, struct uuid agent_id, struct uuid *out)
{
    scoped_cursor q = {0};
    bool found;

    *out = (struct uuid){{0}};
    TRY(db_query(c, &q,
        "SELECT e.actor_id FROM (SELECT id FROM token WHERE account_id = ? AND agent_id = ? UNION ALL SELECT ?) s"
        " JOIN audit_event e ON e.account_id = ? AND e.subject_id = s.id AND e.actor_kind = 'user' ORDER BY e.id DESC LIMIT 1",
        IN(c->account_id), IN(agent_id), IN(agent_id), IN(c->account_id)));
    return db_row(&q, c, &found, OUT_OPT(out));
}

err escalation_store_people(struct ctx *c, struct uuid agent_id, struct escalation_person *out, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    struct uuid recent;
    bool found = true;

    TRY(recent_interactor(c, agent_id, &recent));
    TRY(db_query(c, &q,
        "SELECT u.id, CASE WHEN u.id <=> ? THEN 'recent_interactor' WHEN u.role IN ('admin', 'owner') THEN 'account_admin'"
        " ELSE 'escalation_resolver' END FROM user u WHERE u.account_id = ? AND u.status = 'active' AND (u.id <=> ? OR"
        " u.role IN ('admin', 'owner') OR EXISTS (SELECT 1 FROM role_permission p WHERE p.account_id IN (?, ?) AND p.role = u.role"
        " AND p.permission = 'oversight.review')) ORDER BY u.id <=> ? DESC, u.role = 'owner', u.role = 'admin', u.id LIMIT ?",
        IN_OPT(recent), IN(c->account_id), IN_OPT(recent), IN((struct uuid){{0}}), IN(c->account_id), IN_OPT(recent),
        IN((int64_t)max)));
    for (*n = 0; *n < max;) {
        TRY(db_row(&q, c, &found, OUT(&out[*n].user_id), OUT(&out[*n].role)));
        if (!found)
            break;
        ++*n;
    }
    return ERR_OK;
}

/* ---- the clock */

err escalation_store_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
        "SELECT account_id FROM escalation WHERE account_id > ? GROUP BY account_id HAVING MIN(next_escalation_at) <= ?"
        " UNION SELECT account_id FROM escalation WHERE account_id > ? GROUP BY account_id HAVING MIN(remind_at) <= ?"
        " ORDER BY account_id LIMIT ?",
        IN(above), IN(c->now), IN(above), IN(c->now), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err escalation_store_late(struct ctx *c, int64_t limit, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &ESCALATION, "SELECT {*} FROM {from} WHERE account_id = ? AND next_escalation_at <= ?"
               " ORDER BY next_escalation_at, id LIMIT ? FOR UPDATE", IN(c->account_id), IN(c->now), IN(limit));
    return row_all(c, &ESCALATION, &s, (size_t)limit, out);
}

err escalation_store_remind(struct ctx *c, struct instant next, int64_t *late)
{
    int64_t due;

    *late = 0;
    TRY(db_exec(c, &due, "UPDATE escalation SET remind_at = ? WHERE account_id = ? AND remind_at <= ?", IN(next), IN(c->account_id),
                IN(c->now)));
    if (!due)
        return ERR_OK;
    return db_exec(c, late, "UPDATE escalation SET remind_at = ? WHERE account_id = ? AND remind_at IS NOT NULL", IN(next),
                   IN(c->account_id));
}

err escalation_store_active(struct ctx *c, const struct uuid *people, size_t n, struct uuids *out)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id FROM user WHERE account_id = ? AND status = 'active'", IN(c->account_id));
    sql_add_in_uuids(&s, "id", people, n);
    *out = (struct uuids){ids, 0};
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, ids, n, &out->n);
}

err escalation_store_admins(struct ctx *c, size_t max, struct uuids *out)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, max);
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM user WHERE account_id = ? AND status = 'active' AND role IN ('admin', 'owner') ORDER BY id LIMIT ?",
                 IN(c->account_id), IN((int64_t)max)));
    *out = (struct uuids){ids, 0};
    return db_ids(c, &q, ids, max, &out->n);
}

err escalation_store_health(struct ctx *c, int64_t *open, int64_t *exhausted)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
        "SELECT (SELECT COUNT(*) FROM escalation WHERE account_id = ? AND dedup_key IS NOT NULL),"
        " (SELECT COUNT(*) FROM escalation WHERE account_id = ? AND remind_at IS NOT NULL)", IN(c->account_id), IN(c->account_id)));
    return db_row(&q, c, &found, OUT(open), OUT(exhausted));
}
