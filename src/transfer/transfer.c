/* Exports and imports that were asked for; see transfer.h. */
#include "transfer.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "access.h"
#include "app.h"
#include "audit.h"
#include "config.h"
#include "db.h"
#include "export.h"
#include "task.h"
#include "transfer_file.h"
#include "transfer_row_store.h"
#include "transfer_store.h"
#include "transfer_vault.h"

ENUMX_DEFINE(transfer_direction, TRANSFER_DIRECTION);
ENUMX_DEFINE(transfer_status, TRANSFER_STATUS);
ENUMX_DEFINE(transfer_format, TRANSFER_FILE_FORMAT);

static struct instant days_before(const struct ctx *c)
{
    return (struct instant){c->now.us - c->app->conf->transfer_keep_days * DAY_US};
}

static void add_end(const struct ctx *c, struct transfer *t)
{
    t->expires_at.us = t->created_at.us + c->app->conf->transfer_keep_days * DAY_US;
}

/* ---- asking for one */

static err transfer_note(struct ctx *c, const struct transfer *t, const char *kind)
{
    return audit_add(c, &(struct audit){.kind = kind, .subject_kind = "transfer", .subject_id = t->id});
}

static err transfer_start_body(struct ctx *c, void *arg)
{
    const struct transfer *t = arg;
    struct json *payload = json_obj(c->arena);
    int64_t open;

    TRY(transfer_row_store_open(c, &open));
    if (open >= TRANSFERS_WAITING)
        return fail(c, ERR_RATE, "%d exports and imports of this account are in progress; wait for one to finish", TRANSFERS_WAITING);
    TRY(transfer_row_store_insert(c, t));
    json_set_str(c->arena, payload, "id", arena_strdup(c->arena, UUID_STR(t->id)));
    TRY(task_enqueue(c, &(struct task_new){.kind = enumx_name(&transfer_direction_enumx, (int)t->direction), .payload = payload,
                                           .idem_key = arena_strdup(c->arena, UUID_STR(t->id)), .priority = TASK_ASKED_LONG}));
    return transfer_note(c, t, t->direction == TRANSFER_EXPORT ? "transfer.export" : "transfer.import");
}

static err transfer_start(struct ctx *c, struct transfer *t, struct transfer *out)
{
    t->actor_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind);
    t->actor_id = c->who->id;
    t->created_at = c->now;
    t->report = json_obj(c->arena);
    add_end(c, t);
    TRY(db_tx(c, transfer_start_body, t));
    *out = *t;
    return ERR_OK;
}

err transfer_export(struct ctx *c, const struct transfer *in, struct transfer *out)
{
    struct transfer t = *in;

    t.id = uuid_new(c->now.us);
    t.direction = TRANSFER_EXPORT;
    if (t.format == TRANSFER_VAULT)
        TRY(access_permit(c, PERM_CONTENT_READ));
    return transfer_start(c, &t, out);
}

err transfer_import(struct ctx *c, const struct transfer *in, const char *path, struct transfer *out)
{
    struct transfer t = *in;
    err e;

    TRY(access_permit(c, in->format == TRANSFER_VAULT ? PERM_CONTENT_WRITE : PERM_ACCOUNT_MANAGE));
    if (in->format == TRANSFER_VAULT && in->dry_run)
        return fail_field(c, "/dry_run", "a vault is imported, or not");
    t.id = uuid_new(c->now.us);
    t.direction = TRANSFER_IMPORT;
    t.with_audit = c->who->is_operator;
    TRY(transfer_file_take(c, t.id, path));
    e = transfer_start(c, &t, out);
    if (e != ERR_OK)
        transfer_file_remove(c, t.id);
    return e;
}

/* ---- looking, taking away */

err transfer_get(struct ctx *c, enum transfer_direction d, struct uuid id, struct transfer *out)
{
    bool found;

    TRY(transfer_row_store_get(c, id, &found, out));
    if (!found || out->direction != d)
        return fail(c, ERR_NOT_FOUND, "no such %s", enumx_name(&transfer_direction_enumx, (int)d));
    add_end(c, out);
    return ERR_OK;
}

err transfer_list(struct ctx *c, enum transfer_direction d, int64_t limit, const char *cursor, struct page *out)
{
    struct transfer *rows;
    struct uuid before;
    size_t n;

    TRY(page_begin(c, cursor, &before));
    TRY(transfer_row_store_list(c, d, before, limit, &rows, &n));
    for (size_t i = 0; i < n; i++)
        add_end(c, &rows[i]);
    PAGE_END(c, out, rows, n, limit, struct transfer, id);
    return ERR_OK;
}

static err remove_body(struct ctx *c, void *arg)
{
    const struct transfer *t = arg;
    int64_t n;

    TRY(transfer_row_store_delete(c, t->id, &n));
    if (!n)
        return fail(c, ERR_CONFLICT, "it is in progress");
    return transfer_note(c, t, "transfer.remove");
}

