/* Runs and slices, as they begin, work and end; see run_store.h. */
#include "run_store.h"

#include <string.h>

#include "app.h"
#include "run_row.h"

/* ---- rows */

const struct json *run_row_json(struct ctx *c, const char *text, enum json_type type)
{
    const char *why;
    struct json *j;

    if (text && json_parse(c->arena, text, strlen(text), &j, &why) == JSON_OK && j->type == type)
        return j;
    return json_new(c->arena, type);
}

const char *run_row_cut(struct ctx *c, const char *text, size_t max)
{
    size_t n = text ? strlen(text) : 0;
    char *out;

    if (!text)
        return NULL;
    if (n > max)
        for (n = max; n && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
            ;
    out = arena_strndup(c->arena, text, n);
    if (!str_is_utf8(out, n))
        for (char *p = out; *p; p++)
            if ((unsigned char)*p > 126)
                *p = '?';
    return out;
}

err run_row_read(struct ctx *c, struct db_cursor *q, struct run *r, bool *found)
{
    const char *trigger, *status, *counts, *notes, *params;
    int v;

    TRY(db_row(q, c, found, OUT(&r->id), OUT(&r->job_name), OUT_OPT(&r->account_id), OUT_OPT(&r->parent_id),
               OUT_OPT(&r->only_account), OUT(&trigger), OUT(&r->fire_at), OUT(&r->missed), OUT(&r->dry_run),
               OUT(&r->expanded), OUT(&r->cancelled), OUT_OPT(&params), OUT(&status), OUT(&r->scanned), OUT(&r->changed),
               OUT(&r->failed), OUT(&r->skipped), OUT(&counts), OUT(&notes), OUT(&r->progress_done),
               OUT(&r->progress_total), OUT_OPT(&r->error), OUT_OPT(&r->reason), OUT_OPT(&r->host), OUT_OPT(&r->version),
               OUT_OPT(&r->requested_by), OUT(&r->created_at), OUT_OPT(&r->started_at), OUT_OPT(&r->finished_at),
               OUT_OPT(&r->heartbeat_at)));
    if (!*found)
        return ERR_OK;
    if (!enumx_parse(&run_trigger_enumx, trigger, &v))
        return fail(c, ERR_INTERNAL, "'%s' is no trigger", trigger);
    r->trigger = (enum run_trigger)v;
    if (!enumx_parse(&run_status_enumx, status, &v))
        return fail(c, ERR_INTERNAL, "'%s' is no status of a run", status);
    r->status = (enum run_status)v;
    r->params = params ? run_row_json(c, params, JSON_OBJ) : NULL;
    r->counts = run_row_json(c, counts, JSON_OBJ);
    r->notes = run_row_json(c, notes, JSON_ARR);
    return ERR_OK;
}

/* ---- beginning */

err run_store_insert(struct ctx *c, const struct run *r, const char *guard, bool *made)
{
    err e = db_exec(
        c, NULL,
        "INSERT INTO job_run (id, job_name, account_id, parent_id, `trigger`, fire_at, missed, dry_run, only_account, "
        "params, status, expanded, guard, reason, requested_by, host, version, created_at, started_at, finished_at, "
        "heartbeat_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        IN(r->id), IN(r->job_name), IN_OPT(r->account_id), IN_OPT(r->parent_id),
        IN(enumx_name(&run_trigger_enumx, (int)r->trigger)), IN(r->fire_at), IN(r->missed), IN(r->dry_run),
        IN_OPT(r->only_account), r->params ? IN(json_text(c->arena, r->params)) : db_opt_text(NULL),
        IN(enumx_name(&run_status_enumx, (int)r->status)), IN(r->expanded), IN_OPT(guard), IN_OPT(r->reason),
        IN_OPT(run_row_cut(c, r->requested_by, 255)), IN_OPT(c->app->host), IN(LOCI_VERSION), IN(r->created_at),
        IN_OPT(r->started_at), IN_OPT(r->finished_at), IN_OPT(r->heartbeat_at));

    *made = e == ERR_OK;
    if (e == ERR_CONFLICT && db_was_duplicate(c)) {
        ctx_forgive(c);
        return ERR_OK;
    }
    return e;
}

err run_store_start(struct ctx *c, struct uuid id, const char *guard, struct instant now, bool *started)
{
    int64_t rows = 0;
    err e = db_exec(c, &rows,
                    "UPDATE job_run SET status = 'running', guard = ?, started_at = ?, heartbeat_at = ?, host = ?, "
                    "version = ? WHERE id = ? AND status = 'waiting'",
                    IN_OPT(guard), IN(now), IN(now), IN_OPT(c->app->host), IN(LOCI_VERSION), IN(id));

    *started = e == ERR_OK && rows == 1;
    if (e == ERR_CONFLICT && db_was_duplicate(c)) {
        ctx_forgive(c);
        return ERR_OK;
    }
    return e;
}

err run_store_add_slices(struct ctx *c, const struct run *parent, const struct uuid *accounts, const struct uuid *ids,
                         size_t n, struct instant now)
{
    struct sql s;

    if (n == 0)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT IGNORE INTO job_run (id, job_name, account_id, parent_id, `trigger`, fire_at, dry_run, "
                "requested_by, status, expanded, created_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 1, ?)", IN(ids[i]), IN(parent->job_name), IN(accounts[i]),
                IN(parent->id), IN(enumx_name(&run_trigger_enumx, (int)parent->trigger)), IN(parent->fire_at),
                IN(parent->dry_run), IN_OPT(parent->requested_by), IN(now));
    }
    return sql_exec(c, NULL, &s);
}

