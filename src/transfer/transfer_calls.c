/* Exports and imports of the whole account: asked for, looked at, taken away. */
#include "transfer_calls.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "transfer.h"

#define COUNT_MAX 9007199254740991
#define BYTES_MAX 1099511627776
#define MEDIA "application/x-ndjson"

struct transfer_id_in {
    struct uuid id;
};

static const struct field ID_IN[] = {
    F_UUID(struct transfer_id_in, id, FIELD_REQUIRED, "id of the export or import"),
    F_END
};

struct list_in {
    int64_t limit;
    const char *cursor;
};

static const struct field LIST_IN[] = {F_PAGE(struct list_in), F_END};

/* ---- exports */

static const struct field EXPORT_IN[] = {
    F_ENUM(struct transfer, format, FIELD_EITHER, transfer_format, TRANSFER_LOCI,
           "loci: everything, as lines; vault: pages and the files beside them that you can read, as a zip archive of Markdown"),
    F_BOOL(struct transfer, with_vectors, FIELD_EITHER, false, "include vectors; without them they are computed again after an import, "
                                                                "which takes time"),
    F_BOOL(struct transfer, with_audit, FIELD_EITHER, false, "include the audit trail and the access log of contexts"),
    F_END
};

static const struct field EXPORT_OUT[] = {
    F_UUID(struct transfer, id, 0, "the export"),
    F_ENUM(struct transfer, format, 0, transfer_format, TRANSFER_LOCI, "what the file is"),
    F_ENUM(struct transfer, status, 0, transfer_status, TRANSFER_WAITING, "status; done: it can be downloaded"),
    F_BOOL(struct transfer, with_vectors, 0, false, "whether it contains vectors"),
    F_BOOL(struct transfer, with_audit, 0, false, "whether it contains the audit trail"),
    F_INT(struct transfer, bytes, 0, 0, COUNT_MAX, 0, "size of the file; 0 until it is done"),
    F_INT(struct transfer, lines, 0, 0, COUNT_MAX, 0, "lines of the file"),
    F_STR(struct transfer, error, FIELD_NULLABLE, 0, 2000, "error message"),
    F_STR(struct transfer, actor_kind, 0, 0, 8, "kind of requester: user, agent or system"),
    F_UUID(struct transfer, actor_id, FIELD_NULLABLE, "id of the requester"),
    F_TIME(struct transfer, created_at, 0, "time of the request"),
    F_TIME(struct transfer, finished_at, FIELD_NULLABLE, "time when it was done or failed"),
    F_TIME(struct transfer, expires_at, 0, "time when it and its file are deleted"),
    F_END
};

static err export_download(struct ctx *c, const void *in, struct sink *out)
{
    char *piece = arena_alloc(c->arena, 65536);
    enum transfer_format format;
    ssize_t n;
    int fd;

    TRY(transfer_open(c, ((const struct transfer_id_in *)in)->id, &format, &fd));
    out->media = format == TRANSFER_VAULT ? "application/zip" : MEDIA;
    out->filename = arena_printf(c->arena, "%s-%s.%s", c->who->account_slug ? c->who->account_slug : "account",
                                 UUID_STR(((const struct transfer_id_in *)in)->id), format == TRANSFER_VAULT ? "zip" : "jsonl");
    while ((n = read(fd, piece, 65536)) > 0)
        TRY(out->write(out, piece, (size_t)n));
    return n < 0 ? fail(c, ERR_INTERNAL, "the file cannot be read: %s", strerror(errno)) : ERR_OK;
}

#define EXPORTS "/api/v1/exports"
#define TAG .tag = "transfers"

OP_CALL(EXPORT_CREATE, struct transfer, struct transfer, transfer_export(c, in, out),
        .name = "export.create", .method = "POST", .path = EXPORTS, TAG,
        .summary = "Exports the whole account to a file.",
        .help = "A job writes it as JSON Lines: a consistent snapshot of the account, each line with a checksum over all previous lines. It "
                "contains no secrets: no passwords, no tokens. The file is kept for transfer.keep_days.",
        .perm = PERM_EXPORT_RUN, .flags = OP_CREATES,
        OP_IN(EXPORT_IN, struct transfer), OP_OUT(EXPORT_OUT, struct transfer));

OP_CALL(EXPORT_LIST, struct list_in, struct page, transfer_list(c, TRANSFER_EXPORT, in->limit, in->cursor, out),
        .name = "export.list", .method = "GET", .path = EXPORTS, TAG, .summary = "Lists the exports of the account, newest first.",
        .perm = PERM_EXPORT_RUN, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct list_in), OP_OUT(EXPORT_OUT, struct transfer));

OP_CALL(EXPORT_GET, struct transfer_id_in, struct transfer, transfer_get(c, TRANSFER_EXPORT, in->id, out),
        .name = "export.get", .method = "GET", .path = EXPORTS "/:id", TAG, .summary = "Returns the status of an export.",
        .perm = PERM_EXPORT_RUN, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_IN(ID_IN, struct transfer_id_in), OP_OUT(EXPORT_OUT, struct transfer));

static const struct op EXPORT_DOWNLOAD = {
    .name = "export.download", .method = "GET", .path = EXPORTS "/:id/download", TAG, .summary = "Downloads the file of an export.",
    .perm = PERM_EXPORT_RUN, .flags = OP_READONLY | OP_IDEMPOTENT | OP_STREAM, .media = MEDIA " application/zip",
    OP_IN(ID_IN, struct transfer_id_in), .stream = export_download,
};

