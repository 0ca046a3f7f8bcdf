/* SQL of figures and lists of the knowledge graph. */
#ifndef LOCI_GRAPH_STORE_H
#define LOCI_GRAPH_STORE_H

#include "db.h"
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
/* What a node says that it is, else what its kind makes it. */
#define NODE_TYPE_OF(t) "COALESCE(JSON_VALUE(" t ".attrs, '$.node_type'), IF(" t ".kind = 'entity', 'entity', 'content'))"
#define graph_store_add_types(s, t, node_type, entity_type) \
    do { \
        if (node_type) \
            sql_add((s), " AND " NODE_TYPE_OF(t) " = ?", IN(node_type)); \
        if (entity_type) \
            sql_add((s), " AND JSON_VALUE(" t ".attrs, '$.entity_type') = ?", IN(entity_type)); \
    } while (0)
/* As relations are stored, whatever case it is given in. */
const char *graph_relation_name(const char *name);
/* Those of the ids that may be read and are of these types (NULL: any), in no order: of struct graph_node_view. */
err graph_store_views(struct ctx *c, const struct uuid *ids, size_t n, const char *node_type, const char *entity_type, struct list *out);
/* The strongest stored edges with that relation (NULL: any), both ends in these spaces: of struct graph_tie. */
err graph_store_of_relation(struct ctx *c, const char *relation, struct uuids spaces, int64_t max, struct list *out);
/* One node of the graph with its mentions and edges. */
err graph_store_view(struct ctx *c, struct uuid id, struct graph_node_view *out);
err graph_store_nodes(struct ctx *c, const struct graph_nodes_in *in, struct uuids spaces, struct uuid before, struct page *out);
err graph_store_find_edge(struct ctx *c, const struct edge_new *e, const char *relation, struct uuid *id);
/* Stored edges between these nodes. */
err graph_store_among(struct ctx *c, const struct uuid *ids, size_t n, int64_t max, struct list *out);

#endif
