/* SQL of the sensors. Each statement answers (agent, goal, type, severity, subject, title, data, requires action, hours). */
#include "sensor_store.h"

#include "row.h"

#define FINDINGS_MAX 10000
#define NOBODY "CAST(NULL AS UUID)"

static err sensor_read_agent(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct sensor_agent *a = row;

    return db_row(q, c, found, OUT(&a->id), OUT(&a->sensors));
}

err sensor_store_agents(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, sensors FROM agent WHERE is_watched = 1 AND account_id = ? AND id > ? AND status = 'active' ORDER BY id "
                "LIMIT ? FOR UPDATE", IN(c->account_id), IN(behind), IN(limit));
    return sql_rows(c, &s, (size_t)limit, sizeof(struct sensor_agent), sensor_read_agent, &out->v, &out->n);
}

err sensor_store_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM agent WHERE is_watched = 1 AND account_id > ? AND status = 'active' "
                        "ORDER BY account_id LIMIT ?", IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err sensor_store_findings(struct ctx *c, err (*query)(struct ctx *c, struct db_cursor *q), struct list *out)
{
    struct sensor_finding *v = ARENA_ARRAY(c->arena, struct sensor_finding, FINDINGS_MAX);
    scoped_cursor q = {0};
    bool found = true;

    out->v = v;
    TRY(query(c, &q));
    for (out->n = 0; out->n < FINDINGS_MAX; out->n++) {
        struct sensor_finding *f = &v[out->n];

        TRY(db_row(&q, c, &found, OUT_OPT(&f->agent_id), OUT_OPT(&f->goal_id), OUT(&f->type), OUT(&f->severity), OUT(&f->subject),
                   OUT(&f->title), OUT(&f->data), OUT(&f->requires_action), OUT(&f->hours)));
        if (!found)
            return ERR_OK;
    }
    return fail(c, ERR_INTERNAL, "more than %d findings", FINDINGS_MAX);
}

static struct instant sensor_ago(const struct ctx *c, int64_t hours)
{
    return (struct instant){c->now.us - hours * 3600 * SECOND_US};
}

/* ---- knowledge_health: of the agent's own learnings and of the spaces that it owns */

