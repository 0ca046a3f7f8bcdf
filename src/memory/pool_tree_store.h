/* SQL of the tree of keys; only pool_tree.c includes this. */
#ifndef LOCI_POOL_TREE_STORE_H
#define LOCI_POOL_TREE_STORE_H

#include "pool_tree.h"

/* Live names below path ("": the top) behind `after`, at most limit + 1; entry is not filled, path of a key is its key. */
err pool_tree_store_below(struct ctx *c, struct uuid pool, const char *path, const char *after, int64_t limit, struct pool_branch **rows,
                          size_t *n);

#endif