OP_CALL(EXPORT_REMOVE, struct transfer_id_in, void, transfer_remove(c, TRANSFER_EXPORT, in->id),
        .name = "export.remove", .method = "DELETE", .path = EXPORTS "/:id", TAG, .summary = "Deletes an export and its file.",
        .perm = PERM_EXPORT_RUN, .flags = OP_DESTRUCTIVE | OP_IDEMPOTENT | OP_NO_BODY,
        OP_IN(ID_IN, struct transfer_id_in));

/* ---- imports */

struct import_in {
    enum transfer_format format;
    enum import_mode mode;
    bool dry_run;
};

static const struct field IMPORT_IN[] = {
    F_ENUM(struct import_in, format, 0, transfer_format, TRANSFER_LOCI,
           "loci: an export of an account; vault: a zip archive of Markdown (Obsidian, Foam, Logseq), at most 64 MB, whose paths are kept"),
    F_ENUM(struct import_in, mode, 0, import_mode, IMPORT_RESTORE,
           "restore: into an account that has nothing but users, which becomes an exact copy; merge: existing records stay unchanged"),
    F_BOOL(struct import_in, dry_run, 0, false, "dry run: run the import, report, and roll it back"),
    F_END
};

static const struct field IMPORT_OUT[] = {
    F_UUID(struct transfer, id, 0, "the import"),
    F_ENUM(struct transfer, format, 0, transfer_format, TRANSFER_LOCI, "what the file is"),
    F_ENUM(struct transfer, status, 0, transfer_status, TRANSFER_WAITING, "status; failed: nothing was changed"),
    F_ENUM(struct transfer, mode, 0, import_mode, IMPORT_RESTORE, "mode of the import"),
    F_BOOL(struct transfer, dry_run, 0, false, "dry run"),
    F_INT(struct transfer, bytes, 0, 0, BYTES_MAX, 0, "size of the file"),
    F_INT(struct transfer, lines, 0, 0, COUNT_MAX, 0, "lines read"),
    F_OBJECT(struct transfer, report, 0, 65536, "per table: rows added and rows already present"),
    F_STR(struct transfer, error, FIELD_NULLABLE, 0, 2000, "error message"),
    F_INT(struct transfer, bad_line, 0, 0, COUNT_MAX, 0, "line of the error, from 1; 0: none"),
    F_STR(struct transfer, actor_kind, 0, 0, 8, "kind of requester: user, agent or system"),
    F_UUID(struct transfer, actor_id, FIELD_NULLABLE, "id of the requester"),
    F_TIME(struct transfer, created_at, 0, "time of the request"),
    F_TIME(struct transfer, finished_at, FIELD_NULLABLE, "time when it was done or failed"),
    F_TIME(struct transfer, expires_at, 0, "time when it is removed from this list"),
    F_END
};

static err transfer_call_import_create(struct ctx *c, const void *in, const struct upload *file, void *out)
{
    const struct import_in *i = in;

    return transfer_import(c, &(struct transfer){.format = i->format, .mode = i->mode, .dry_run = i->dry_run, .bytes = (int64_t)file->size},
                           file->path, out);
}

#define IMPORTS "/api/v1/imports"

static const struct op IMPORT_CREATE = {
    .name = "import.create", .method = "POST", .path = IMPORTS, TAG,
    .summary = "Imports an export into this account.",
    .help = "A job checks the whole file and then writes it in one transaction, all or nothing; an error names the first invalid line. Ids "
            "are kept. Existing users (by e-mail) and agents (by slug) are kept. Requires account.manage in addition to export.run. An audit "
            "trail in the file is accepted only from operators.",
    .perm = PERM_EXPORT_RUN, .flags = OP_CREATES | OP_UPLOAD, .media = MEDIA " application/octet-stream application/zip",
    OP_IN(IMPORT_IN, struct import_in), OP_OUT(IMPORT_OUT, struct transfer), .take = transfer_call_import_create,
};

OP_CALL(IMPORT_LIST, struct list_in, struct page, transfer_list(c, TRANSFER_IMPORT, in->limit, in->cursor, out),
        .name = "import.list", .method = "GET", .path = IMPORTS, TAG, .summary = "Lists the imports into the account, newest first.",
        .perm = PERM_EXPORT_RUN, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct list_in), OP_OUT(IMPORT_OUT, struct transfer));

OP_CALL(IMPORT_GET, struct transfer_id_in, struct transfer, transfer_get(c, TRANSFER_IMPORT, in->id, out),
        .name = "import.get", .method = "GET", .path = IMPORTS "/:id", TAG, .summary = "Returns the status and report of an import.",
        .perm = PERM_EXPORT_RUN, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_IN(ID_IN, struct transfer_id_in), OP_OUT(IMPORT_OUT, struct transfer));

const struct op *const transfer_calls_table[] = {&EXPORT_CREATE, &EXPORT_LIST, &EXPORT_GET, &EXPORT_DOWNLOAD, &EXPORT_REMOVE, &IMPORT_CREATE,
                                                 &IMPORT_LIST, &IMPORT_GET, NULL};
