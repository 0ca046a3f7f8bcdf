/* The operations on snapshots of a context. */
#include "context_calls.h"
#include "context_snapshot.h"
#include "memory_calls.h"

#define SNAPSHOTS_PATH CONTEXTS_PATH "/:id/snapshots"

static const struct field SNAPSHOT_OUT[] = {
    F_UUID(struct context_snapshot, id, 0, "id of the snapshot"),
    F_UUID(struct context_snapshot, context_id, 0, "context"),
    F_STR(struct context_snapshot, name, 0, 0, LIMIT_NAME, "display name"),
    F_BOOL(struct context_snapshot, is_automatic, 0, false, "created automatically before a restore; the newest 5 are kept"),
    F_INT(struct context_snapshot, entry_count, 0, 0, SNAPSHOT_ENTRIES, 0, "number of entries"),
    F_STR(struct context_snapshot, data_hash, 0, 0, 64, "SHA-256 over keys and contents"),
    F_STR(struct context_snapshot, author_kind, 0, 0, 8, "user, agent or system"),
    F_UUID(struct context_snapshot, author_id, FIELD_NULLABLE, "id of the creator"),
    F_TIME(struct context_snapshot, created_at, 0, "when it was created"),
    F_END
};

struct snapshot_in {
    const char *id, *name, *cursor;
    struct uuid sid;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    F_CONTEXT(struct snapshot_in),
    F_PAGE(struct snapshot_in),
    F_END
};

OP_CALL(CONTEXT_SNAPSHOT_LIST, struct snapshot_in, struct page, context_snapshot_list(c, in->id, in->limit, in->cursor, out),
        .name = "context_snapshot.list", .method = "GET", .path = SNAPSHOTS_PATH, CONTEXT_TAG,
        .summary = "Lists the snapshots of a context, newest first.",
        .perm = PERM_CONTEXT_UPDATE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct snapshot_in), OP_OUT(SNAPSHOT_OUT, struct context_snapshot));

static const struct field CREATE_IN[] = {
    F_CONTEXT(struct snapshot_in),
    F_STR(struct snapshot_in, name, FIELD_REQUIRED, 1, LIMIT_NAME, "display name"),
    F_END
};

OP_CALL(CONTEXT_SNAPSHOT_CREATE, struct snapshot_in, struct context_snapshot, context_snapshot_create(c, in->id, in->name, out),
        .name = "context_snapshot.create", .method = "POST", .path = SNAPSHOTS_PATH, CONTEXT_TAG,
        .summary = "Creates a snapshot of a context.",
        .help = "Stores references to versions, no copies. At most 20 per context, with at most 100000 entries.",
        .perm = PERM_CONTEXT_UPDATE, .flags = OP_CREATES,
        OP_IN(CREATE_IN, struct snapshot_in), OP_OUT(SNAPSHOT_OUT, struct context_snapshot));

static const struct field ONE_IN[] = {
    F_CONTEXT(struct snapshot_in),
    F_UUID(struct snapshot_in, sid, FIELD_REQUIRED, "id of the snapshot"),
    F_END
};

static const struct field RESTORED_OUT[] = {
    F_INT(struct context_restored, restored, 0, 0, CONTEXT_COUNT_MAX, 0, "entries reset to the content of the snapshot"),
    F_INT(struct context_restored, revived, 0, 0, CONTEXT_COUNT_MAX, 0, "of these: entries that had been archived or forgotten"),
    F_INT(struct context_restored, archived, 0, 0, CONTEXT_COUNT_MAX, 0, "newer entries that were archived"),
    F_INT(struct context_restored, unchanged, 0, 0, CONTEXT_COUNT_MAX, 0, "entries that were unchanged"),
    F_INT(struct context_restored, missing_erased, 0, 0, CONTEXT_COUNT_MAX, 0, "entries whose content no longer exists"),
    F_UUID(struct context_restored, safety_snapshot_id, 0, "id of the snapshot taken before the restore"),
    F_BOOL(struct context_restored, complete, 0, true, "false: timeout; repeat the call within a minute to continue"),
    F_END
};

OP_CALL(CONTEXT_SNAPSHOT_RESTORE, struct snapshot_in, struct context_restored, context_snapshot_restore(c, in->id, in->sid, out),
        .name = "context_snapshot.restore", .method = "POST", .path = SNAPSHOTS_PATH "/:sid/restore", CONTEXT_TAG,
        .summary = "Restores a context to a snapshot.",
        .help = "Old content comes back as new versions, missing entries are restored and newer ones archived. A snapshot named before-restore "
                "is created first. Up to 100 entries and 2 MiB are restored all or nothing; more in portions, during which writes to the context "
                "get 503.",
        .perm = PERM_CONTEXT_UPDATE, .flags = OP_PORTIONS,
        OP_IN(ONE_IN, struct snapshot_in), OP_OUT(RESTORED_OUT, struct context_restored));

OP_CALL(CONTEXT_SNAPSHOT_DELETE, struct snapshot_in, void, context_snapshot_delete(c, in->id, in->sid),
        .name = "context_snapshot.delete", .method = "DELETE", .path = SNAPSHOTS_PATH "/:sid", CONTEXT_TAG,
        .summary = "Deletes a snapshot; the entries stay.", .perm = PERM_CONTEXT_UPDATE, .flags = OP_DESTRUCTIVE | OP_NO_BODY,
        OP_IN(ONE_IN, struct snapshot_in));

const struct op *const context_snapshot_calls_table[] = {&CONTEXT_SNAPSHOT_LIST, &CONTEXT_SNAPSHOT_CREATE, &CONTEXT_SNAPSHOT_RESTORE,
                                                         &CONTEXT_SNAPSHOT_DELETE, NULL};
