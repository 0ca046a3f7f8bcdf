/* The queue's housekeeping, and lists of it for people; see task_store.h. */
#include <string.h>

#include "run_row.h"
#include "task_store.h"

#define KINDS_MAX 256
#define LONG_QUEUE 10000 /* shorter ones are not worth a row of task_group */

/* ---- taking back */

err task_store_lapsed(struct ctx *c, struct instant now, struct task_lapsed *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    bool found = true;
    size_t got = 0;

    TRY(db_query(c, &q,
                 "SELECT id, account_id, run_id, idem_key, payload, attempts, max_attempts, lapses, kind FROM task "
                 "WHERE status = 'running' AND lease_until < ? ORDER BY lease_until LIMIT ? FOR UPDATE SKIP LOCKED",
                 IN(now), IN((int64_t)max)));
    while (got < max) {
        struct task_lapsed *t = &rows[got];
        const char *payload;

        *t = (struct task_lapsed){0};
        TRY(db_row(&q, c, &found, OUT(&t->task.id), OUT(&t->task.account_id), OUT_OPT(&t->task.run_id),
                   OUT(&t->task.idem_key), OUT(&payload), OUT(&t->task.attempts), OUT(&t->max_attempts), OUT(&t->lapses),
                   OUT(&t->kind)));
        if (!found)
            break;
        t->task.payload = run_row_json(c, payload, JSON_OBJ);
        got++;
    }
    *n = got;
    return ERR_OK;
}

err task_store_take_back(struct ctx *c, const struct task_lapsed *t, bool dead, const char *error, struct instant now)
{
    struct instant ended = dead ? now : (struct instant){0};

    return db_exec(c, NULL,
                   "UPDATE task SET status = ?, lapses = lapses + 1, last_error = ?, finished_at = ?, slot = NULL, "
                   "owner = NULL, lease_token = NULL, lease_until = NULL WHERE id = ?",
                   IN(dead ? "dead" : "ready"), IN(error), IN_OPT(ended), IN(t->task.id));
}

err task_store_purge(struct ctx *c, enum task_status status, struct instant before, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM task WHERE status = ? AND finished_at < ? ORDER BY finished_at LIMIT ?",
                   IN(enumx_name(&task_status_enumx, (int)status)), IN(before), IN(limit));
}

err task_store_count_groups(struct ctx *c, struct instant now)
{
    TRY(db_exec(c, NULL,
                "INSERT INTO task_group (account_id, kind, ready, counted_at) SELECT account_id, kind, COUNT(*), ? "
                "FROM task WHERE status = 'ready' GROUP BY account_id, kind HAVING COUNT(*) >= ? "
                "ON DUPLICATE KEY UPDATE ready = VALUES(ready), counted_at = VALUES(counted_at)",
                IN(now), IN(LONG_QUEUE)));
    return db_exec(c, NULL, "DELETE FROM task_group WHERE counted_at < ?", IN(now));
}

/* ---- runs and their tasks */

err task_store_run_alive(struct ctx *c, struct uuid parent_id, bool *yes)
{
    scoped_cursor q = {0};
    bool found;

    /* its own task, or that of one of its slices */
    TRY(db_query(c, &q,
                 "SELECT EXISTS (SELECT 1 FROM task WHERE run_id = ? AND status IN ('ready','running')) OR EXISTS "
                 "(SELECT 1 FROM job_run s JOIN task t ON t.run_id = s.id AND t.status IN ('ready','running') "
                 "WHERE s.parent_id = ? AND s.status IN ('waiting','running'))",
                 IN(parent_id), IN(parent_id)));
    return db_row(&q, c, &found, OUT(yes));
}

/* The task that makes a run's slices stays: it sees that there is nothing more to make, and closes the run. */
err task_store_cancel_run(struct ctx *c, struct uuid run_id, struct instant now)
{
    TRY(db_exec(c, NULL,
                "UPDATE task SET status = 'cancelled', finished_at = ? WHERE run_id = ? AND status = 'ready' "
                "AND kind = 'slice'",
                IN(now), IN(run_id)));
    return db_exec(c, NULL,
                   "UPDATE job_run s JOIN task t ON t.run_id = s.id AND t.status = 'ready' "
                   "SET t.status = 'cancelled', t.finished_at = ? WHERE s.parent_id = ?",
                   IN(now), IN(run_id));
}

/* ---- lists for people */

#define TASK_COLUMNS \
    "t.id, t.account_id, t.run_id, t.kind, t.idem_key, t.lane, t.priority, t.status, t.payload, t.tries, t.run_at, " \
    "t.attempts, t.max_attempts, t.again, t.last_error, t.created_at, t.started_at, " \
    "t.finished_at, t.lease_until"

