/* Snapshots of pools: the document as it was at an instant, and bringing it back. */
#ifndef LOCI_POOL_SNAPSHOT_H
#define LOCI_POOL_SNAPSHOT_H

#include "ctx.h"
#include "page.h"
#include "restore_change.h"

#define POOL_SNAPSHOTS 20          /* of a pool, taken by somebody */
#define POOL_SNAPSHOTS_AUTOMATIC 5 /* taken before a restore: the newest are kept */

struct pool_snapshot {
    struct uuid id, pool_id;
    const char *name;
    bool is_automatic;
    int64_t pool_version, key_count, data_size_bytes;
    const char *data_hash; /* hex; equal documents have equal hashes */
    const char *author_kind;
    struct uuid author_id;
    struct instant created_at;
};

struct pool_restored {
    int64_t written; /* keys that say again what they said then */
    int64_t removed; /* that came later */
    int64_t unchanged;
    int64_t expired;                /* whose time is over meanwhile: they do not come back */
    int64_t version;                /* of the pool now */
    struct uuid safety_snapshot_id; /* what was there just before */
};

/* What a key said when a snapshot was taken. */
struct pool_kept {
    struct uuid snapshot_id;
    const char *snapshot; /* its name */
    const struct json *value;
    struct instant created_at;
};

/* Each needs the level manage. */
err pool_snapshot_create(struct ctx *c, const char *ref, const char *name, struct pool_snapshot *out);
err pool_snapshot_list(struct ctx *c, const char *ref, int64_t limit, const char *cursor, struct page *out);
err pool_snapshot_delete(struct ctx *c, const char *ref, struct uuid id);
/* What a restore would do, and the keys that differ (struct restore_change) in their order; changes nothing. */
err pool_snapshot_compare(struct ctx *c, const char *ref, struct uuid id, int64_t limit, const char *cursor, struct pool_snapshot *out,
                          struct restore_counts *counts, struct page *rows);
/* What the key said in each that holds it, newest first. */
err pool_snapshot_values(struct ctx *c, const char *ref, const char *key, struct pool_kept **rows, size_t *n);
/* One transaction, one version of the pool more; its news tell of every key. */
err pool_snapshot_restore(struct ctx *c, const char *ref, struct uuid id, struct pool_restored *out);

#endif
