/* The rows of keys; only the pool services include this. */
#ifndef LOCI_POOL_ENTRY_STORE_H
#define LOCI_POOL_ENTRY_STORE_H

#include "pool_data.h"

/* Rows that are not deleted (expired ones are there, with `deleted`), in the order of keys: those named, with values, and those
 * below one of `roots` ("": all), without. Inside the transaction that holds the pool. */
err pool_entry_store_around(struct ctx *c, struct uuid pool, struct strs names, struct strs roots, struct pool_entry **rows, size_t *n);
/* Live rows, with values: those named, and those below `root` (NULL: none, "": all). */
err pool_entry_store_read(struct ctx *c, struct uuid pool, struct strs names, const char *root, struct pool_entry **rows, size_t *n);
/* Bytes of the live rows below root. */
err pool_entry_store_size(struct ctx *c, struct uuid pool, const char *root, int64_t *bytes);

err pool_entry_store_put(struct ctx *c, struct uuid pool, const struct pool_entry *rows, size_t n);
/* Makes tombstones of them. */
err pool_entry_store_bury(struct ctx *c, struct uuid pool, const struct uuid *nodes, size_t n, int64_t version);
/* Uses of these keys so far. */
err pool_entry_store_uses(struct ctx *c, const struct uuid *nodes, size_t n, int64_t *uses);

/* Keys whose time is over. */
err pool_entry_store_expired(struct ctx *c, struct uuid pool, size_t max, struct pool_entry *rows, size_t *n);
/* Keys that may have to make room, the first to go first: not written by `version`, not pinned, no young bulletin. In the
 * place of its value stands how often each was used, as far as that is written. */
err pool_entry_store_victims(struct ctx *c, struct uuid pool, enum pool_eviction by, int64_t version, size_t max,
                             struct pool_entry *rows, size_t *n);

err pool_entry_store_list(struct ctx *c, struct uuid pool, const struct pool_entry_filter *f, int64_t after_version,
                          const char *after_key, struct pool_entry **rows, size_t *n);
/* Deleted or not; "" when it is not there. */
err pool_entry_store_key_of(struct ctx *c, struct uuid pool, struct uuid node, bool *found, const char **key);
/* Of any pool: the caller knows that these nodes may be read. */
err pool_entry_store_of_nodes(struct ctx *c, const struct uuid *nodes, size_t n, struct pool_entry **rows,
                              size_t *found);
err pool_entry_store_statistics(struct ctx *c, struct uuid pool, struct pool_statistics *out);
err pool_entry_store_writers(struct ctx *c, struct uuid pool, struct pool_writer *rows, size_t max, size_t *n);

#endif
