/* SQL of the rows of exports and imports; see transfer_row_store.h. */
#include "transfer_row_store.h"

#include <string.h>

#include "db.h"

#define COLUMNS \
    "id, direction, format, options, status, mark, bytes, line_count, report, error, bad_line, actor_kind, actor_id," \
    " created_at, finished_at"

static const char *options_text(struct ctx *c, const struct transfer *t)
{
    struct json *o = json_obj(c->arena);

    if (t->direction == TRANSFER_EXPORT) {
        json_set_bool(c->arena, o, "with_vectors", t->with_vectors);
        json_set_bool(c->arena, o, "with_audit", t->with_audit);
    } else {
        json_set_str(c->arena, o, "mode", enumx_name(&import_mode_enumx, (int)t->mode));
        json_set_bool(c->arena, o, "dry_run", t->dry_run);
        json_set_bool(c->arena, o, "with_audit", t->with_audit);
    }
    return json_text(c->arena, o);
}

static err read_enum(struct ctx *c, const struct enumx *e, const char *text, int *out)
{
    return text && enumx_parse(e, text, out) ? ERR_OK : fail(c, ERR_INTERNAL, "a transfer has %s '%s'", e->type, text ? text : "");
}

static err transfer_row_store_read_words(struct ctx *c, const char *direction, const char *format, const char *status, const struct json *options,
                                         struct transfer *t)
{
    const char *mode = json_get_str(options, "mode");
    int d, f, s, m = IMPORT_RESTORE;

    TRY(read_enum(c, &transfer_direction_enumx, direction, &d));
    TRY(read_enum(c, &transfer_format_enumx, format, &f));
    TRY(read_enum(c, &transfer_status_enumx, status, &s));
    if (mode)
        TRY(read_enum(c, &import_mode_enumx, mode, &m));
    t->direction = (enum transfer_direction)d;
    t->format = (enum transfer_format)f;
    t->status = (enum transfer_status)s;
    t->mode = (enum import_mode)m;
    t->with_vectors = json_get_bool(options, "with_vectors", false);
    t->with_audit = json_get_bool(options, "with_audit", false);
    t->dry_run = json_get_bool(options, "dry_run", false);
    return ERR_OK;
}

static err transfer_row_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct transfer *t)
{
    const char *direction, *format, *status, *options, *report, *why;
    struct json *tree;

    *t = (struct transfer){0};
    TRY(db_row(q, c, found, OUT(&t->id), OUT(&direction), OUT(&format), OUT(&options), OUT(&status), OUT_OPT(&t->mark),
               OUT(&t->bytes), OUT(&t->lines), OUT(&report), OUT_OPT(&t->error), OUT_OPT(&t->bad_line), OUT(&t->actor_kind),
               OUT_OPT(&t->actor_id), OUT(&t->created_at), OUT_OPT(&t->finished_at)));
    if (!*found)
        return ERR_OK;
    if (json_parse(c->arena, report, strlen(report), &tree, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "a transfer's report is no JSON: %s", why);
    t->report = tree;
    if (json_parse(c->arena, options, strlen(options), &tree, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "a transfer's options are no JSON: %s", why);
    return transfer_row_store_read_words(c, direction, format, status, tree, t);
}

err transfer_row_store_insert(struct ctx *c, const struct transfer *t)
{
    return db_exec(c, NULL,
        "INSERT INTO transfer (account_id, id, direction, format, options, status, bytes, actor_kind, actor_id, created_at)"
        " VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?, ?, ?)",
        IN(c->account_id), IN(t->id), IN(enumx_name(&transfer_direction_enumx, (int)t->direction)),
        IN(enumx_name(&transfer_format_enumx, (int)t->format)), IN(options_text(c, t)), IN(t->bytes), IN(t->actor_kind),
        IN_OPT(t->actor_id), IN(t->created_at));
}

err transfer_row_store_get(struct ctx *c, struct uuid id, bool *found, struct transfer *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM transfer WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return transfer_row_store_read_row(c, &q, found, out);
}

err transfer_row_store_list(struct ctx *c, enum transfer_direction d, struct uuid before, int64_t limit, struct transfer **rows, size_t *n)
{
    struct transfer *list = ARENA_ARRAY(c->arena, struct transfer, (size_t)limit + 1);
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
        "SELECT " COLUMNS " FROM transfer WHERE account_id = ? AND direction = ? AND id < ? ORDER BY id DESC LIMIT ?",
        IN(c->account_id), IN(enumx_name(&transfer_direction_enumx, (int)d)), IN(before), IN(limit + 1)));
    for (*n = 0; (int64_t)*n <= limit; ++*n) {
        TRY(transfer_row_store_read_row(c, &q, &found, &list[*n]));
        if (!found)
            break;
    }
    *rows = list;
    return ERR_OK;
}

err transfer_row_store_open(struct ctx *c, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM transfer WHERE account_id = ? AND status IN ('waiting','running')", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(n));
}

err transfer_row_store_running(struct ctx *c, struct uuid id, struct uuid mark)
{
    return db_exec(c, NULL, "UPDATE transfer SET status = 'running', error = NULL, finished_at = NULL, mark = ? WHERE account_id = ? AND id = ?",
                   IN_OPT(mark), IN(c->account_id), IN(id));
}

err transfer_row_store_finish(struct ctx *c, const struct transfer *t)
{
    return db_exec(c, NULL,
        "UPDATE transfer SET status = ?, bytes = ?, line_count = ?, report = ?, error = ?, bad_line = NULLIF(?, 0), finished_at = ?"
        " WHERE account_id = ? AND id = ? AND status IN ('waiting','running')",
        IN(enumx_name(&transfer_status_enumx, (int)t->status)), IN(t->bytes), IN(t->lines),
        IN(t->report ? json_text(c->arena, t->report) : "{}"), IN_OPT(t->error), IN(t->bad_line), IN(t->finished_at),
        IN(c->account_id), IN(t->id));
}

err transfer_row_store_delete(struct ctx *c, struct uuid id, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM transfer WHERE account_id = ? AND id = ? AND status <> 'running'", IN(c->account_id), IN(id));
}

err transfer_row_store_old(struct ctx *c, struct instant before, int64_t limit, struct uuid *ids, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM transfer WHERE account_id = ? AND id < ? AND status <> 'running' ORDER BY id LIMIT ?",
                 IN(c->account_id), IN(uuid_floor(before.us)), IN(limit)));
    return db_ids(c, &q, ids, (size_t)limit, n);
}

err transfer_row_store_due(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
        "SELECT account_id FROM transfer WHERE account_id > ? GROUP BY account_id HAVING MIN(id) < ? ORDER BY account_id LIMIT ?",
        IN(above), IN(uuid_floor(before.us)), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}