err transfer_remove(struct ctx *c, enum transfer_direction d, struct uuid id)
{
    struct transfer t;

    TRY(transfer_get(c, d, id, &t));
    TRY(db_tx(c, remove_body, &t));
    transfer_file_remove(c, id);
    return ERR_OK;
}

static void transfer_close_fd(void *fd)
{
    close((int)(intptr_t)fd);
}

static err download_body(struct ctx *c, void *arg)
{
    return transfer_note(c, arg, "transfer.download");
}

err transfer_open(struct ctx *c, struct uuid id, enum transfer_format *format, int *fd)
{
    struct transfer t;

    TRY(transfer_get(c, TRANSFER_EXPORT, id, &t));
    if (t.status != TRANSFER_DONE)
        return fail(c, ERR_NOT_FOUND, "the export is %s: it has no file", enumx_name(&transfer_status_enumx, (int)t.status));
    *format = t.format;
    *fd = open(transfer_file(c, id), O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return fail(c, ERR_UNAVAILABLE, "the file of this export is not on this host");
    arena_defer(c->arena, transfer_close_fd, (void *)(intptr_t)*fd);
    return db_tx(c, download_body, &t);
}

/* ---- the work */

static err export_work(struct ctx *c, struct transfer *t, const struct transfer_turn *turn)
{
    const struct export_what what = {t->with_vectors, t->with_audit};
    struct transfer_file f = {.should_stop = turn->should_stop, .stop_arg = turn->arg};
    struct uuid mark;

    TRY(transfer_store_mark(c, &mark));
    TRY(transfer_file_begin(c, t->id, uuid_eq(mark, t->mark), &f));
    TRY(transfer_row_store_running(c, t->id, mark));
    TRY(export_run(c, &what, &f.to));
    TRY(transfer_file_whole(c, &f));
    t->bytes = f.to.bytes;
    t->lines = f.to.lines;
    return ERR_OK;
}

static err import_work(struct ctx *c, struct transfer *t, const struct transfer_turn *turn)
{
    const struct import_how how = {.mode = t->mode, .dry_run = t->dry_run, .with_audit = t->with_audit,
                                   .should_stop = turn->should_stop, .stop_arg = turn->arg};
    struct import_done done;
    err e;

    TRY(transfer_row_store_running(c, t->id, (struct uuid){{0}}));
    e = import_run(c, transfer_file(c, t->id), &how, &done);
    t->lines = done.lines;
    t->bad_line = done.bad_line;
    if (e == ERR_OK)
        t->report = done.tables;
    return e;
}

static err transfer_do(struct ctx *c, struct transfer *t, const struct transfer_turn *turn)
{
    if (t->format == TRANSFER_VAULT)
        return t->direction == TRANSFER_EXPORT ? transfer_vault_export(c, t) : transfer_vault_import(c, t);
    return t->direction == TRANSFER_EXPORT ? export_work(c, t, turn) : import_work(c, t, turn);
}

/* Whether it may work out another time. */
static bool may_pass(err e)
{
    return e == ERR_UNAVAILABLE || e == ERR_DEADLINE || e == ERR_CONFLICT || e == ERR_INTERNAL || e == ERR_RATE;
}

err transfer_work(struct ctx *c, struct uuid id, const struct transfer_turn *turn)
{
    struct transfer t;
    bool found;
    err e;

    TRY(transfer_row_store_get(c, id, &found, &t));
    if (!found || t.status == TRANSFER_DONE)
        return ERR_OK;
    if (t.status == TRANSFER_FAILED && t.direction == TRANSFER_IMPORT) /* its file is removed */
        return fail(c, ERR_INVALID, "the file of a failed import is not kept; start a new import");
    e = transfer_do(c, &t, turn);
    if (may_pass(e))
        return e;
    t.status = e == ERR_OK ? TRANSFER_DONE : TRANSFER_FAILED;
    t.error = e == ERR_OK ? NULL : c->fault.message;
    if (e != ERR_OK)
        ctx_forgive(c);
    if (t.direction == TRANSFER_IMPORT || e != ERR_OK)
        transfer_file_remove(c, id);
    t.finished_at = clock_now();
    return transfer_row_store_finish(c, &t);
}

err transfer_gave_up(struct ctx *c, struct uuid id, const char *why)
{
    transfer_file_remove(c, id);
    return transfer_row_store_finish(c, &(struct transfer){.id = id, .status = TRANSFER_FAILED, .error = why, .finished_at = c->now});
}

/* ---- what is over */

err transfer_expire(struct ctx *c, int64_t limit, int64_t *n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, (size_t)limit);
    size_t found;
    int64_t gone;

    TRY(transfer_row_store_old(c, days_before(c), limit, ids, &found));
    for (size_t i = 0; i < found; i++) {
        transfer_file_remove(c, ids[i]);
        TRY(transfer_row_store_delete(c, ids[i], &gone));
    }
    *n = (int64_t)found;
    return ERR_OK;
}

err transfer_expired_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return transfer_row_store_due(c, days_before(c), above, ids, max, n);
}
