/* The timetable and what accounts changed of it; see job_store.h. */
#include "job_store.h"

#include <string.h>

#include "db.h"

#define JOBS_MAX 256

#define JOB_COLUMNS \
    "name, description, schedule, time_zone, position, enabled, paused_at, paused_by, pause_reason, catchup, overlap, " \
    "after_job, after_policy, time_box_s, slice_box_s, params, next_fire_at, last_fire_at, version, updated_at"

static const struct json *job_store_parsed(struct ctx *c, const char *text)
{
    const char *why;
    struct json *j;

    return text && json_parse(c->arena, text, strlen(text), &j, &why) == JSON_OK ? j : json_obj(c->arena);
}

static err word(struct ctx *c, const struct enumx *e, const char *name, int *out)
{
    if (!enumx_parse(e, name, out))
        return fail(c, ERR_INTERNAL, "'%s' is no %s", name, e->type);
    return ERR_OK;
}

static err job_store_read_row(struct ctx *c, struct db_cursor *q, struct job_row *r, bool *found)
{
    const char *catchup, *overlap, *policy, *params;
    int v;

    TRY(db_row(q, c, found, OUT(&r->name), OUT(&r->description), OUT(&r->schedule), OUT(&r->time_zone),
               OUT(&r->position), OUT(&r->enabled), OUT_OPT(&r->paused_at), OUT_OPT(&r->paused_by),
               OUT_OPT(&r->pause_reason), OUT(&catchup), OUT(&overlap), OUT_OPT(&r->after), OUT(&policy),
               OUT(&r->time_box_s), OUT(&r->slice_box_s), OUT(&params), OUT_OPT(&r->next_fire_at),
               OUT_OPT(&r->last_fire_at), OUT(&r->version), OUT(&r->updated_at)));
    if (!*found)
        return ERR_OK;
    TRY(word(c, &job_catchup_enumx, catchup, &v));
    r->catchup = (enum job_catchup)v;
    TRY(word(c, &job_overlap_enumx, overlap, &v));
    r->overlap = (enum job_overlap)v;
    TRY(word(c, &after_policy_enumx, policy, &v));
    r->after_policy = (enum after_policy)v;
    r->params = job_store_parsed(c, params);
    return ERR_OK;
}

static err job_store_read_rows(struct ctx *c, struct db_cursor *q, struct job_row **out, size_t *n)
{
    struct job_row *rows = ARENA_ARRAY(c->arena, struct job_row, JOBS_MAX);
    bool found = true;
    size_t got = 0;

    while (got < JOBS_MAX) {
        TRY(job_store_read_row(c, q, &rows[got], &found));
        if (!found)
            break;
        got++;
    }
    *out = rows;
    *n = got;
    return ERR_OK;
}

/* ---- declaring and reading */

static int box(int declared, int otherwise)
{
    return declared ? declared : otherwise;
}

err job_store_declare(struct ctx *c, const struct job *job, int64_t position, struct instant next, struct instant now)
{
    int time_box = box(job->time_box_s, TIME_BOX_S), slice_box = box(job->slice_box_s, SLICE_BOX_S);
    const char *catchup = enumx_name(&job_catchup_enumx, (int)job->catchup);
    const char *overlap = enumx_name(&job_overlap_enumx, (int)job->overlap);
    const char *policy = enumx_name(&after_policy_enumx, (int)job->after_policy);

    TRY(db_exec(c, NULL,
                "INSERT IGNORE INTO job (name, description, position, schedule, enabled, catchup, overlap, after_job, "
                "after_policy, time_box_s, slice_box_s, next_fire_at, updated_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                IN(job->name), IN(job->description), IN(position), IN(job->schedule), IN(!(job->flags & JOB_OFF)),
                IN(catchup), IN(overlap), IN_OPT(job->after), IN(policy), IN(time_box), IN(slice_box), IN_OPT(next),
                IN(now)));
    TRY(db_exec(c, NULL,
                "UPDATE job SET description = ?, position = ?, after_job = ?, after_policy = ? WHERE name = ?",
                IN(job->description), IN(position), IN_OPT(job->after), IN(policy), IN(job->name)));
    /* A schedule that the code has changed takes effect now, unless an operator has set one. */
    return db_exec(c, NULL,
                   "UPDATE job SET next_fire_at = IF(schedule = ?, next_fire_at, ?), schedule = ?, catchup = ?, "
                   "overlap = ?, time_box_s = ?, slice_box_s = ? WHERE name = ? AND version = 1",
                   IN(job->schedule), IN_OPT(next), IN(job->schedule), IN(catchup), IN(overlap), IN(time_box),
                   IN(slice_box), IN(job->name));
}

err job_store_get(struct ctx *c, const char *name, bool lock, struct job_row *out, bool *found)
{
    scoped_cursor q = {0};

    if (lock)
        TRY(db_query(c, &q, "SELECT " JOB_COLUMNS " FROM job WHERE name = ? FOR UPDATE", IN(name)));
    else
        TRY(db_query(c, &q, "SELECT " JOB_COLUMNS " FROM job WHERE name = ?", IN(name)));
    return job_store_read_row(c, &q, out, found);
}

err job_store_list(struct ctx *c, struct job_row **out, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " JOB_COLUMNS " FROM job ORDER BY position, name"));
    return job_store_read_rows(c, &q, out, n);
}

