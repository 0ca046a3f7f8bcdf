/* Changing rows of nodes, always inside a transaction; the services of this folder include this. New rows are node_store.c's:
 * nobody holds them yet. */
#ifndef LOCI_NODE_WRITE_STORE_H
#define LOCI_NODE_WRITE_STORE_H

#include "node.h"
#include "node_touch_store.h"

/* Writes everything of a node that can change; ERR_CONFLICT unless the row still has old_version, and where is_kept while another
 * row is found by that content. */
err node_write_state(struct ctx *c, const struct node *n, bool is_kept, int64_t old_version);
/* The same for rows that are locked, which no content finds. */
err node_write_states(struct ctx *c, const struct node *rows, size_t n);
/* Old states follow their node to another space. */
err node_write_space(struct ctx *c, const struct uuid *ids, size_t n, struct uuid space_id);
/* The nodes, different ones, were pointed at once more. */
err node_write_references(struct ctx *c, const struct uuid *ids, size_t n);
/* Something that belongs to the node has changed. */
err node_write_instant(struct ctx *c, struct uuid id);
/* Archives what has expired. Forgotten nodes and old versions keep their status; nothing of them will come due again. */
err node_write_expired(struct ctx *c, const struct uuid *ids, size_t n);
/* Deletes old states. `last` was in front of them: it holds what was known from that instant on, and `next` (nil: nothing)
 * stands behind it now. */
err node_write_cut(struct ctx *c, struct uuid last, struct uuid next, struct instant known_from, const struct uuid *gone, size_t n);
/* Inserts, or gives the row with that id the content, author and expiry of the new one, and makes it active. */
err node_write_put(struct ctx *c, const struct node *rows, size_t n);
/* Forgets nodes of that space. */
err node_write_drop(struct ctx *c, struct uuid space_id, const struct uuid *ids, size_t n);
/* From one space into another, with their old states. */
err node_write_moved(struct ctx *c, const char *kind, struct uuid from, struct uuid to, const struct uuid *ids, size_t n);
/* Deletes them. */
err node_write_purge(struct ctx *c, const struct uuid *ids, size_t n);
/* Its old states are deleted. */
err node_write_older_gone(struct ctx *c, struct uuid id);
/* Uses that were gathered. */
err node_write_uses(struct ctx *c, struct uuid account_id, const struct touched *rows, size_t n);
/* Counts more uses, or less; neither score nor last use. */
err node_write_count(struct ctx *c, struct uuid id, int64_t uses);
/* Their content came in again, as often as an id stands there. */
err node_write_again(struct ctx *c, const struct uuid *ids, size_t n);
/* Rows that were put in place as they are: each that may be is found by its content, if no other is (node_is_found_by_content). */
err node_write_found(struct ctx *c, const struct uuid *ids, size_t n);

/* Scores of memories of one kind that fade are those of now, by lifecycle.h's formula. */
err node_write_settled(struct ctx *c, const struct uuid *ids, size_t n, double floor);
/* Archives active ones, or whatever else their status is but an old version. */
err node_write_archived(struct ctx *c, const struct uuid *ids, size_t n);
/* Gives them a word of their kind as status. */
err node_write_status(struct ctx *c, const struct uuid *ids, size_t n, const char *status);

#endif
