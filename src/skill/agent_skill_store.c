/* SQL of skills of agents. */
#include "agent_skill_store.h"

#include "db.h"

static err agent_skill_store_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct agent_skill *a = row;
    const char *status;
    int value;

    TRY(db_row(q, c, found, OUT(&a->edge_id), OUT(&a->agent_id), OUT(&a->skill_id), OUT(&a->agent_name), OUT(&a->skill_name),
        OUT(&a->skill_slug), OUT(&a->category), OUT(&status), OUT(&a->priority), OUT(&a->is_active), OUT_OPT(&a->version_req),
        OUT(&a->attached_at)));
    if (*found && enumx_parse(&skill_status_enumx, status, &value))
        a->status = (enum skill_status)value;
    return ERR_OK;
}

err agent_skill_store_list(struct ctx *c, struct uuid agent_id, struct uuid skill_id, struct uuids spaces, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.id, a.id, k.id, a.name, n.title, k.slug, k.category, n.status, "
        "CAST(COALESCE(JSON_VALUE(e.metadata, '$.priority'), 0) AS INT), CAST(COALESCE(JSON_VALUE(e.metadata, '$.is_active'), 1) AS INT), "
        "JSON_VALUE(e.metadata, '$.version_req'), e.recorded_at FROM edge e JOIN agent a ON a.account_id = e.account_id "
        "AND a.id = e.source_id JOIN skill k ON k.account_id = e.account_id AND k.id = e.target_id JOIN node n "
        "ON n.account_id = k.account_id AND n.id = k.id WHERE e.account_id = ? AND e.relation = 'has_skill' AND e.retired_at IS NULL "
        "AND e.status = 'active' AND n.forgotten_at IS NULL", IN(c->account_id));
    if (!uuid_is_nil(agent_id))
        sql_add(&s, " AND e.source_id = ?", IN(agent_id));
    if (!uuid_is_nil(skill_id))
        sql_add(&s, " AND e.target_id = ?", IN(skill_id));
    sql_add_in_uuids(&s, "k.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY 9 DESC, n.title, e.id LIMIT ?", IN((int64_t)AGENT_SKILLS));
    return sql_rows(c, &s, AGENT_SKILLS, sizeof(struct agent_skill), agent_skill_store_read, &out->v, &out->n);
}