err job_store_poll(struct ctx *c, struct job_poll *out)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
                 "SELECT UTC_TIMESTAMP(6), (SELECT MIN(next_fire_at) FROM job WHERE enabled AND paused_at IS NULL), "
                 "EXISTS (SELECT 1 FROM job_run WHERE top = 1 AND status IN ('waiting','running'))"));
    TRY(db_row(&q, c, &found, OUT(&out->now), OUT_OPT(&out->next_fire_at), OUT(&out->open)));
    out->now = clock_of_db(out->now);
    return ERR_OK;
}

/* ---- claiming */

/* Jobs of a newer program that shares the database are not ours to fire. */
static void add_known(struct sql *s, const struct job_list *list)
{
    sql_add(s, " AND name IN (''");
    for (size_t i = 0; i < list->n_jobs; i++)
        sql_add(s, ", ?", IN(list->jobs[i]->name));
    sql_add(s, ")");
}

/* In the order of the index: a sort would first lock every row that is due, and another scheduler would find none. */
err job_store_claim(struct ctx *c, const struct job_list *list, struct instant now, struct job_row *out, bool *found)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s,
            "SELECT " JOB_COLUMNS " FROM job FORCE INDEX (job_next) WHERE enabled AND paused_at IS NULL AND next_fire_at <= ? "
            "AND schedule NOT LIKE '@every%'", IN(now));
    add_known(&s, list);
    sql_add(&s, " ORDER BY next_fire_at, position LIMIT 1 FOR UPDATE SKIP LOCKED");
    TRY(sql_query(c, &q, &s));
    return job_store_read_row(c, &q, out, found);
}

err job_store_fired(struct ctx *c, const char *name, struct instant next, struct instant last)
{
    return db_exec(c, NULL, "UPDATE job SET next_fire_at = ?, last_fire_at = ? WHERE name = ?", IN_OPT(next), IN(last),
                   IN(name));
}

err job_store_due_passes(struct ctx *c, struct instant now, struct job_row **out, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT " JOB_COLUMNS " FROM job WHERE enabled AND paused_at IS NULL AND next_fire_at <= ? "
                 "AND schedule LIKE '@every%' AND (lease_until IS NULL OR lease_until < ?) "
                 "ORDER BY next_fire_at, position",
                 IN(now), IN(now)));
    return job_store_read_rows(c, &q, out, n);
}

err job_store_has_due(struct ctx *c, const struct job_list *list, struct instant now, bool *yes)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s,
            "SELECT EXISTS (SELECT 1 FROM job WHERE enabled AND paused_at IS NULL AND next_fire_at <= ? "
            "AND schedule NOT LIKE '@every%'", IN(now));
    add_known(&s, list);
    sql_add(&s, ")");
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(yes));
}

err job_store_lease(struct ctx *c, const struct job_row *seen, struct instant now, struct instant next,
                    struct uuid token, struct instant until, bool *got)
{
    int64_t rows;

    TRY(db_exec(c, &rows,
                "UPDATE job SET next_fire_at = ?, last_fire_at = ?, lease_token = ?, lease_until = ? WHERE name = ? "
                "AND next_fire_at = ? AND enabled AND paused_at IS NULL AND (lease_until IS NULL OR lease_until < ?)",
                IN_OPT(next), IN(now), IN(token), IN(until), IN(seen->name), IN(seen->next_fire_at), IN(now)));
    *got = rows == 1;
    return ERR_OK;
}

err job_store_renew(struct ctx *c, const char *name, struct uuid token, struct instant until, bool *still)
{
    int64_t rows;

    TRY(db_exec(c, &rows, "UPDATE job SET lease_until = ? WHERE name = ? AND lease_token = ?", IN(until), IN(name),
                IN(token)));
    *still = rows == 1;
    return ERR_OK;
}

err job_store_unlease(struct ctx *c, const char *name, struct uuid token, struct instant at_once)
{
    return db_exec(c, NULL,
                   "UPDATE job SET lease_token = NULL, lease_until = NULL, next_fire_at = COALESCE(?, next_fire_at) "
                   "WHERE name = ? AND lease_token = ?",
                   IN_OPT(at_once), IN(name), IN(token));
}

err job_store_holds(struct ctx *c, const char *name, struct uuid token, bool *yes)
{
    scoped_cursor q = {0};
    int one;

    TRY(db_query(c, &q, "SELECT 1 FROM job WHERE name = ? AND lease_token = ? FOR UPDATE", IN(name), IN(token)));
    return db_row(&q, c, yes, OUT(&one));
}

/* ---- operators' changes */

err job_store_pause(struct ctx *c, const char *name, struct instant paused_at, const char *by, const char *reason,
                    struct instant next, struct instant now)
{
    return db_exec(c, NULL,
                   "UPDATE job SET paused_at = ?, paused_by = ?, pause_reason = ?, next_fire_at = ?, updated_at = ? "
                   "WHERE name = ?",
                   IN_OPT(paused_at), IN_OPT(by), IN_OPT(reason), IN_OPT(next), IN(now), IN(name));
}

err job_store_update(struct ctx *c, const struct job_row *r, struct instant now)
{
    return db_exec(c, NULL,
                   "UPDATE job SET schedule = ?, enabled = ?, catchup = ?, overlap = ?, time_box_s = ?, slice_box_s = ?, "
                   "params = ?, next_fire_at = ?, version = version + 1, updated_at = ? WHERE name = ?",
                   IN(r->schedule), IN(r->enabled), IN(enumx_name(&job_catchup_enumx, (int)r->catchup)),
                   IN(enumx_name(&job_overlap_enumx, (int)r->overlap)), IN(r->time_box_s), IN(r->slice_box_s),
                   IN(json_text(c->arena, r->params)), IN_OPT(r->next_fire_at), IN(now), IN(r->name));
}
