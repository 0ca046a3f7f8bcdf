/* Changing rows of nodes, always inside a transaction; the services of this folder include this. New rows are node_store.c's:
 * nobody holds them yet. */
#ifndef LOCI_NODE_WRITE_STORE_H
#define LOCI_NODE_WRITE_STORE_H

#include "node.h"
#include "node_touch_store.h"

/* Writes everything of a node that can change; ERR_CONFLICT unless the row still has old_version. */
err node_write_state(struct ctx *c, const struct node *n, int64_t old_version);
/* The node was pointed at once more. */
err node_write_reference(struct ctx *c, struct uuid id);
/* Something that belongs to the node has changed. */
err node_write_instant(struct ctx *c, struct uuid id);
/* Archives what has expired. Forgotten nodes and old versions keep their status; nothing of them will come due again. */
err node_write_expired(struct ctx *c, const struct uuid *ids, size_t n);
/* Deletes old states. `last` was in front of them: it holds what was known from that instant on, and `next` (nil: nothing)
 * stands behind it now. */
err node_write_cut(struct ctx *c, struct uuid last, struct uuid next, struct instant known_from, const struct uuid *gone, size_t n);
/* Uses that were gathered. */
err node_write_uses(struct ctx *c, struct uuid account_id, const struct touched *rows, size_t n);

#endif
