/* The keys of a pool as a tree: what is directly below a path, however many keys there are. */
#ifndef LOCI_POOL_TREE_H
#define LOCI_POOL_TREE_H

#include "pool_data.h"

/* One name below a path: a key, or a folder of the keys further down. */
struct pool_branch {
    const char *name, *path;
    int64_t keys, bytes;            /* of all that is in it */
    struct instant updated_at;      /* the newest of them */
    const struct pool_entry *entry; /* NULL: a folder */
};

/* path NULL: the top. In the order of names; counts as nobody's use. */
err pool_branches(struct ctx *c, const char *ref, const char *path, int64_t limit, const char *cursor, struct page *out);

#endif
