/* SQL of snapshots of pools; only pool_snapshot.c includes this. */
#ifndef LOCI_POOL_SNAPSHOT_STORE_H
#define LOCI_POOL_SNAPSHOT_STORE_H

#include "pool_data.h"
#include "pool_snapshot.h"

/* Of the live keys of the pool, with how many they are and their bytes. */
err pool_snapshot_store_hash(struct ctx *c, struct uuid pool, struct bytes *hash, int64_t *keys, int64_t *bytes);
/* With a copy of every live key. */
err pool_snapshot_store_take(struct ctx *c, const struct pool_snapshot *s, struct bytes hash);
err pool_snapshot_store_count(struct ctx *c, struct uuid pool, int64_t *n);
err pool_snapshot_store_get(struct ctx *c, struct uuid pool, struct uuid id, bool *found, struct pool_snapshot *out);
err pool_snapshot_store_list(struct ctx *c, struct uuid pool, int64_t limit, struct uuid before, struct pool_snapshot **rows, size_t *n);
err pool_snapshot_store_delete(struct ctx *c, struct uuid pool, struct uuid id, bool *done);
/* Deletes automatic ones but the newest. */
err pool_snapshot_store_trim(struct ctx *c, struct uuid pool, int64_t kept);

/* Keys of it whose time is over. */
err pool_snapshot_store_expired(struct ctx *c, struct uuid id, int64_t *n);
/* Keys of the pool that it does not have. */
err pool_snapshot_store_extra(struct ctx *c, struct uuid pool, struct uuid id, struct pool_entry *rows, size_t max, size_t *n);
/* Its keys behind after_key that the pool lacks or that say something else there, with its values; node and size are those of the row that is
 * there. */
err pool_snapshot_store_differences(struct ctx *c, struct uuid pool, struct uuid id, const char *after_key, size_t bytes,
                                    struct pool_entry *rows, size_t max,
                                    size_t *n);

err pool_snapshot_store_counts(struct ctx *c, struct uuid pool, struct uuid id, struct restore_counts *out);
/* The live keys behind after_key that differ, at most limit + 1. */
err pool_snapshot_store_changes(struct ctx *c, struct uuid pool, struct uuid id, const char *after_key, int64_t limit,
                                struct restore_change **rows, size_t *n);
err pool_snapshot_store_values(struct ctx *c, struct uuid pool, const char *key, struct pool_kept **rows, size_t *n);

#endif
