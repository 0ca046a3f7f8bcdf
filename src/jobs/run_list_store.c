/* Questions about runs: what is open, what waits, and lists for people. */
#include <string.h>

#include "run_row.h"
#include "run_store.h"

#define WAITING_MAX 100
#define JOBS_MAX 256

static err read_runs(struct ctx *c, struct db_cursor *q, struct run *rows, size_t max, size_t *n)
{
    bool found = true;
    size_t got = 0;

    while (got < max) {
        TRY(run_row_read(c, q, &rows[got], &found));
        if (!found)
            break;
        got++;
    }
    *n = got;
    return ERR_OK;
}

err run_store_open_of(struct ctx *c, const char *job_name, int64_t *waiting, int64_t *running)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
                 "SELECT COUNT(IF(status = 'waiting', 1, NULL)), COUNT(IF(status = 'running', 1, NULL)) FROM job_run "
                 "WHERE top = 1 AND status IN ('waiting','running') AND job_name = ? AND only_account IS NULL "
                 "AND NOT dry_run",
                 IN(job_name)));
    return db_row(&q, c, &found, OUT(waiting), OUT(running));
}

err run_store_waiting(struct ctx *c, struct run **out, size_t *n)
{
    struct run *rows = ARENA_ARRAY(c->arena, struct run, WAITING_MAX);
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT " RUN_COLUMNS " FROM job_run r JOIN job j ON j.name = r.job_name "
                 "WHERE r.top = 1 AND r.status = 'waiting' "
                 "ORDER BY r.`trigger` <> 'catchup', IF(r.`trigger` = 'catchup', TIME(r.fire_at), NULL), r.fire_at, "
                 "j.position LIMIT 100"));
    *out = rows;
    return read_runs(c, &q, rows, WAITING_MAX, n);
}

err run_store_of_day(struct ctx *c, const char *job_name, struct instant fire_at, enum run_status *status, bool *found)
{
    struct instant day = {fire_at.us / DAY_US * DAY_US};
    scoped_cursor q = {0};
    const char *word;
    int v;

    TRY(db_query(c, &q,
                 "SELECT status FROM job_run WHERE job_name = ? AND fire_at BETWEEN ? AND ? AND top = 1 "
                 "AND `trigger` IN ('cron','catchup') ORDER BY fire_at DESC LIMIT 1",
                 IN(job_name), IN(day), IN(fire_at)));
    TRY(db_row(&q, c, found, OUT(&word)));
    if (*found && enumx_parse(&run_status_enumx, word, &v))
        *status = (enum run_status)v;
    return ERR_OK;
}

err run_store_manual_open(struct ctx *c, const char *job_name, struct uuid account_id, bool *yes)
{
    scoped_cursor q = {0};
    bool found;

    if (uuid_is_nil(account_id))
        TRY(db_query(c, &q,
                     "SELECT EXISTS (SELECT 1 FROM job_run WHERE top = 1 AND status IN ('waiting','running') "
                     "AND job_name = ? AND `trigger` = 'manual' AND guard IS NOT NULL AND only_account IS NULL)",
                     IN(job_name)));
    else
        TRY(db_query(c, &q,
                     "SELECT EXISTS (SELECT 1 FROM job_run WHERE top = 1 AND status IN ('waiting','running') "
                     "AND job_name = ? AND `trigger` = 'manual' AND guard IS NOT NULL "
                     "AND (only_account IS NULL OR only_account = ?))",
                     IN(job_name), IN(account_id)));
    return db_row(&q, c, &found, OUT(yes));
}

/* ---- lists for people */

static void run_list_store_add_scope(struct ctx *c, struct sql *s, const struct run_filter *f)
{
    if (!uuid_is_nil(f->parent_id))
        sql_add(s, " WHERE r.parent_id = ?", IN(f->parent_id));
    else if (f->everywhere)
        sql_add(s, " WHERE r.top = 1");
    else
        sql_add(s, " WHERE r.account_id = ?", IN(c->account_id));
}

err run_store_list(struct ctx *c, const struct run_filter *f, struct run *rows, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " RUN_COLUMNS " FROM job_run r");
    run_list_store_add_scope(c, &s, f);
    sql_add(&s, " AND r.id < ?", IN(f->before));
    if (f->job)
        sql_add(&s, " AND r.job_name = ?", IN(f->job));
    if (f->status >= 0)
        sql_add(&s, " AND r.status = ?", IN(enumx_name(&run_status_enumx, f->status)));
    if (f->trigger >= 0)
        sql_add(&s, " AND r.`trigger` = ?", IN(enumx_name(&run_trigger_enumx, f->trigger)));
    if (f->from.us)
        sql_add(&s, " AND r.fire_at >= ?", IN(f->from));
    if (f->to.us)
        sql_add(&s, " AND r.fire_at < ?", IN(f->to));
    sql_add(&s, " ORDER BY r.id DESC LIMIT ?", IN(f->limit));
    TRY(sql_query(c, &q, &s));
    return read_runs(c, &q, rows, (size_t)f->limit, n);
}