err sensor_store_knowledge(struct ctx *c, struct db_cursor *q)
{
    struct uuid from = uuid_floor(sensor_ago(c, 37 * 24).us), to = uuid_floor(sensor_ago(c, 7 * 24).us);

    return db_query(c, q,
        "SELECT l.source_agent_id, " NOBODY ", 'degradation', IF(COUNT(*) > 50, 'warning', 'info'), 'unverified',"
        " CONCAT(COUNT(*), ' learnings neither verified nor used for 30 days'), JSON_OBJECT('count', COUNT(*)), 0, 0"
        " FROM learning l JOIN node n ON n.account_id = l.account_id AND n.id = l.id WHERE l.account_id = ?"
        " AND l.source_agent_id IS NOT NULL AND l.verified_at IS NULL AND l.disproven_at IS NULL AND n.status = 'active'"
        " AND n.forgotten_at IS NULL AND n.updated_at < ?"
        " AND COALESCE(l.last_injected_at, l.learned_at) < ? GROUP BY l.source_agent_id HAVING COUNT(*) > 10"
        " UNION ALL SELECT s.owner_agent_id, " NOBODY ", 'opportunity', 'info', 'unlinked',"
        " CONCAT(COUNT(*), ' memories of the last month have no link'), JSON_OBJECT('count', COUNT(*)), 0, 0"
        " FROM node n JOIN space s ON s.account_id = n.account_id AND s.id = n.space_id"
        " WHERE n.account_id = ? AND n.id >= ? AND n.id < ? AND s.owner_agent_id IS NOT NULL AND n.status = 'active'"
        " AND n.archived_at IS NULL AND n.forgotten_at IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.account_id = n.account_id AND e.source_id = n.id AND e.live = 1)"
        " AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.account_id = n.account_id AND e.target_id = n.id AND e.live = 1)"
        " GROUP BY s.owner_agent_id HAVING COUNT(*) > 20"
        " UNION ALL SELECT s.owner_agent_id, " NOBODY ", 'anomaly', 'warning', 'conflicts',"
        " CONCAT(COUNT(*), ' critical conflicts between skills are open'), JSON_OBJECT('count', COUNT(*)), 1, 0"
        " FROM skill_conflict k JOIN space s ON s.account_id = k.account_id AND s.id = k.space_id"
        " WHERE k.account_id = ? AND k.open_key IS NOT NULL AND k.severity = 'critical' AND s.owner_agent_id IS NOT NULL"
        " GROUP BY s.owner_agent_id"
        " UNION ALL SELECT s.owner_agent_id, " NOBODY ", 'degradation', 'warning', IF(m.class = 'junk', 'junk', 'vectors'),"
        " IF(m.class = 'junk', 'More than a fifth of its memories are junk', 'Memories have no vectors'),"
        " JSON_OBJECT('found', SUM(m.found), 'of', SUM(w.found)), 0, 48"
        " FROM memory_census m JOIN memory_census w ON w.account_id = m.account_id AND w.day = m.day AND w.space_id = m.space_id"
        " AND w.class = 'nodes' JOIN space s ON s.account_id = m.account_id AND s.id = m.space_id"
        " WHERE m.account_id = ? AND m.day = (SELECT MAX(day) FROM memory_census x WHERE x.account_id = ?)"
        " AND m.class IN ('junk', 'no_vector') AND s.owner_agent_id IS NOT NULL GROUP BY s.owner_agent_id, m.class"
        " HAVING SUM(m.found) > SUM(w.found) * IF(m.class = 'junk', .2, .01)",
        IN(c->account_id), IN(sensor_ago(c, 30 * 24)), IN(sensor_ago(c, 30 * 24)), IN(c->account_id), IN(from), IN(to), IN(c->account_id),
        IN(c->account_id), IN(c->account_id));
}

/* ---- platform_health: everybody's */

err sensor_store_platform(struct ctx *c, struct db_cursor *q)
{
    return db_query(c, q,
        "SELECT " NOBODY ", " NOBODY ", 'anomaly', IF(COUNT(*) >= 3, 'critical', 'warning'), CONCAT('job ', r.job_name),"
        " CONCAT('The job ', r.job_name, ' failed'), JSON_OBJECT('job', r.job_name, 'times', COUNT(*)), COUNT(*) >= 3, 0"
        " FROM job_run r WHERE r.account_id = ? AND r.id >= ? AND r.status = 'failed' AND r.dry_run = 0"
        " AND NOT EXISTS (SELECT 1 FROM job_run p WHERE p.job_name = r.job_name AND p.top = 1 AND p.id > r.parent_id"
        " AND p.status = 'succeeded' AND p.dry_run = 0) AND NOT EXISTS (SELECT 1 FROM job_run p WHERE p.account_id = r.account_id"
        " AND p.job_name = r.job_name AND p.id > r.id AND p.status IN ('succeeded', 'partial') AND p.dry_run = 0) GROUP BY r.job_name"
        " UNION ALL SELECT " NOBODY ", " NOBODY ", 'anomaly', 'warning', CONCAT('dead ', t.kind),"
        " CONCAT(COUNT(*), ' tasks of kind ', t.kind, ' were given up'),"
        " JSON_OBJECT('kind', t.kind, 'tasks', COUNT(*)), 1, 0 FROM task t WHERE t.account_id = ? AND t.status = 'dead' GROUP BY t.kind"
        " UNION ALL SELECT " NOBODY ", " NOBODY ", 'degradation', 'warning', 'embedding', 'Vectors are more than an hour late',"
        " JSON_OBJECT('tasks', COUNT(*)), 0, 0 FROM task t WHERE t.account_id = ? AND t.kind = 'embed' AND t.status IN ('ready', 'running')"
        " AND t.created_at < ? HAVING COUNT(*) > 0"
        " UNION ALL SELECT " NOBODY ", " NOBODY ", 'degradation', IF(u.hour_failed > .5 * u.hour_calls, 'critical', 'warning'), 'llm',"
        " 'The language model fails', JSON_OBJECT('calls', u.hour_calls, 'failed', u.hour_failed), u.hour_failed > .5 * u.hour_calls, 0"
        " FROM llm_usage u WHERE u.account_id = ? AND u.day >= ? AND u.hour >= ? AND u.hour_calls >= 5"
        " AND u.hour_failed > .3 * u.hour_calls ORDER BY 5",
        IN(c->account_id), IN(uuid_floor(sensor_ago(c, 7 * 24).us)), IN(c->account_id), IN(c->account_id), IN(sensor_ago(c, 1)),
        IN(c->account_id), IN(sensor_ago(c, 24).us / DAY_US), IN(sensor_ago(c, 1).us / (3600 * SECOND_US)));
}

