/* The rows of snapshots; only their service includes this. */
#ifndef LOCI_CONTEXT_SNAPSHOT_STORE_H
#define LOCI_CONTEXT_SNAPSHOT_STORE_H

#include "context_snapshot.h"
#include "entry_store.h"

/* Which entry of a snapshot differs from what the context holds now. */
struct snapshot_difference {
    struct uuid node_id; /* the entry's node then */
    int64_t version;
    const char *entry_key;
    bool is_erased;     /* that content is there no more */
    int64_t size_bytes; /* of it */
};

/* The row, and a reference to each live entry of the context. */
err context_snapshot_store_take(struct ctx *c, const struct context_snapshot *s, const struct json *context_data, struct bytes hash);
/* Keys and hashes of the live entries as one hash. */
err context_snapshot_store_hash(struct ctx *c, struct uuid space_id, struct bytes *hash, int64_t *n);
err context_snapshot_store_count(struct ctx *c, struct uuid space_id, int64_t *n);
err context_snapshot_store_get(struct ctx *c, struct uuid space_id, struct uuid id, bool *found, struct context_snapshot *out,
                               const struct json **context_data);
err context_snapshot_store_list(struct ctx *c, struct uuid space_id, int64_t limit, struct uuid before, struct context_snapshot **rows,
                                size_t *n);
/* Up to limit that refer to the node, newest first. */
err context_snapshot_store_with(struct ctx *c, struct uuid space_id, struct uuid node_id, int64_t limit, struct context_snapshot **rows,
                                size_t *n);
err context_snapshot_store_delete(struct ctx *c, struct uuid space_id, struct uuid id, bool *done);
/* Automatic ones beyond the newest. */
err context_snapshot_store_trim(struct ctx *c, struct uuid space_id, int64_t kept);
/* Live entries under keys that the snapshot does not have: their ids. */
err context_snapshot_store_later(struct ctx *c, struct uuid space_id, struct uuid id, struct uuid **ids, size_t *n);
/* In the order of keys. */
err context_snapshot_store_differences(struct ctx *c, struct uuid space_id, struct uuid id, struct snapshot_difference **rows, size_t *n);
/* Key, content, text, hash and size of what these keys said then, in any order; room for n + 1. */
err context_snapshot_store_contents(struct ctx *c, struct uuid id, const struct snapshot_difference *of, size_t n, struct entry_row *rows,
                                    size_t *found);

/* Like those of pool_snapshot_store.h. */
err context_snapshot_store_counts(struct ctx *c, struct uuid space_id, struct uuid id, struct restore_counts *out);
err context_snapshot_store_changes(struct ctx *c, struct uuid space_id, struct uuid id, const char *after_key, int64_t limit,
                                   struct restore_change **rows, size_t *n);

/* Those of the old states that a snapshot refers to. */
err context_snapshot_store_held(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *those, size_t *k);

#endif
