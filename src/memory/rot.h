/* Entries that rot: listed for a person from one staleness on, archived from a higher one. */
#ifndef LOCI_ROT_H
#define LOCI_ROT_H

#include <stdbool.h>
#include <stddef.h>

#include "ctx.h"
#include "retention.h"
#include "staleness.h"

#define ROT_SNAPSHOT_DAYS 30 /* what a snapshot so young holds is spared */

/* A live entry that may rot: not pinned, in a context that is in use. */
struct rot_row {
    struct uuid id, space_id;
    struct stale_facts facts;
    struct rot_policy policy;
    double staleness;     /* now */
    bool is_too_old;      /* older than max_age_days of its context */
    bool is_deleted_then; /* which forgets it instead of archiving it */
};

struct rot_done {
    struct uuid *archived;
    size_t n_archived, n_review;
    struct uuid *too_old; /* archived or forgotten for their age */
    size_t n_too_old;
};

/* Accounts above `above` that have entries, ascending. */
err rot_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* By key behind `after`. */
err rot_scan(struct ctx *c, struct uuid after, size_t max, struct rot_row *rows, size_t *n);
/* Inside the caller's transaction: archives and lists what is due among these, but for what is spared. */
err rot_apply(struct ctx *c, const struct rot_row *rows, size_t n, struct rot_done *out);

#endif