err run_store_last_account(struct ctx *c, struct uuid parent_id, struct uuid *out)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT account_id FROM job_run WHERE parent_id = ? ORDER BY account_id DESC LIMIT 1",
                 IN(parent_id)));
    TRY(db_row(&q, c, &found, OUT(out)));
    if (!found)
        *out = (struct uuid){0};
    return ERR_OK;
}

err run_store_expanded(struct ctx *c, struct uuid id, struct instant now)
{
    return db_exec(c, NULL, "UPDATE job_run SET expanded = 1, heartbeat_at = ? WHERE id = ?", IN(now), IN(id));
}

err run_store_hour(struct ctx *c, const struct run *r, struct uuid *id)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
                 "SELECT id FROM job_run WHERE job_name = ? AND fire_at = ? AND `trigger` = 'cron' AND top = 1",
                 IN(r->job_name), IN(r->fire_at)));
    TRY(db_row(&q, c, &found, OUT(id)));
    if (found)
        return ERR_OK;
    TRY(run_store_insert(c, r, NULL, &found));
    if (!found)
        return fail(c, ERR_CONFLICT, "another scheduler started this hour's run");
    *id = r->id;
    return ERR_OK;
}

/* ---- working */

err run_store_get(struct ctx *c, struct uuid id, struct run *out, bool *found)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " RUN_COLUMNS " FROM job_run r WHERE r.id = ?", IN(id)));
    return run_row_read(c, &q, out, found);
}

err run_store_begin_slice(struct ctx *c, struct uuid id, struct instant now)
{
    return db_exec(c, NULL,
                   "UPDATE job_run SET status = 'running', started_at = COALESCE(started_at, ?), heartbeat_at = ?, "
                   "host = ?, version = ?, scanned = IF(dry_run, 0, scanned), changed = IF(dry_run, 0, changed), "
                   "failed = IF(dry_run, 0, failed), skipped = IF(dry_run, 0, skipped), "
                   "counts = IF(dry_run, '{}', counts), "
                   "notes = IF(dry_run, '[]', notes) WHERE id = ? AND status IN ('waiting','running')",
                   IN(now), IN(now), IN_OPT(c->app->host), IN(LOCI_VERSION), IN(id));
}

/* Sums of two objects of integers. */
static const struct json *run_store_add_counts(struct ctx *c, const struct json *a, const struct json *b)
{
    struct json *sum = json_obj(c->arena);

    for (const struct json *m = a->first; m; m = m->next)
        json_set_int(c->arena, sum, m->key, m->i + json_get_int(b, m->key, 0));
    for (const struct json *m = b->first; m; m = m->next)
        if (!json_get(a, m->key))
            json_set_int(c->arena, sum, m->key, m->i);
    return sum;
}

static const struct json *add_notes(struct ctx *c, const struct json *a, const struct json *b)
{
    struct json *all = json_arr(c->arena);

    for (const struct json *m = a->first; m; m = m->next)
        json_push(all, arena_memdup(c->arena, m, sizeof *m));
    for (const struct json *m = b->first; m && all->len < LIMIT_NOTES; m = m->next)
        json_push(all, arena_memdup(c->arena, m, sizeof *m));
    return all;
}

