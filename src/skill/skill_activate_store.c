/* SQL of activation. */
#include "skill_activate_store.h"

#include "db.h"

#define NEEDS_MAX 1000
#define MISSES "10000" /* rows of an account; the oldest leave */

static err skill_activate_store_read_need(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct skill_need *need = row;

    return db_row(q, c, found, OUT(&need->skill), OUT(&need->needs));
}

err skill_activate_store_needs(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT source_id, target_id FROM edge WHERE account_id = ? AND relation IN ('requires', 'DEPENDS_ON') AND retired_at IS "
        "NULL "
        "AND status = 'active'", IN(c->account_id));
    sql_add_in_uuids(&s, "source_id", ids, n);
    sql_add(&s, " ORDER BY weight DESC, id");
    return sql_rows(c, &s, NEEDS_MAX, sizeof(struct skill_need), skill_activate_store_read_need, &out->v, &out->n);
}

err skill_activate_store_in_session(struct ctx *c, const char *session_id, const struct uuid *ids, size_t n, struct uuids *out)
{
    scoped_cursor q = {0};
    struct sql s;

    out->v = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT skill_id FROM skill_usage WHERE account_id = ? AND session_id = ?", IN(c->account_id), IN(session_id));
    sql_add_in_uuids(&s, "skill_id", ids, n);
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, out->v, n, &out->n);
}

err skill_activate_store_miss(struct ctx *c, struct bytes task_hash, const char *task, struct uuid agent_id)
{
    TRY(db_exec(c, NULL, "INSERT INTO skill_miss (account_id, task_hash, task, agent_id, misses, last_at) VALUES (?, ?, ?, ?, 1, ?) "
        "ON DUPLICATE KEY UPDATE misses = misses + 1, last_at = VALUES(last_at)", IN(c->account_id), IN(task_hash), IN(task),
        IN_OPT(agent_id), IN(c->now)));
    return db_exec(c, NULL, "DELETE FROM skill_miss WHERE account_id = ? AND last_at < (SELECT at FROM (SELECT last_at AS at FROM "
        "skill_miss "
        "WHERE account_id = ? ORDER BY last_at DESC LIMIT 1 OFFSET " MISSES ") oldest)", IN(c->account_id), IN(c->account_id));
}
