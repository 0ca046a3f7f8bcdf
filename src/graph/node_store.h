/* The rows of nodes; only node.c and its like in this folder include this. */
#ifndef LOCI_NODE_STORE_H
#define LOCI_NODE_STORE_H

#include "audit.h"
#include "node.h"

#define NODE_EXCERPT 300 /* characters of a body that lists show */

/* A new row with its events, all or none, in one round trip: this is the write that there are most of. */
err node_store_create(struct ctx *c, const struct node *n, bool is_kept, const struct audit_event *e);
/* is_kept: equal content of its space and kind finds the row from now on (`same_key`, which is unique). */
err node_store_insert_many(struct ctx *c, const struct node *rows, const bool *is_kept, size_t n);
/* The row that is found by this content, space and kind. */
err node_store_equal(struct ctx *c, const struct node *like, bool *found, struct node *out);
/* Those of many in any order, without bodies; room for n + 1. */
err node_store_equal_many(struct ctx *c, const struct node *like, size_t n, struct node *rows, size_t *found);
err node_store_get(struct ctx *c, struct uuid id, bool *found, struct node *out);
/* The same, found only while no transaction has it locked: what is found was not being changed when it was read. */
err node_store_get_settled(struct ctx *c, struct uuid id, bool *found, struct node *out);
/* Rows in any order, their bodies up to `chars` code points; settled: as above. rows has room for n + 1. */
err node_store_get_many(struct ctx *c, const struct uuid *ids, size_t n, int64_t chars, bool settled, struct node *rows,
                        size_t *found);
/* The row, locked until the transaction ends. */
err node_store_lock(struct ctx *c, struct uuid id, bool *found, struct node *out);
/* Rows in any order, locked until the transaction ends; room for n + 1. */
err node_store_lock_many(struct ctx *c, const struct uuid *ids, size_t n, struct node *rows, size_t *found);
/* Those that may be put away without asking: neither pinned, archived, forgotten nor an old version; locked, in any order. */
err node_store_lock_loose(struct ctx *c, const struct uuid *ids, size_t n, struct node_brief *rows, size_t *found);
struct node_kept {
    struct uuid id, version_id;
};
/* Copies each row as it is now to a row of status `version` with the other id, in one statement. */
err node_store_keep_versions(struct ctx *c, const struct node_kept *kept, size_t n);
/* Up to f->limit + 1 rows with an id below `before`, in one of these spaces. */
err node_store_list(struct ctx *c, const struct node_filter *f, struct uuid before, const struct uuid *spaces, size_t n_spaces,
                    struct node **rows, size_t *n);
/* Up to limit + 1 older states of a node, beginning behind `from`: the node itself, or one of its old states. */
err node_store_versions(struct ctx *c, struct uuid id, struct uuid from, bool with_body, int64_t limit, struct node **rows, size_t *n);
/* Rows in any order. */
err node_store_briefs(struct ctx *c, const struct uuid *ids, size_t n, struct node_brief *rows, size_t *found);
err node_store_ids_of_space(struct ctx *c, struct uuid space_id, struct uuid *ids, size_t max, size_t *n);
err node_store_counts(struct ctx *c, const struct uuid *spaces, size_t n_spaces, struct node_count *rows, size_t max, size_t *n);

#endif
