/* The rows of edges; only edge.c and node_many.c include this. */
#ifndef LOCI_EDGE_STORE_H
#define LOCI_EDGE_STORE_H

#include "edge.h"

err edge_store_insert(struct ctx *c, const struct edge *rows, size_t n);
/* Live ones, by source and target; out: of struct edge. */
err edge_store_of_sources(struct ctx *c, const char *relation, const struct uuid *sources, size_t n, struct list *out);
/* Live ones that begin or end at one of these, at most max of each side; out: of struct edge. */
err edge_store_touching(struct ctx *c, const struct uuid *nodes, size_t n, size_t max, struct list *out);
err edge_store_get(struct ctx *c, struct uuid id, bool *found, struct edge *out);
err edge_store_lock(struct ctx *c, struct uuid id, bool *found, struct edge *out);
/* *done is false unless the row still has old_version. */
/* Other metadata, and the next version; all by one statement. */
err edge_store_mark(struct ctx *c, const struct edge *rows, size_t n);
err edge_store_update(struct ctx *c, const struct edge *e, int64_t old_version, bool *done);
/* Up to f->limit + 1 rows with an id below `before`, both ends in readable spaces. */
err edge_store_list(struct ctx *c, const struct edge_filter *f, struct uuid before, struct edge **rows, size_t *n);
/* As edge_store_insert, but for those that are there. */
err edge_store_put(struct ctx *c, const struct edge *rows, size_t n);
/* Where live edges of that relation from these nodes end. */
err edge_store_targets(struct ctx *c, const struct uuid *sources, size_t n, const char *relation, struct uuids *out);
/* What is live, and among, from and to these; n 0 and NULL: whichever. */
struct edge_pick {
    struct {
        const struct uuid *v;
        size_t n;
    } ids, sources, targets;
    const char *relation;
};
err edge_store_retire(struct ctx *c, const struct edge_pick *p);
/* All that begin or end at one of them. */
err edge_store_delete_nodes(struct ctx *c, const struct uuid *ids, size_t n);

#endif
