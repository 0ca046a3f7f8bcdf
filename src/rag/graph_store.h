/* SQL of figures and lists of the knowledge graph. */
#ifndef LOCI_GRAPH_STORE_H
#define LOCI_GRAPH_STORE_H

#include "graph.h"

/* Nodes of the graph by kind, and by type of entity: of struct graph_count. */
err graph_store_counts(struct ctx *c, struct uuids spaces, bool by_type, struct list *out);
/* Stored edges between them, by relation. */
err graph_store_relations(struct ctx *c, struct uuids spaces, struct list *out);
struct graph_tie {
    struct uuid source_id, target_id;
};
err graph_store_ties(struct ctx *c, struct uuids spaces, int64_t max, struct list *out);
err graph_store_titles(struct ctx *c, const struct uuid *ids, size_t n, struct graph_hub *rows);
/* One node of the graph with its mentions and edges. */
err graph_store_view(struct ctx *c, struct uuid id, struct graph_node_view *out);
err graph_store_nodes(struct ctx *c, const struct graph_nodes_in *in, struct uuids spaces, struct uuid before, struct page *out);
err graph_store_find_edge(struct ctx *c, const struct edge_new *e, const char *relation, struct uuid *id);
/* Stored edges between these nodes. */
err graph_store_among(struct ctx *c, const struct uuid *ids, size_t n, int64_t max, struct list *out);

#endif
