/* Exports and imports that were asked for: their rows, their files, and the work itself. */
#ifndef LOCI_TRANSFER_H
#define LOCI_TRANSFER_H

#include "import.h"
#include "page.h"

#define TRANSFER_DIRECTION(X) X(TRANSFER_EXPORT, "export") X(TRANSFER_IMPORT, "import")
ENUMX_DECLARE(transfer_direction, TRANSFER_DIRECTION);

#define TRANSFER_STATUS(X) \
    X(TRANSFER_WAITING, "waiting") X(TRANSFER_RUNNING, "running") X(TRANSFER_DONE, "done") X(TRANSFER_FAILED, "failed")
ENUMX_DECLARE(transfer_status, TRANSFER_STATUS);

#define TRANSFER_FILE_FORMAT(X) X(TRANSFER_LOCI, "loci") X(TRANSFER_VAULT, "vault")
ENUMX_DECLARE(transfer_format, TRANSFER_FILE_FORMAT);

#define TRANSFERS_WAITING 5 /* of an account at once; files take room */

struct transfer {
    struct uuid id;
    enum transfer_direction direction;
    enum transfer_format format;
    enum transfer_status status;
    bool with_vectors, with_audit; /* of an export; an import takes the audit trail from operators only */
    enum import_mode mode;         /* of an import */
    bool dry_run;
    int64_t bytes, lines, bad_line; /* bad_line 0: none */
    const struct json *report;
    const char *error, *actor_kind;
    struct uuid mark, actor_id;
    struct instant created_at, finished_at, expires_at; /* expires_at: the file goes then */
};

/* What callers may do; they have export.run, and for an import account.manage, which both cover the whole account. In the
 * transaction of the row the task is promised that does the work. */
err transfer_export(struct ctx *c, const struct transfer *in, struct transfer *out);
/* Takes a copy of the file at path. A vault is written by, and read for, the one who asked: what that one may. */
err transfer_import(struct ctx *c, const struct transfer *in, const char *path, struct transfer *out);
err transfer_get(struct ctx *c, enum transfer_direction d, struct uuid id, struct transfer *out);
err transfer_list(struct ctx *c, enum transfer_direction d, int64_t limit, const char *cursor, struct page *out);
/* The row and its file. One that is being worked on: ERR_CONFLICT. */
err transfer_remove(struct ctx *c, enum transfer_direction d, struct uuid id);
/* Of an export that is done: the file, open for reading and closed with the arena. */
err transfer_open(struct ctx *c, struct uuid id, enum transfer_format *format, int *fd);

struct transfer_turn {
    bool (*should_stop)(void *arg);
    void *arg;
};
/* Does what the row says. An error that may pass is returned, and the work goes on when it is called again; what can never be
 * is noted on the row. */
err transfer_work(struct ctx *c, struct uuid id, const struct transfer_turn *turn);
/* Noted on the row, inside the transaction that gives its task up. */
err transfer_gave_up(struct ctx *c, struct uuid id, const char *why);
/* Files and rows that are over (transfer.keep_days), at most limit of the caller's account. */
err transfer_expire(struct ctx *c, int64_t limit, int64_t *n);
err transfer_expired_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
