/* What the pages of one pool have in common. */
#ifndef LOCI_POOL_PAGE_H
#define LOCI_POOL_PAGE_H

#include "memory_page.h"
#include "model.h"
#include "pool.h"
#include "pool_snapshot.h"

struct pool_view {
    const char *ref; /* the id as text */
    struct pool pool;
    struct names *names;
};

/* The pool of the path, with the parts of the model that each of its pages has: `pool`, `tabs` (tab is the one that is shown), may_write,
 * may_manage, may_see_log. */
err pool_view_open(struct ctx *c, struct page_call *p, const char *tab, struct pool_view *out);

void put_pool(struct ctx *c, struct json *row, const struct pool *x, const struct names *names);
/* A key of the pool; ref: of the pool, names: for its writer. */
void put_pool_entry(struct ctx *c, struct json *row, const char *ref, const struct pool_entry *e, const struct names *names);
/* Where the key has its page, and where its folder is shown. */
const char *pool_key_place(struct ctx *c, const char *ref, const char *key);
const char *pool_folder_place(struct ctx *c, const char *ref, const char *folder);

/* On a page where nothing is: how a program would write this. */
void pool_first_write(struct ctx *c, struct page_call *p, const char *pool_id, const char *key, struct json *value);
/* The page on which somebody's change met somebody else's: yours, theirs, what became of it, and what to do. key: of the form. */
err pool_conflict(struct ctx *c, struct page_call *p, const struct pool_view *v, const char *key, const struct pool_entry *theirs);
/* The row of the key as it is now; found false: there is none. Not by reading its path, which would count as use. */
err pool_key_row(struct ctx *c, const char *ref, const char *key, bool *found, struct pool_entry *out);

#endif
