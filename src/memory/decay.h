/* Memories that fade: their importance of now is written down, and those of which nothing is left go. */
#ifndef LOCI_DECAY_H
#define LOCI_DECAY_H

#include <stdbool.h>
#include <stddef.h>

#include "ctx.h"
#include "enumx.h"

#define DECAY_DAYS 7        /* how old a stored importance may get */
#define DECAY_SPENT 0.1     /* below this nothing is left of it … */
#define DECAY_SPENT_DAYS 30 /* … once it is so old … */
#define DECAY_IDLE_DAYS 7   /* … and unused for so long */

/* Where they are; each has a key set of its own. */
#define DECAY_FROM(X) X(DECAY_LEARNINGS, "learning") X(DECAY_ENTRIES, "entry") X(DECAY_POOL_KEYS, "pool_entry")
ENUMX_DECLARE(decay_from, DECAY_FROM);

/* One whose stored importance is too old: live, not pinned, with a rate. */
struct decay_row {
    struct uuid id;
    const char *kind;
    bool is_spent;
};

struct decay_done {
    size_t decayed;
    struct uuid *gone; /* archived, or of learnings deprecated */
    size_t n_gone;
};

/* Accounts above `above` that have any of these, ascending. */
err decay_due_learnings(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err decay_due_entries(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* By key behind `after`. */
err decay_scan(struct ctx *c, enum decay_from from, struct uuid after, size_t max, struct decay_row *rows, size_t *n);
/* Inside the caller's transaction. */
err decay_apply(struct ctx *c, const struct decay_row *rows, size_t n, struct decay_done *out);

#endif
