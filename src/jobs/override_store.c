/* What accounts changed of the timetable, which accounts a job concerns, and where it stands in each. */
#include <string.h>

#include "db.h"
#include "job_store.h"

#define OVERRIDES_MAX 256

static const struct json *override_store_parsed(struct ctx *c, const char *text)
{
    const char *why;
    struct json *j;

    return text && json_parse(c->arena, text, strlen(text), &j, &why) == JSON_OK ? j : json_obj(c->arena);
}

/* ---- overrides */

static err read_override(struct ctx *c, struct db_cursor *q, struct job_override *o, bool *found)
{
    const char *params = NULL;

    TRY(db_row(q, c, found, OUT(&o->job_name), OUT(&o->enabled), OUT(&params), OUT_OPT(&o->reason), OUT(&o->updated_by),
               OUT(&o->version), OUT(&o->updated_at)));
    o->params = override_store_parsed(c, params);
    return ERR_OK;
}

err override_store_get(struct ctx *c, const char *job_name, struct job_override *out)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
                 "SELECT job_name, enabled, params, reason, updated_by, version, updated_at FROM job_override "
                 "WHERE account_id = ? AND job_name = ?",
                 IN(c->account_id), IN(job_name)));
    TRY(read_override(c, &q, out, &found));
    if (!found)
        *out = (struct job_override){.job_name = job_name, .enabled = true, .params = json_obj(c->arena)};
    return ERR_OK;
}

err override_store_list(struct ctx *c, struct job_override **out, size_t *n)
{
    struct job_override *rows = ARENA_ARRAY(c->arena, struct job_override, OVERRIDES_MAX);
    scoped_cursor q = {0};
    bool found = true;
    size_t got = 0;

    TRY(db_query(c, &q,
                 "SELECT job_name, enabled, params, reason, updated_by, version, updated_at FROM job_override "
                 "WHERE account_id = ?",
                 IN(c->account_id)));
    while (got < OVERRIDES_MAX) {
        TRY(read_override(c, &q, &rows[got], &found));
        if (!found)
            break;
        got++;
    }
    *out = rows;
    *n = got;
    return ERR_OK;
}

err override_store_put(struct ctx *c, const struct job_override *o, struct instant now)
{
    const char *params = json_text(c->arena, o->params);
    int64_t rows;
    err e;

    if (o->version) {
        TRY(db_exec(c, &rows,
                    "UPDATE job_override SET enabled = ?, params = ?, reason = ?, updated_by = ?, version = version + 1, "
                    "updated_at = ? WHERE account_id = ? AND job_name = ? AND version = ?",
                    IN(o->enabled), IN(params), IN_OPT(o->reason), IN(o->updated_by), IN(now), IN(c->account_id),
                    IN(o->job_name), IN(o->version)));
        return rows ? ERR_OK : fail(c, ERR_CONFLICT, "it was changed by someone else meanwhile; read it again");
    }
    e = db_exec(c, NULL,
                "INSERT INTO job_override (account_id, job_name, enabled, params, reason, updated_by, updated_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                IN(c->account_id), IN(o->job_name), IN(o->enabled), IN(params), IN_OPT(o->reason), IN(o->updated_by),
                IN(now));
    return e;
}

/* ---- accounts */

err override_store_filter(struct ctx *c, const char *job_name, bool with_suspended, struct uuid *ids, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;

    if (*n == 0)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s,
            "SELECT a.id FROM account a LEFT JOIN job_override o ON o.account_id = a.id AND o.job_name = ? "
            "WHERE (a.status = 'active' OR ?) AND COALESCE(o.enabled, 1)",
            IN(job_name), IN(with_suspended));
    sql_add_in_uuids(&s, "a.id", ids, *n);
    sql_add(&s, " ORDER BY a.id");
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, ids, *n, n);
}

err override_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM account WHERE id > ? ORDER BY id LIMIT ?", IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

/* ---- where a job stands */

err state_store_get(struct ctx *c, struct uuid account_id, const char *job_name, struct job_state *out)
{
    scoped_cursor q = {0};
    const char *extra = NULL;
    bool found;

    *out = (struct job_state){0};
    TRY(db_query(c, &q, "SELECT position, watermark, extra FROM job_state WHERE account_id = ? AND job_name = ?",
                 IN(account_id), IN(job_name)));
    TRY(db_row(&q, c, &found, OUT_OPT(&out->cursor), OUT_OPT(&out->watermark), OUT(&extra)));
    out->extra = override_store_parsed(c, extra);
    return ERR_OK;
}

err state_store_put(struct ctx *c, struct uuid account_id, const char *job_name, const struct job_state *s,
                    struct instant now)
{
    return db_exec(c, NULL,
                   "INSERT INTO job_state (account_id, job_name, position, watermark, extra, updated_at) "
                   "VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE position = VALUES(position), "
                   "watermark = VALUES(watermark), extra = VALUES(extra), updated_at = VALUES(updated_at)",
                   IN(account_id), IN(job_name), IN_OPT(s->cursor), IN_OPT(s->watermark),
                   IN(s->extra ? json_text(c->arena, s->extra) : "{}"), IN(now));
}
