/* The rows of pools; only the pool services include this. */
#ifndef LOCI_POOL_STORE_H
#define LOCI_POOL_STORE_H

#include "pool.h"

err pool_store_insert(struct ctx *c, const struct pool_row *p);
err pool_store_get(struct ctx *c, struct uuid space_id, bool *found, struct pool_row *out);
/* The same, locked until the transaction ends: every change of a pool begins here. */
err pool_store_lock(struct ctx *c, struct uuid space_id, bool *found, struct pool_row *out);
/* Everything that can change. */
err pool_store_update(struct ctx *c, const struct pool_row *p);
/* Up to f->limit + 1 of these with an id below `before`, newest first: the row and its space side by side. */
struct pool_pair {
    struct uuid id;
    struct space space;
    struct pool_row row;
};
err pool_store_list(struct ctx *c, const struct pool_filter *f, struct uuids among, struct uuid before, struct pool_pair **rows, size_t *n);

#endif
