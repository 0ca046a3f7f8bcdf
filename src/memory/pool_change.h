/* One change of a pool: under its lock, written down, counted, bounded and told. For pool_write.c, which knows what is asked, and for
 * pool_snapshot.c; nobody else includes this. */
#ifndef LOCI_POOL_CHANGE_H
#define LOCI_POOL_CHANGE_H

#include "pool_data.h"
#include "pool_work.h"

struct pool_change {
    const char *ref;
    const struct pool_write *write; /* what is asked: one of the four */
    const struct json *merge;
    int64_t limit;                /* of a tidying up */
    bool replaces;                /* the whole document: keys are written anew */
    bool restores;                /* of a snapshot: keys have their own expiry, and news tell of those that go, too */
    const struct pool_path *path; /* of a write or a cut */
    int64_t if_version;
    int64_t ttl_seconds; /* of a key by the pool, from its last write; 0: none */
    err (*edit)(struct ctx *c, struct pool_change *h);
    bool idle; /* there is nothing to do */
    struct space space;
    struct pool_row row;
    struct pool_policy policy;
    struct pool_work work;
    struct json *evicted; /* keys */
    struct pool_written out;
};

/* A transaction: locks the pool, edits, and writes down what became of the work, unless there is nothing to do. */
err pool_change_run(struct ctx *c, struct pool_change *h, struct pool_written *out);

/* ---- its steps, inside the caller's transaction: lock, begin, write as often as it takes, end */

err pool_change_lock(struct ctx *c, struct pool_change *h);
/* One version more, as content changes. */
void pool_change_begin(struct ctx *c, struct pool_change *h);

struct pool_news {
    struct pool_entry *puts, *drops;
    size_t n_puts, n_drops;
    size_t n_same;        /* of the puts: only the end changes */
    int64_t bytes_before; /* of the puts that were there */
    int64_t were_there;
};

/* Checks and fills the puts, and tells of them. */
err pool_change_write(struct ctx *c, struct pool_change *h, const struct pool_news *w);
/* Makes room, or refuses it all. */
err pool_change_end(struct ctx *c, struct pool_change *h);

/* Of these types the first result wins. */
static inline bool pool_is_cache(enum pool_type t)
{
    return t == POOL_TOOL_CACHE || t == POOL_RESULT_CACHE;
}

#endif
