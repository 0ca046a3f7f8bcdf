/* Sums over slices, and the end of history; see fold_store.h. */
#include "fold_store.h"

#include "run_row.h"

err fold_store_next(struct ctx *c, struct instant folded_before, struct run *out, bool *found)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT " RUN_COLUMNS " FROM job_run r WHERE r.top = 1 AND r.status = 'running' "
                 "AND (r.folded_at IS NULL OR r.folded_at <= ?) ORDER BY r.folded_at LIMIT 1 FOR UPDATE SKIP LOCKED",
                 IN(folded_before)));
    return run_row_read(c, &q, out, found);
}

err fold_store_sums(struct ctx *c, struct uuid parent_id, struct fold_sums *s)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
                 "SELECT COUNT(*), COUNT(IF(status IN ('waiting','running'), NULL, 1)), "
                 "COUNT(IF(status = 'succeeded', 1, NULL)), COUNT(IF(status IN ('failed','lost'), 1, NULL)), "
                 "COUNT(IF(status = 'partial', 1, NULL)), COUNT(IF(status = 'cancelled', 1, NULL)), "
                 "COALESCE(SUM(scanned), 0), COALESCE(SUM(changed), 0), COALESCE(SUM(failed), 0), "
                 "COALESCE(SUM(skipped), 0), MIN(error), MIN(reason), MAX(finished_at) FROM job_run WHERE parent_id = ?",
                 IN(parent_id)));
    return db_row(&q, c, &found, OUT(&s->slices), OUT(&s->ended), OUT(&s->succeeded), OUT(&s->failed), OUT(&s->partial),
                  OUT(&s->cancelled), OUT(&s->rows_scanned), OUT(&s->rows_changed), OUT(&s->rows_failed),
                  OUT(&s->rows_skipped), OUT_OPT(&s->error), OUT_OPT(&s->reason), OUT_OPT(&s->last_end));
}

static void add_named(struct ctx *c, struct json *sum, const struct json *counts)
{
    for (const struct json *m = counts->first; m; m = m->next) {
        struct json *old = json_get(sum, m->key);

        if (old)
            *old = (struct json){.type = JSON_INT, .i = old->i + m->i, .key = old->key,
                                 .next = old->next};
        else
            json_set_int(c->arena, sum, m->key, m->i);
    }
}

err fold_store_named(struct ctx *c, struct uuid parent_id, struct json **counts, struct json **notes)
{
    scoped_cursor q = {0};
    bool found = true;

    *counts = json_obj(c->arena);
    *notes = json_arr(c->arena);
    TRY(db_query(c, &q,
                 "SELECT counts, notes FROM job_run WHERE parent_id = ? AND (counts <> '{}' OR notes <> '[]')",
                 IN(parent_id)));
    for (;;) {
        const char *counts_text, *notes_text;

        TRY(db_row(&q, c, &found, OUT(&counts_text), OUT(&notes_text)));
        if (!found)
            return ERR_OK;
        add_named(c, *counts, run_row_json(c, counts_text, JSON_OBJ));
        if ((*notes)->len >= LIMIT_NOTES)
            continue;
        for (const struct json *m = run_row_json(c, notes_text, JSON_ARR)->first; m && (*notes)->len < LIMIT_NOTES;
             m = m->next)
            json_push(*notes, arena_memdup(c->arena, m, sizeof *m));
    }
}

err fold_store_save(struct ctx *c, struct uuid id, const struct fold_sums *s, const struct json *counts,
                    const struct json *notes, struct instant heartbeat, struct instant now)
{
    return db_exec(c, NULL,
                   "UPDATE job_run SET scanned = ?, changed = ?, failed = ?, skipped = ?, progress_done = ?, "
                   "progress_total = ?, counts = COALESCE(?, counts), notes = COALESCE(?, notes), "
                   "heartbeat_at = COALESCE(?, heartbeat_at), folded_at = ? WHERE id = ?",
                   IN(s->rows_scanned), IN(s->rows_changed), IN(s->rows_failed), IN(s->rows_skipped),
                   IN(s->ended), IN(s->slices), db_opt_text(counts ? json_text(c->arena, counts) : NULL),
                   db_opt_text(notes ? json_text(c->arena, notes) : NULL), IN_OPT(heartbeat), IN(now), IN(id));
}

err fold_store_lose_slices(struct ctx *c, struct uuid parent_id, struct instant now)
{
    return db_exec(c, NULL,
                   "UPDATE job_run SET status = 'lost', finished_at = ? WHERE parent_id = ? "
                   "AND status IN ('waiting','running')",
                   IN(now), IN(parent_id));
}

err fold_store_drop_empty(struct ctx *c, struct uuid parent_id, int64_t *n)
{
    return db_exec(c, n,
                   "DELETE FROM job_run WHERE parent_id = ? AND status = 'succeeded' AND scanned = 0 AND changed = 0 "
                   "AND failed = 0 AND skipped = 0 AND counts = '{}' LIMIT 5000",
                   IN(parent_id));
}

/* ---- history */

/* Slices first: a run is only deleted when none of its slices is left, so that what is cut off is done next time. */
err fold_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n)
{
    int64_t slices = 0, runs = 0;

    TRY(db_exec(c, &slices,
                "DELETE s FROM job_run s JOIN (SELECT x.id FROM job_run p JOIN job_run x ON x.parent_id = p.id "
                "WHERE p.top = 1 AND p.status NOT IN ('waiting','running') AND p.fire_at < ? LIMIT ?) d ON d.id = s.id",
                IN(before), IN(limit)));
    if (slices < limit)
        TRY(db_exec(c, &runs,
                    "DELETE FROM job_run WHERE top = 1 AND status NOT IN ('waiting','running') AND fire_at < ? LIMIT ?",
                    IN(before), IN(limit - slices)));
    *n = slices + runs;
    return ERR_OK;
}

err fold_store_empty_runs(struct ctx *c, const char *job_name, struct instant after, struct instant before,
                          struct empty_run *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    size_t got = 0;
    bool found = true;

    TRY(db_query(c, &q,
                 "SELECT id, fire_at FROM job_run WHERE job_name = ? AND fire_at > ? AND fire_at < ? AND top = 1 "
                 "AND status IN ('succeeded','skipped') AND scanned = 0 AND changed = 0 AND failed = 0 "
                 "ORDER BY fire_at LIMIT ?",
                 IN(job_name), IN(after), IN(before), IN((int64_t)max)));
    while (got < max) {
        TRY(db_row(&q, c, &found, OUT(&rows[got].id), OUT(&rows[got].fire_at)));
        if (!found)
            break;
        got++;
    }
    *n = got;
    return ERR_OK;
}

err fold_store_delete(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    if (n == 0)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM job_run WHERE 1");
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}
