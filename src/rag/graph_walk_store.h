/* SQL of walks over the graph. */
#ifndef LOCI_GRAPH_WALK_STORE_H
#define LOCI_GRAPH_WALK_STORE_H

#include "graph_walk.h"

/* An edge seen from one of the nodes asked for. */
struct walk_row {
    struct uuid near, far, far_space;
    const char *far_kind, *far_title;
    struct walk_edge edge;
};
/* Of the nodes ids, at most max rows, the strongest first. */
err graph_walk_store_edges(struct ctx *c, const struct uuid *ids, size_t n, const struct walk_wish *w, bool outward, int64_t max,
                           struct list *out);
/* Facts about the nodes, or that name them: of subject and object, the edge is the predicate. */
err graph_walk_store_facts(struct ctx *c, const struct uuid *ids, size_t n, const struct walk_wish *w, bool outward, int64_t max,
                           struct list *out);
err graph_walk_store_co_mentioned(struct ctx *c, const struct uuid *ids, size_t n, const struct walk_wish *w, int64_t max,
                                  struct list *out);
err graph_walk_store_same_names(struct ctx *c, const struct uuid *ids, size_t n, int64_t max, struct list *out);
/* Chunks of documents, and documents of chunks. */
err graph_walk_store_chunks(struct ctx *c, const struct uuid *ids, size_t n, int64_t max, struct list *out);

#endif