/* ---- peer_agent */

err sensor_store_peers(struct ctx *c, struct db_cursor *q)
{
    return db_query(c, q,
        "SELECT me.agent_id, " NOBODY ", 'alert', 'warning', CONCAT('escalation ', e.agent_id), CONCAT(a.name, ' has an open escalation'),"
        " JSON_OBJECT('agent_id', e.agent_id, 'escalations', COUNT(DISTINCT e.id)), 0, 0"
        " FROM escalation e JOIN team_member mate ON mate.account_id = e.account_id AND mate.agent_id = e.agent_id"
        " JOIN team_member me ON me.account_id = e.account_id AND me.team_id = mate.team_id AND me.agent_id <> mate.agent_id"
        " JOIN agent a ON a.account_id = e.account_id AND a.id = e.agent_id"
        " WHERE e.account_id = ? AND e.status IN ('open', 'acknowledged', 'in_progress') AND e.severity IN ('high', 'critical')"
        " GROUP BY me.agent_id, e.agent_id"
        " UNION ALL SELECT me.agent_id, " NOBODY ", 'alert', 'warning', CONCAT('failures ', f.agent_id), CONCAT(a.name, ' fails'),"
        " JSON_OBJECT('agent_id', f.agent_id, 'failures', MAX(f.n)), 0, 0 FROM (SELECT t.agent_id, COUNT(*) AS n FROM trust_event t"
        " WHERE t.account_id = ? AND t.id >= ? AND t.kind IN ('evaluation', 'self_report')"
        " AND JSON_VALUE(t.inputs, '$.outcome') = 'failed' GROUP BY t.agent_id HAVING COUNT(*) >= 3) f"
        " JOIN team_member mate ON mate.account_id = ? AND mate.agent_id = f.agent_id"
        " JOIN team_member me ON me.account_id = mate.account_id AND me.team_id = mate.team_id AND me.agent_id <> mate.agent_id"
        " JOIN agent a ON a.account_id = mate.account_id AND a.id = f.agent_id GROUP BY me.agent_id, f.agent_id",
        IN(c->account_id), IN(c->account_id), IN(uuid_floor(sensor_ago(c, 1).us)), IN(c->account_id));
}

/* ---- recommendation: about the agent itself */

err sensor_store_advice(struct ctx *c, struct db_cursor *q)
{
    return db_query(c, q,
        "SELECT r.agent_id, " NOBODY ", 'recommendation', 'info', 'pending', CONCAT(COUNT(*), ' recommendations wait for a decision'),"
        " JSON_OBJECT('count', COUNT(*), 'ids', JSON_ARRAYAGG(r.id ORDER BY r.id LIMIT 5)), 0, 0 FROM recommendation r"
        " WHERE r.account_id = ? AND r.status = 'pending' AND r.agent_id IS NOT NULL GROUP BY r.agent_id",
        IN(c->account_id));
}

/* ---- goal_progress; no title of a goal, so that none outlives it */

#define GOALS "goal g JOIN node n ON n.account_id = g.account_id AND n.id = g.id AND n.forgotten_at IS NULL"

