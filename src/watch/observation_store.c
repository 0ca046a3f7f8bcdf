/* SQL of observations. */
#include "observation_store.h"

#include "row.h"

#define FOUND_MAX 20000 /* open findings of one batch of agents */

err observation_store_lock(struct ctx *c, struct uuid id, bool *found, struct observation *out)
{
    return row_one(c, &OBSERVATION, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id),
                   IN(id));
}

err observation_store_list(struct ctx *c, const struct observation_filter *f, const struct watch_reach *reach, struct uuid before,
                           struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &OBSERVATION, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (!reach->all)
        sql_add_in_uuids(&s, "agent_id", reach->agents.v, reach->agents.n);
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND agent_id = ?", IN(f->agent_id));
    if (f->sensor_type >= 0)
        sql_add(&s, " AND sensor_type = ?", IN(enumx_name(&sensor_type_enumx, f->sensor_type)));
    if (f->severity >= 0)
        sql_add(&s, " AND severity = ?", IN(enumx_name(&observation_severity_enumx, f->severity)));
    if (f->status == OBSERVED_OPEN)
        sql_add(&s, " AND status = 'open' AND expires_at > ?", IN(c->now));
    else if (f->status == OBSERVED_EXPIRED)
        sql_add(&s, " AND (status = 'expired' OR (status = 'open' AND expires_at <= ?))", IN(c->now));
    else if (f->status == OBSERVED_PROCESSED)
        sql_add(&s, " AND status = 'processed'");
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &OBSERVATION, &s, f->limit, out);
}

static void observation_add_prints(struct sql *s, const struct observation *v, size_t n)
{
    sql_add(s, " AND fingerprint IN (?", IN(v[0].fingerprint));
    for (size_t i = 1; i < n; i++)
        sql_add(s, ",?", IN(v[i].fingerprint));
    sql_add(s, ")");
}

err observation_store_known(struct ctx *c, const struct observation *v, size_t n, struct instant since, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &OBSERVATION, "SELECT {*} FROM {from} WHERE account_id = ? AND (open_key IS NOT NULL OR processed_at > ?)",
               IN(c->account_id), IN(since));
    observation_add_prints(&s, v, n);
    sql_add(&s, " ORDER BY open_key IS NULL, id");
    return row_all(c, &OBSERVATION, &s, 4 * n, out);
}

static err observation_read_count(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct observation_count *o = row;

    return db_row(q, c, found, OUT(&o->agent_id), OUT(&o->n));
}

err observation_store_since(struct ctx *c, const struct observation *v, size_t n, struct instant since, struct list *out)
{
    struct uuid *agents = ARENA_ARRAY(c->arena, struct uuid, n);
    struct sql s;

    for (size_t i = 0; i < n; i++)
        agents[i] = v[i].agent_id;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT agent_id, COUNT(*) FROM observation WHERE account_id = ? AND created_at >= ? AND source <> 'counter'",
            IN(c->account_id), IN(since));
    sql_add_in_uuids(&s, "agent_id", agents, n);
    sql_add(&s, " GROUP BY agent_id");
    return sql_rows(c, &s, n, sizeof(struct observation_count), observation_read_count, &out->v, &out->n);
}

err observation_store_put(struct ctx *c, const struct observation *v, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO observation (account_id, id, agent_id, goal_id, sensor_type, observation_type, severity, title, data, "
                "requires_action, source, fingerprint, open_key, trouble, last_seen_at, expires_at, due_at, created_at, updated_at) "
                "VALUES ");
    for (size_t i = 0; i < n; i++)
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?),", IN(c->account_id), IN(v[i].id), IN(v[i].agent_id), IN_OPT(v[i].goal_id),
                IN(enumx_name(&sensor_type_enumx, (int)v[i].sensor_type)),
                IN(enumx_name(&observation_type_enumx, (int)v[i].observation_type)),
                IN(enumx_name(&observation_severity_enumx, (int)v[i].severity)), IN(v[i].title), IN(json_text(c->arena, v[i].data)),
                IN(v[i].requires_action), IN(enumx_name(&observation_source_enumx, (int)v[i].source)), IN(v[i].fingerprint),
                IN(v[i].fingerprint), IN_OPT(v[i].trouble), IN(c->now), IN(v[i].expires_at), IN(v[i].expires_at), IN(c->now), IN(c->now));
    s.text.data[--s.text.len] = 0;
    sql_add(&s, " ON DUPLICATE KEY UPDATE seen_count = seen_count + 1, version = version + 1, title = VALUES(title), data = VALUES(data), "
                "severity = IF(FIELD(VALUES(severity), 'info', 'warning', 'critical') > FIELD(severity, 'info', 'warning', 'critical'), "
                "VALUES(severity), severity), requires_action = requires_action OR VALUES(requires_action), "
                "trouble = COALESCE(trouble, VALUES(trouble)), last_seen_at = "
                "VALUES(last_seen_at), expires_at = GREATEST(expires_at, VALUES(expires_at)), due_at = expires_at, "
                "updated_at = VALUES(updated_at)");
    return sql_exec(c, NULL, &s);
}

