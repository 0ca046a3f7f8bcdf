/* What the files of the node service share; nobody else includes this. */
#ifndef LOCI_NODE_IMPL_H
#define LOCI_NODE_IMPL_H

#include "audit.h"
#include "node.h"

/* The one answer to an id that is not there, or not for this caller. */
err node_missing(struct ctx *c, struct uuid id);
/* Is the row one that anybody may see: not forgotten, not expired? */
bool node_is_there(const struct ctx *c, const struct node *n);
/* Fills what is computed for an answer. */
void node_present(const struct ctx *c, struct node *n);

void node_set_lifecycle(struct node *n, const struct lifecycle *l);

/* Sizes and ranges of what a node holds; ERR_INVALID naming the member. */
err node_check_content(struct ctx *c, const char *kind, const char *title, const char *body, const struct json *attrs);
err node_check_numbers(struct ctx *c, const struct node *n);

/* May the caller put a node of that kind there? */
err node_check_place(struct ctx *c, const char *kind, struct uuid space_id);

/* May equal content find it, instead of being written once more? Only one of its space and kind is found so. */
bool node_is_found_by_content(const struct node *n);
/* Rows that were written without their key: those that may be are found by their content, if no other is. */
err node_find_rows_again(struct ctx *c, const struct node *rows, size_t n);

/* The row of a node that may be made as it stands: kind, sizes, space. */
err node_prepare(struct ctx *c, const struct node_new *in, struct node *out);

/* The audit event of a change, which is news. */
struct audit node_audit(struct ctx *c, const char *verb, const struct node *before, const struct node *after);
/* Writes it, inside the transaction of the change. */
err node_changed(struct ctx *c, const char *verb, const struct node *before, const struct node *after);

/* struct app.vectors_later, inside the transaction of the change. */
err node_promise_vectors(struct ctx *c, const struct uuid *ids, size_t n);
/* Tells struct app.nodes_written, now or when the transaction that is open is over. */
void node_written(struct ctx *c, const struct uuid *ids, size_t n);

#endif
