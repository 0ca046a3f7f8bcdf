/* The operations on snapshots of a pool. */
#include "memory_calls.h"
#include "pool_snapshot.h"

#define TAG .tag = "pools"
#define PATH "/api/v1/ai/memory_pools/:pool_id/snapshots"
#define COUNT_MAX 9e15
#define F_POOL(s) F_STR(s, pool_id, FIELD_REQUIRED, 1, 150, "pool_id or UUID of the pool")

static const struct field SNAPSHOT_OUT[] = {
    F_UUID(struct pool_snapshot, id, 0, "id of the snapshot"),
    F_UUID(struct pool_snapshot, pool_id, 0, "UUID of the pool"),
    F_STR(struct pool_snapshot, name, 0, 0, LIMIT_NAME, "display name"),
    F_BOOL(struct pool_snapshot, is_automatic, 0, false, "created automatically before a restore; the newest 5 are kept"),
    F_INT(struct pool_snapshot, pool_version, 0, 1, COUNT_MAX, 1, "version of the pool"),
    F_INT(struct pool_snapshot, key_count, 0, 0, COUNT_MAX, 0, "number of keys"),
    F_INT(struct pool_snapshot, data_size_bytes, 0, 0, COUNT_MAX, 0, "bytes of keys and values"),
    F_STR(struct pool_snapshot, data_hash, 0, 0, 64, "SHA-256 over keys and values"),
    F_STR(struct pool_snapshot, author_kind, 0, 0, 8, "user, agent or system"),
    F_UUID(struct pool_snapshot, author_id, FIELD_NULLABLE, "id of the creator"),
    F_TIME(struct pool_snapshot, created_at, 0, "when it was created"),
    F_END
};

struct snapshot_in {
    const char *pool_id, *name, *cursor;
    struct uuid sid;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    F_POOL(struct snapshot_in),
    F_PAGE(struct snapshot_in),
    F_END
};

OP_CALL(POOL_SNAPSHOT_LIST, struct snapshot_in, struct page, pool_snapshot_list(c, in->pool_id, in->limit, in->cursor, out),
        .name = "pool_snapshot.list", .method = "GET", .path = PATH, TAG,
        .summary = "Lists the snapshots of a pool, newest first.", .help = "Requires the level manage.",
        .perm = PERM_POOLS_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct snapshot_in), OP_OUT(SNAPSHOT_OUT, struct pool_snapshot));

static const struct field CREATE_IN[] = {
    F_POOL(struct snapshot_in),
    F_STR(struct snapshot_in, name, FIELD_REQUIRED, 1, LIMIT_NAME, "display name"),
    F_END
};

OP_CALL(POOL_SNAPSHOT_CREATE, struct snapshot_in, struct pool_snapshot, pool_snapshot_create(c, in->pool_id, in->name, out),
        .name = "pool_snapshot.create", .method = "POST", .path = PATH, TAG,
        .summary = "Creates a snapshot of a pool.", .help = "Stores a full copy. At most 20 per pool. Requires the level manage.",
        .perm = PERM_POOLS_MANAGE, .flags = OP_CREATES,
        OP_IN(CREATE_IN, struct snapshot_in), OP_OUT(SNAPSHOT_OUT, struct pool_snapshot));

static const struct field ONE_IN[] = {
    F_POOL(struct snapshot_in),
    F_UUID(struct snapshot_in, sid, FIELD_REQUIRED, "id of the snapshot"),
    F_END
};

static const struct field RESTORED_OUT[] = {
    F_INT(struct pool_restored, written, 0, 0, COUNT_MAX, 0, "keys reset to the value of the snapshot"),
    F_INT(struct pool_restored, removed, 0, 0, COUNT_MAX, 0, "newer entries that were archived"),
    F_INT(struct pool_restored, unchanged, 0, 0, COUNT_MAX, 0, "entries that were unchanged"),
    F_INT(struct pool_restored, expired, 0, 0, COUNT_MAX, 0, "keys not restored because they have expired meanwhile"),
    F_INT(struct pool_restored, version, 0, 1, COUNT_MAX, 1, "new version of the pool"),
    F_UUID(struct pool_restored, safety_snapshot_id, 0, "id of the snapshot taken before the restore"),
    F_END
};

OP_CALL(POOL_SNAPSHOT_RESTORE, struct snapshot_in, struct pool_restored, pool_snapshot_restore(c, in->pool_id, in->sid, out),
        .name = "pool_snapshot.restore", .method = "POST", .path = PATH "/:sid/restore", TAG,
        .summary = "Restores a pool to a snapshot, all or nothing.",
        .help = "Increases the version by one; newer keys are deleted. A snapshot named before-restore is created first. Requires the level manage.",
        .perm = PERM_POOLS_MANAGE, .flags = 0,
        OP_IN(ONE_IN, struct snapshot_in), OP_OUT(RESTORED_OUT, struct pool_restored));

OP_CALL(POOL_SNAPSHOT_DELETE, struct snapshot_in, void, pool_snapshot_delete(c, in->pool_id, in->sid),
        .name = "pool_snapshot.delete", .method = "DELETE", .path = PATH "/:sid", TAG,
        .summary = "Deletes a snapshot; the pool is unchanged.", .perm = PERM_POOLS_MANAGE, .flags = OP_DESTRUCTIVE | OP_NO_BODY,
        OP_IN(ONE_IN, struct snapshot_in));

const struct op *const pool_snapshot_calls_table[] = { &POOL_SNAPSHOT_LIST, &POOL_SNAPSHOT_CREATE, &POOL_SNAPSHOT_RESTORE, &POOL_SNAPSHOT_DELETE,
                                                       NULL };