err run_store_latest(struct ctx *c, bool everywhere, struct run **out, size_t *n)
{
    struct run *rows = ARENA_ARRAY(c->arena, struct run, JOBS_MAX);
    scoped_cursor q = {0};

    if (everywhere)
        TRY(db_query(c, &q,
                     "SELECT " RUN_COLUMNS " FROM job j JOIN job_run r ON r.id = (SELECT x.id FROM job_run x "
                     "WHERE x.job_name = j.name AND x.top = 1 ORDER BY x.id DESC LIMIT 1) LIMIT 256"));
    else
        TRY(db_query(c, &q,
                     "SELECT " RUN_COLUMNS " FROM job j JOIN job_run r ON r.id = (SELECT x.id FROM job_run x "
                     "WHERE x.account_id = ? AND x.job_name = j.name ORDER BY x.id DESC LIMIT 1) LIMIT 256",
                     IN(c->account_id)));
    *out = rows;
    return read_runs(c, &q, rows, JOBS_MAX, n);
}

err run_store_recent(struct ctx *c, bool everywhere, const char *const *names, size_t n_names, int64_t each, struct run **out,
                     size_t *n)
{
    struct run *rows = ARENA_ARRAY(c->arena, struct run, n_names * (size_t)each + 1);
    scoped_cursor q = {0};
    struct sql s;

    *n = 0;
    *out = rows;
    if (!n_names)
        return ERR_OK;
    sql_init(&s, c->arena);
    for (size_t i = 0; i < n_names; i++) {
        if (i)
            sql_add(&s, " UNION ALL ");
        sql_add(&s, "(SELECT " RUN_COLUMNS " FROM job_run r WHERE ");
        if (everywhere)
            sql_add(&s, "r.top = 1");
        else
            sql_add(&s, "r.account_id = ?", IN(c->account_id));
        sql_add(&s, " AND r.job_name = ? ORDER BY r.id DESC LIMIT ?)", IN(names[i]), IN(each));
    }
    TRY(sql_query(c, &q, &s));
    return read_runs(c, &q, rows, n_names * (size_t)each, n);
}

/* A continuous job's rows stand for an hour of firings; those from before these were counted do not say how long it worked. */
#define FIRED "JSON_VALUE(r.counts, '$." RUN_PASSES "')"
#define WORKED "COALESCE(JSON_VALUE(r.counts, '$." RUN_WORKED_US "'), " \
               "IF(j.schedule LIKE '@every%' AND r.`trigger` = 'cron', NULL, TIMESTAMPDIFF(MICROSECOND, r.started_at, r.finished_at)))"

err run_store_averages(struct ctx *c, bool everywhere, struct instant since, struct run_average **out, size_t *n)
{
    struct run_average *rows = ARENA_ARRAY(c->arena, struct run_average, JOBS_MAX);
    scoped_cursor q = {0};
    struct sql s;
    bool found = true;
    size_t got = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT r.job_name, COUNT(*), COUNT(IF(r.status = 'succeeded', 1, NULL)), "
                "COALESCE(SUM(" WORKED ") / SUM(IF(" WORKED " IS NULL, NULL, COALESCE(" FIRED ", 1))) / 1000000, 0) "
                "FROM job_run r JOIN job j ON j.name = r.job_name WHERE ");
    if (everywhere)
        sql_add(&s, "r.top = 1");
    else
        sql_add(&s, "r.account_id = ?", IN(c->account_id));
    sql_add(&s,
            " AND r.fire_at >= ? AND r.status IN ('succeeded','partial','failed','lost','cancelled') "
            "GROUP BY r.job_name LIMIT 256", IN(since));
    TRY(sql_query(c, &q, &s));
    while (got < JOBS_MAX) {
        struct run_average *r = &rows[got];

        TRY(db_row(&q, c, &found, OUT(&r->job_name), OUT(&r->runs), OUT(&r->succeeded), OUT(&r->seconds)));
        if (!found)
            break;
        got++;
    }
    *out = rows;
    *n = got;
    return ERR_OK;
}