err observation_store_count_up(struct ctx *c, const struct observation *o, struct uuid *id)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_exec(c, NULL,
        "INSERT INTO observation (account_id, id, agent_id, sensor_type, observation_type, severity, title, source, fingerprint, open_key, "
        "seen_count, last_seen_at, expires_at, due_at, created_at, updated_at) VALUES (?,?,?,?,'alert','warning',CONCAT(?, ' more'),"
        "'counter',?,?,?,?,?,?,?,?) ON DUPLICATE KEY UPDATE seen_count = seen_count + VALUES(seen_count), "
        "title = CONCAT(seen_count, ' more'), "
        "version = version + 1, last_seen_at = VALUES(last_seen_at), updated_at = VALUES(updated_at)",
        IN(c->account_id), IN(o->id), IN(o->agent_id), IN(enumx_name(&sensor_type_enumx, (int)o->sensor_type)), IN(o->seen_count),
        IN(o->fingerprint), IN(o->fingerprint), IN(o->seen_count), IN(c->now), IN(o->expires_at), IN(o->expires_at), IN(c->now),
        IN(c->now)));
    TRY(db_query(c, &q, "SELECT id FROM observation WHERE account_id = ? AND agent_id = ? AND open_key = ?", IN(c->account_id),
                 IN(o->agent_id), IN(o->fingerprint)));
    return db_row(&q, c, &found, OUT(id));
}

err observation_store_open(struct ctx *c, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM observation WHERE account_id = ? AND status = 'open'", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(n));
}

err observation_store_found(struct ctx *c, const struct uuid *agents, size_t n, unsigned sensors, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &OBSERVATION, "SELECT {*} FROM {from} WHERE account_id = ? AND open_key IS NOT NULL AND source = 'sensor'",
               IN(c->account_id));
    sql_add_in_uuids(&s, "agent_id", agents, n);
    sql_add(&s, " AND sensor_type IN (''");
    for (size_t i = 0; i < sensor_type_enumx.n; i++)
        if (sensors >> i & 1)
            sql_add(&s, ",?", IN(enumx_name(&sensor_type_enumx, (int)i)));
    sql_add(&s, ")");
    return row_all(c, &OBSERVATION, &s, FOUND_MAX, out);
}

err observation_store_close(struct ctx *c, const struct observation *v, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n);
    struct sql s;

    for (size_t i = 0; i < n; i++)
        ids[i] = v[i].id;
    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE observation SET status = 'processed', open_key = NULL, processed_at = ?, processed_kind = 'system', due_at = ?, "
                "version = version + 1, updated_at = ? WHERE account_id = ? AND open_key IS NOT NULL",
            IN(c->now), IN(((struct instant){c->now.us + OBSERVATION_KEPT_US})), IN(c->now), IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}

/* ---- clean-up */

err observation_store_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT account_id FROM observation WHERE account_id > ? GROUP BY account_id HAVING MIN(due_at) <= ? "
                        "ORDER BY account_id LIMIT ?", IN(above), IN(c->now), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err observation_store_expire(struct ctx *c, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "UPDATE observation SET status = 'expired', open_key = NULL, due_at = expires_at + INTERVAL ? MICROSECOND, "
                         "version = version + 1, updated_at = ? WHERE account_id = ? AND due_at <= ? AND status = 'open' "
                         "ORDER BY due_at LIMIT ?",
                   IN(OBSERVATION_GONE_US), IN(c->now), IN(c->account_id), IN(c->now), IN(limit));
}

err observation_store_purge(struct ctx *c, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM observation WHERE account_id = ? AND due_at <= ? AND status <> 'open' ORDER BY due_at LIMIT ?",
                   IN(c->account_id), IN(c->now), IN(limit));
}
