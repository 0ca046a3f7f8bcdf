/* SQL of settled uses; only node_touch.c includes this. */
#ifndef LOCI_NODE_TOUCH_STORE_H
#define LOCI_NODE_TOUCH_STORE_H

#include "lifecycle.h"
#include "node.h"

struct touched {
    struct uuid id;
    int64_t uses, named;
    const char *kind;
    struct lifecycle life;
};

/* Locks those of the rows that exist and fills kind and life; rows come back in any order. */
err node_touch_store_lock(struct ctx *c, struct uuid account_id, const struct uuid *ids, size_t n, struct touched *rows, size_t *found);
/* Counts those that were asked for by their ids. */
err node_touch_store_named(struct ctx *c, struct uuid account_id, const struct touched *rows, size_t n);
/* What was counted of one node, and more or less of it. */
err node_touch_store_uses(struct ctx *c, struct uuid id, int64_t *uses);
err node_touch_store_add(struct ctx *c, struct uuid id, int64_t uses);

#endif