err run_store_add(struct ctx *c, struct uuid id, const struct run_delta *d, struct instant now)
{
    const struct json *none = json_obj(c->arena), *counts = NULL, *notes = NULL;
    const char *counts_text, *notes_text;
    scoped_cursor q = {0};
    bool found;

    if ((d->counts && d->counts->len) || (d->notes && d->notes->len)) {
        TRY(db_query(c, &q, "SELECT counts, notes FROM job_run WHERE id = ? FOR UPDATE", IN(id)));
        TRY(db_row(&q, c, &found, OUT(&counts_text), OUT(&notes_text)));
        if (!found)
            return fail(c, ERR_NOT_FOUND, "the run no longer exists");
        counts = run_store_add_counts(c, run_row_json(c, counts_text, JSON_OBJ), d->counts ? d->counts : none);
        notes = add_notes(c, run_row_json(c, notes_text, JSON_ARR), d->notes ? d->notes : none);
    }
    return db_exec(c, NULL,
                   "UPDATE job_run SET scanned = scanned + ?, changed = changed + ?, failed = failed + ?, "
                   "skipped = skipped + ?, counts = COALESCE(?, counts), notes = COALESCE(?, notes), heartbeat_at = ? "
                   "WHERE id = ?",
                   IN(d->scanned), IN(d->changed), IN(d->failed), IN(d->skipped),
                   db_opt_text(counts ? json_text(c->arena, counts) : NULL),
                   db_opt_text(notes ? json_text(c->arena, notes) : NULL), IN(now), IN(id));
}

err run_store_end(struct ctx *c, struct uuid id, enum run_status status, const char *reason, const char *error,
                  struct instant now)
{
    return db_exec(c, NULL,
                   "UPDATE job_run SET status = ?, reason = ?, error = COALESCE(?, error), guard = NULL, "
                   "finished_at = ?, heartbeat_at = ? WHERE id = ? AND status IN ('waiting','running')",
                   IN(enumx_name(&run_status_enumx, (int)status)), IN_OPT(reason),
                   IN_OPT(run_row_cut(c, error, LIMIT_RUN_ERROR)), IN(now), IN(now), IN(id));
}

err run_store_let_go(struct ctx *c, struct uuid parent_id)
{
    return db_exec(c, NULL, "UPDATE job_run SET guard = NULL WHERE id = ?", IN(parent_id));
}

err run_store_worsen(struct ctx *c, struct uuid id, enum run_status status, const char *error, struct instant now)
{
    return db_exec(c, NULL,
                   "UPDATE job_run SET status = IF(status = 'failed' OR ? = 'failed', 'failed', "
                   "IF(status = 'partial' OR ? = 'partial', 'partial', 'succeeded')), error = COALESCE(?, error), "
                   "finished_at = ?, heartbeat_at = ? WHERE id = ?",
                   IN(enumx_name(&run_status_enumx, (int)status)), IN(enumx_name(&run_status_enumx, (int)status)),
                   IN_OPT(run_row_cut(c, error, LIMIT_RUN_ERROR)), IN(now), IN(now), IN(id));
}

err run_store_ask(struct ctx *c, struct uuid slice_id, struct run_questions *out)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
                 "SELECT s.cancelled OR p.cancelled, p.started_at FROM job_run s JOIN job_run p ON p.id = s.parent_id "
                 "WHERE s.id = ?",
                 IN(slice_id)));
    TRY(db_row(&q, c, &found, OUT(&out->cancelled), OUT_OPT(&out->run_started_at)));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "the slice no longer exists");
}

err run_store_cancel(struct ctx *c, struct uuid id, struct instant now)
{
    return db_exec(c, NULL,
                   "UPDATE job_run SET cancelled = 1, reason = 'cancelled', guard = IF(status = 'waiting', NULL, guard), "
                   "finished_at = IF(status = 'waiting', ?, finished_at), status = IF(status = 'waiting', 'cancelled', "
                   "status) WHERE id = ? AND status IN ('waiting','running')",
                   IN(now), IN(id));
}

err run_store_cancel_idle_slices(struct ctx *c, struct uuid id, struct instant now)
{
    TRY(db_exec(c, NULL,
                "UPDATE job_run s SET s.cancelled = 1, s.status = 'cancelled', s.reason = 'cancelled', s.finished_at = ? "
                "WHERE s.id = ? AND s.parent_id IS NOT NULL AND s.status IN ('waiting','running') "
                "AND NOT EXISTS (SELECT 1 FROM task t WHERE t.run_id = s.id AND t.status = 'running')",
                IN(now), IN(id)));
    return db_exec(c, NULL,
                   "UPDATE job_run s SET s.cancelled = 1, s.status = 'cancelled', s.reason = 'cancelled', "
                   "s.finished_at = ? WHERE s.parent_id = ? AND s.status IN ('waiting','running') "
                   "AND NOT EXISTS (SELECT 1 FROM task t WHERE t.run_id = s.id AND t.status = 'running')",
                   IN(now), IN(id));
}
