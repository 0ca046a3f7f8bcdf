/* The operations on snapshots of a context. */
#include "context_calls.h"
#include "context_snapshot.h"
#include "memory_calls.h"

#define SNAPSHOTS_PATH CONTEXTS_PATH "/:id/snapshots"

static const struct field SNAPSHOT_OUT[] = {
    F_UUID(struct context_snapshot, id, 0, "id of the snapshot"),
    F_UUID(struct context_snapshot, context_id, 0, "the context"),
    F_STR(struct context_snapshot, name, 0, 0, LIMIT_NAME, "name for people"),
    F_BOOL(struct context_snapshot, is_automatic, 0, false, "taken before a restore; the newest 5 are kept"),
    F_INT(struct context_snapshot, entry_count, 0, 0, SNAPSHOT_ENTRIES, 0, "entries in it"),
    F_STR(struct context_snapshot, data_hash, 0, 0, 64, "SHA-256 over keys and contents"),
    F_STR(struct context_snapshot, author_kind, 0, 0, 8, "user, agent or system"),
    F_UUID(struct context_snapshot, author_id, FIELD_NULLABLE, "who took it"),
    F_TIME(struct context_snapshot, created_at, 0, "when it was taken"),
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

static err list(struct ctx *c, const void *in, void *out)
{
    const struct snapshot_in *i = in;

    return context_snapshot_list(c, i->id, i->limit, i->cursor, out);
}

static const struct op LIST = {
    .name = "context_snapshot.list", .method = "GET", .path = SNAPSHOTS_PATH, CONTEXT_TAG,
    .summary = "List the snapshots of a context, newest first.",
    .perm = PERM_CONTEXT_UPDATE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct snapshot_in), OP_OUT(SNAPSHOT_OUT, struct context_snapshot), .run = list,
};

static const struct field CREATE_IN[] = {
    F_CONTEXT(struct snapshot_in),
    F_STR(struct snapshot_in, name, FIELD_REQUIRED, 1, LIMIT_NAME, "name for people"),
    F_END
};

static err create(struct ctx *c, const void *in, void *out)
{
    const struct snapshot_in *i = in;

    return context_snapshot_create(c, i->id, i->name, out);
}

static const struct op CREATE = {
    .name = "context_snapshot.create", .method = "POST", .path = SNAPSHOTS_PATH, CONTEXT_TAG,
    .summary = "Keep what a context holds now.",
    .help = "By reference to versions: nothing is copied. At most 20 of a context, of at most 100000 entries.",
    .perm = PERM_CONTEXT_UPDATE, .flags = OP_CREATES,
    OP_IN(CREATE_IN, struct snapshot_in), OP_OUT(SNAPSHOT_OUT, struct context_snapshot), .run = create,
};

static const struct field ONE_IN[] = {
    F_CONTEXT(struct snapshot_in),
    F_UUID(struct snapshot_in, sid, FIELD_REQUIRED, "id of the snapshot"),
    F_END
};

static const struct field RESTORED_OUT[] = {
    F_INT(struct context_restored, restored, 0, 0, CONTEXT_COUNT_MAX, 0, "entries that say again what they said then"),
    F_INT(struct context_restored, revived, 0, 0, CONTEXT_COUNT_MAX, 0, "that had been archived or forgotten"),
    F_INT(struct context_restored, archived, 0, 0, CONTEXT_COUNT_MAX, 0, "that came later"),
    F_INT(struct context_restored, unchanged, 0, 0, CONTEXT_COUNT_MAX, 0, "that said it all the time"),
    F_INT(struct context_restored, missing_erased, 0, 0, CONTEXT_COUNT_MAX, 0, "whose content is there no more"),
    F_UUID(struct context_restored, safety_snapshot_id, 0, "snapshot of what was there just before"),
    F_BOOL(struct context_restored, complete, 0, true, "false: the request's time was over first; the same call within a minute goes on"),
    F_END
};

static err restore(struct ctx *c, const void *in, void *out)
{
    const struct snapshot_in *i = in;

    return context_snapshot_restore(c, i->id, i->sid, out);
}

static const struct op RESTORE = {
    .name = "context_snapshot.restore", .method = "POST", .path = SNAPSHOTS_PATH "/:sid/restore", CONTEXT_TAG,
    .summary = "Make a context hold again what it held then.",
    .help = "Old contents come back as new versions, missing entries are revived, later ones archived. A snapshot named before-restore is "
            "taken first. Up to 100 entries and 2 MiB are restored all or nothing; more in portions, and writes to the context answer 503 "
            "until the last one is done.",
    .perm = PERM_CONTEXT_UPDATE, .flags = OP_PORTIONS,
    OP_IN(ONE_IN, struct snapshot_in), OP_OUT(RESTORED_OUT, struct context_restored), .run = restore,
};

static err delete(struct ctx *c, const void *in, void *out)
{
    const struct snapshot_in *i = in;

    (void)out;
    return context_snapshot_delete(c, i->id, i->sid);
}

static const struct op DELETE = {
    .name = "context_snapshot.delete", .method = "DELETE", .path = SNAPSHOTS_PATH "/:sid", CONTEXT_TAG,
    .summary = "Delete a snapshot; the entries stay.", .perm = PERM_CONTEXT_UPDATE, .flags = OP_DESTRUCTIVE | OP_NO_BODY,
    OP_IN(ONE_IN, struct snapshot_in), .run = delete,
};

const struct op *const context_snapshot_calls_table[] = {&LIST, &CREATE, &RESTORE, &DELETE, NULL};
