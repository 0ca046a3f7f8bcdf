/* The rows of merges of nodes. */
#ifndef LOCI_GRAPH_MERGE_STORE_H
#define LOCI_GRAPH_MERGE_STORE_H

#include "graph_merge.h"
#include "list.h"

err graph_merge_store_lock(struct ctx *c, struct uuid id, bool *found, struct graph_merge *out);
err graph_merge_store_list(struct ctx *c, struct uuids spaces, struct uuid before, int64_t limit, struct page *out);
err graph_merge_store_put_edges(struct ctx *c, struct uuid merge_id, const struct uuid *ids, size_t n, bool is_made);
/* Live ones that the merge made: ids. */
err graph_merge_store_made(struct ctx *c, struct uuid merge_id, struct uuids *out);
/* Those that the merge retired are live again, where both their nodes are there and no equal one is. */
err graph_merge_store_revive(struct ctx *c, const struct graph_merge *m);
/* Mentions of the keeper since the merge, by chunks that write this name and not the keeper's: of struct edge. */
err graph_merge_store_said_since(struct ctx *c, const struct graph_merge *m, const char *name, struct list *out);

#endif