static err task_list_store_read_row(struct ctx *c, struct db_cursor *q, struct task_row *t, bool *found)
{
    const char *status, *payload, *tries;
    int v;

    TRY(db_row(q, c, found, OUT(&t->id), OUT(&t->account_id), OUT_OPT(&t->run_id), OUT(&t->kind), OUT(&t->idem_key),
               OUT_OPT(&t->lane), OUT(&t->priority), OUT(&status), OUT(&payload), OUT(&tries), OUT(&t->run_at),
               OUT(&t->attempts), OUT(&t->max_attempts), OUT(&t->again),
               OUT_OPT(&t->last_error), OUT(&t->created_at), OUT_OPT(&t->started_at), OUT_OPT(&t->finished_at),
               OUT_OPT(&t->lease_until)));
    if (!*found)
        return ERR_OK;
    if (!enumx_parse(&task_status_enumx, status, &v))
        return fail(c, ERR_INTERNAL, "'%s' is no status of a task", status);
    t->status = (enum task_status)v;
    t->payload = run_row_json(c, payload, JSON_OBJ);
    t->tries = run_row_json(c, tries, JSON_ARR);
    return ERR_OK;
}

/* The tasks of a filter among those that may be seen. */
static void task_list_store_add_filter(struct ctx *c, struct sql *s, const struct task_filter *f)
{
    if (!f->everywhere)
        sql_add(s, " AND t.account_id = ?", IN(c->account_id));
    if (f->status >= 0)
        sql_add(s, " AND t.status = ?", IN(enumx_name(&task_status_enumx, f->status)));
    if (f->kind)
        sql_add(s, " AND t.kind = ?", IN(f->kind));
    if (f->older_than.us)
        sql_add(s, " AND t.created_at < ?", IN(f->older_than));
}

err task_store_list(struct ctx *c, const struct task_filter *f, struct task_row *rows, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found = true;
    size_t got = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " TASK_COLUMNS " FROM task t WHERE t.id < ?", IN(f->before));
    task_list_store_add_filter(c, &s, f);
    sql_add(&s, " ORDER BY t.id DESC LIMIT ?", IN(f->limit));
    TRY(sql_query(c, &q, &s));
    while (got < (size_t)f->limit) {
        TRY(task_list_store_read_row(c, &q, &rows[got], &found));
        if (!found)
            break;
        got++;
    }
    *n = got;
    return ERR_OK;
}

err task_store_get(struct ctx *c, struct uuid id, bool everywhere, struct task_row *out, bool *found)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " TASK_COLUMNS " FROM task t WHERE t.id = ? AND (? OR t.account_id = ?)", IN(id),
                 IN(everywhere), IN(c->account_id)));
    return task_list_store_read_row(c, &q, out, found);
}

/* One task, or the first `limit` of the filter. */
static err change_dead(struct ctx *c, struct sql *s, const struct task_filter *f, struct uuid id, int64_t *n)
{
    struct task_filter dead = *f;

    dead.status = TASK_DEAD;
    sql_add(s, " WHERE 1");
    if (!uuid_is_nil(id))
        sql_add(s, " AND t.id = ?", IN(id));
    task_list_store_add_filter(c, s, &dead);
    sql_add(s, " ORDER BY t.id LIMIT ?", IN(uuid_is_nil(id) ? f->limit : 1));
    return sql_exec(c, n, s);
}

err task_store_retry(struct ctx *c, const struct task_filter *f, struct uuid id, struct instant now, int64_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE task t SET t.status = 'ready', t.attempts = 0, t.lapses = 0, t.run_at = ?, t.finished_at = NULL",
            IN(now));
    return change_dead(c, &s, f, id, n);
}

err task_store_discard(struct ctx *c, const struct task_filter *f, struct uuid id, const char *reason,
                       struct instant now, int64_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE task t SET t.status = 'cancelled', t.last_error = ?, t.finished_at = ?",
            IN(run_row_cut(c, reason, 2000)), IN(now));
    return change_dead(c, &s, f, id, n);
}

err task_store_summary(struct ctx *c, bool everywhere, struct task_summary **out, size_t *n)
{
    struct task_summary *rows = ARENA_ARRAY(c->arena, struct task_summary, KINDS_MAX);
    scoped_cursor q = {0};
    struct sql s;
    bool found = true;
    size_t got = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT kind, MIN(priority), COUNT(IF(status = 'ready', 1, NULL)), COUNT(IF(status = 'running', 1, NULL)), "
                "COUNT(IF(status = 'dead', 1, NULL)), MIN(IF(status = 'ready', run_at, NULL)) FROM task "
                "WHERE status IN ('ready','running','dead')");
    if (!everywhere)
        sql_add(&s, " AND account_id = ?", IN(c->account_id));
    sql_add(&s, " GROUP BY kind ORDER BY MIN(priority), kind LIMIT 256");
    TRY(sql_query(c, &q, &s));
    while (got < KINDS_MAX) {
        struct task_summary *r = &rows[got];

        TRY(db_row(&q, c, &found, OUT(&r->kind), OUT(&r->priority), OUT(&r->ready), OUT(&r->running), OUT(&r->dead),
                   OUT_OPT(&r->oldest)));
        if (!found)
            break;
        got++;
    }
    *out = rows;
    *n = got;
    return ERR_OK;
}