err sensor_store_goals(struct ctx *c, struct db_cursor *q)
{
    return db_query(c, q,
        "SELECT g.agent_id, g.id, 'request', 'info', CONCAT('idle ', g.id), 'An active goal had no activity for a day', '{}', 0, 0"
        " FROM " GOALS " WHERE g.account_id = ? AND g.status = 'active' AND g.last_activity_at < ?"
        " AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.account_id = g.account_id AND e.target_id = g.id AND e.relation = 'serves'"
        " AND e.recorded_at >= ?)"
        " UNION ALL SELECT g.agent_id, g.id, 'alert', 'warning', CONCAT('deadline ', g.id), 'A goal is due within a day', '{}', 1, 0"
        " FROM " GOALS " WHERE g.account_id = ? AND g.status IN ('pending', 'active', 'paused') AND g.deadline < ?"
        " UNION ALL SELECT g.agent_id, g.id, 'alert', 'warning', CONCAT('stale ', g.id), 'A goal will be abandoned', '{}', 1, 168"
        " FROM " GOALS " WHERE g.account_id = ? AND g.status IN ('pending', 'active', 'paused') AND g.warned_at IS NOT NULL",
        IN(c->account_id), IN(sensor_ago(c, 24)), IN(sensor_ago(c, 24)), IN(c->account_id), IN(sensor_ago(c, -24)), IN(c->account_id));
}

/* ---- governance */

#define TIERS "'supervised', 'monitored', 'trusted', 'autonomous'"

err sensor_store_governance(struct ctx *c, struct db_cursor *q)
{
    return db_query(c, q,
        "SELECT a.actor_id, " NOBODY ", 'anomaly', 'warning', 'refused', CONCAT(COUNT(*), ' accesses were refused within an hour'),"
        " JSON_OBJECT('count', COUNT(*)), 0, 0 FROM audit_event a WHERE a.account_id = ? AND a.id >= ? AND a.actor_kind = 'agent'"
        " AND a.kind IN ('access.refuse', 'namespace_denied', 'erase_refused', 'token.refuse') GROUP BY a.actor_id HAVING COUNT(*) >= 5"
        " UNION ALL SELECT n.author_id, " NOBODY ", 'alert', 'warning', 'injection', CONCAT(COUNT(*), ' captures look like injections'),"
        " JSON_OBJECT('count', COUNT(*)), 1, 0 FROM node n JOIN episode e ON e.account_id = n.account_id AND e.id = n.id"
        " WHERE n.account_id = ? AND n.id >= ? AND n.author_kind = 'agent' AND e.injection_score > 0 GROUP BY n.author_id"
        " HAVING COUNT(*) >= 3"
        " UNION ALL SELECT t.agent_id, " NOBODY ", 'degradation', 'warning', 'tier', 'Its tier of trust fell',"
        " JSON_OBJECT('times', COUNT(*)), 0, 0 FROM trust_event t WHERE t.account_id = ? AND t.id >= ?"
        " AND FIELD(JSON_VALUE(t.after, '$.tier'), " TIERS ") < FIELD(JSON_VALUE(t.before, '$.tier'), " TIERS ") GROUP BY t.agent_id",
        IN(c->account_id), IN(uuid_floor(sensor_ago(c, 1).us)), IN(c->account_id), IN(uuid_floor(sensor_ago(c, 24).us)),
        IN(c->account_id), IN(uuid_floor(sensor_ago(c, 7 * 24).us)));
}

/* ---- workspace */

err sensor_store_workspace(struct ctx *c, struct db_cursor *q)
{
    return db_query(c, q,
        "SELECT e.agent_id, " NOBODY ", 'request', 'info', 'questions', CONCAT(COUNT(*), ' questions wait for an answer'),"
        " JSON_OBJECT('count', COUNT(*)), 0, 0 FROM escalation e WHERE e.account_id = ? AND e.dedup_key IS NOT NULL"
        " AND e.escalation_type = 'low_confidence_recall' GROUP BY e.agent_id",
        IN(c->account_id));
}
