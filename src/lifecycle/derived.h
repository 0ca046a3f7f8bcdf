/* What follows from memories: all that would have nothing to stand on without them. */
#ifndef LOCI_DERIVED_H
#define LOCI_DERIVED_H

#include "ctx.h"
#include "list.h"
#include "str.h"

#define DERIVED_DEPTH 32
#define DERIVED_MAX 50000    /* memories of one closure */
#define DERIVED_AT_ONCE 1000 /* ids of a statement */
#define DERIVED_CHANGED 500  /* nodes that are changed by one: each takes many values */

struct derived_node {
    struct uuid id, space_id;
    const char *kind;
    struct bytes content_hash;
    bool is_old, is_forgotten; /* old: an older state of one */
};

struct derived {
    struct derived_node *nodes; /* in the order of ids, the ones asked for included */
    size_t n;
    size_t n_spared; /* derived, too, but with other sources */
};

/* for_erase: with older states, parts, and entities that nothing else mentions; a source that was forgotten still counts as one.
 * Without: only what has no live source left. ERR_CONFLICT past DERIVED_MAX or DERIVED_DEPTH. */
err derived_find(struct ctx *c, const struct uuid *roots, size_t n, bool for_erase, struct derived *out);

#endif
