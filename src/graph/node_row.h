/* Rows of nodes by their ids, from memory where they are held (docs/decisions/0008): whoever may see them, and whatever
 * their status. The caller decides that. */
#ifndef LOCI_NODE_ROW_H
#define LOCI_NODE_ROW_H

#include "node.h"

err node_row_read(struct ctx *c, struct uuid id, bool *found, struct node *out);

/* What stands in a node: counters and score may be older than the rest. */
struct node_content {
    struct node node;
    bool found;
    bool body_cut; /* there is more of it */
};
/* Bodies up to `chars` code points. What is not in memory is read in one statement. */
err node_contents_read(struct ctx *c, const struct uuid *ids, size_t n, size_t chars, struct node_content *out);

#endif
