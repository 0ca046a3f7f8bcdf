/* SQL of workflow runs. */
#include "workflow_store.h"

#include "db.h"

err workflow_store_start(struct ctx *c, const char *run_id)
{
    return db_exec(c, NULL, "INSERT IGNORE INTO workflow_run (account_id, run_id, started_by_kind, started_by, started_at) "
                            "VALUES (?,?,?,?,?)", IN(c->account_id), IN(run_id),
                   IN(enumx_name(&principal_kind_enumx, (int)c->who->kind)), IN(c->who->id), IN(c->now));
}

static err participants(struct ctx *c, const char *run_id, struct uuids *out)
{
    scoped_cursor q = {0};

    out->v = ARENA_ARRAY(c->arena, struct uuid, WORKFLOW_PARTICIPANTS);
    TRY(db_query(c, &q, "SELECT agent_id FROM workflow_participant WHERE account_id = ? AND run_id = ? ORDER BY agent_id",
                 IN(c->account_id), IN(run_id)));
    return db_ids(c, &q, out->v, WORKFLOW_PARTICIPANTS, &out->n);
}

err workflow_store_lock(struct ctx *c, const char *run_id, bool *found, struct workflow *out)
{
    scoped_cursor q = {0};

    *out = (struct workflow){.run_id = run_id};
    TRY(db_query(c, &q, "SELECT started_by_kind, started_by, started_at, finished_at FROM workflow_run WHERE account_id = ? "
                        "AND run_id = ? FOR UPDATE", IN(c->account_id), IN(run_id)));
    TRY(db_row(&q, c, found, OUT(&out->started_by_kind), OUT(&out->started_by), OUT(&out->started_at),
               OUT_OPT(&out->finished_at)));
    return *found ? participants(c, run_id, &out->participants) : ERR_OK;
}

err workflow_store_join(struct ctx *c, const char *run_id, struct uuid agent_id)
{
    return db_exec(c, NULL, "INSERT IGNORE INTO workflow_participant (account_id, run_id, agent_id, joined_at) VALUES (?,?,?,?)",
                   IN(c->account_id), IN(run_id), IN(agent_id), IN(c->now));
}

err workflow_store_finish(struct ctx *c, const char *run_id)
{
    return db_exec(c, NULL, "UPDATE workflow_run SET finished_at = ? WHERE account_id = ? AND run_id = ?", IN(c->now),
                   IN(c->account_id), IN(run_id));
}

#define POOLS "SELECT p.space_id FROM pool p JOIN space s ON s.account_id = p.account_id AND s.id = p.space_id WHERE p.account_id = ? AND s.deleted_at IS NULL"
#define ORDER " ORDER BY p.space_id LIMIT ?"
/* Archived ones cannot be changed, and those that end before that stay as they are. */
#define ENDING " AND p.persist_across_executions = 0 AND s.status = 'active' AND (s.expires_at IS NULL OR s.expires_at > ?)"

err workflow_store_pools(struct ctx *c, const char *run_id, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, POOLS " AND p.workflow_run_id = ? AND (s.expires_at IS NULL OR s.expires_at > ?)" ORDER, IN(c->account_id),
                 IN(run_id), IN(c->now), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

static struct instant workflow_pools_end(const struct ctx *c)
{
    return (struct instant){c->now.us + WORKFLOW_END_US};
}

err workflow_store_ending_of_run(struct ctx *c, const char *run_id, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, POOLS " AND p.workflow_run_id = ?" ENDING ORDER, IN(c->account_id), IN(run_id), IN(workflow_pools_end(c)),
                 IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err workflow_store_ending_of_task(struct ctx *c, const char *task_id, struct uuid after, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, POOLS " AND p.task_execution_id = ? AND p.space_id > ?" ENDING ORDER, IN(c->account_id), IN(task_id), IN(after),
                 IN(workflow_pools_end(c)), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}
