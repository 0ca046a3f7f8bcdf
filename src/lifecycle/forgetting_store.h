/* SQL of forgetting; only forgetting.c includes this. */
#ifndef LOCI_FORGETTING_STORE_H
#define LOCI_FORGETTING_STORE_H

#include "forgetting.h"
#include "list.h"

struct forget_op {
    struct uuid id, node_id, space_id;
    const char *reason;
    bool block_relearn;
};
err forgetting_store_add(struct ctx *c, const struct forget_op *op, const struct uuid *ids, size_t n);
/* Of that node, locked: the one with that id, or the newest; nil: none that stands. */
err forgetting_store_take(struct ctx *c, struct uuid node_id, struct uuid op_id, struct forget_op *out);
err forgetting_store_items(struct ctx *c, struct uuid op_id, struct list *ids);
err forgetting_store_undone(struct ctx *c, struct uuid op_id);
/* Is there such a node, forgotten or not? space_id nil: no. */
err forgetting_store_node(struct ctx *c, struct uuid id, struct uuid *space_id, bool *is_forgotten);

#endif
