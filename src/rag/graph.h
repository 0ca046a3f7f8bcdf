/* What is asked of the knowledge graph: neighbours, paths, parts of it, figures, and ways of thought. */
#ifndef LOCI_GRAPH_H
#define LOCI_GRAPH_H

#include "field.h"
#include "graph_walk.h"
#include "page.h"
#include "rag.h"

#define GRAPH_QUERY 4096
#define GRAPH_NODES_IN 200 /* ids of one subgraph */
#define GRAPH_SUBGRAPH_NODES 500
#define GRAPH_SUBGRAPH_EDGES 2000
#define GRAPH_NEIGHBORS 1000
#define GRAPH_TOP 10

struct graph_part {
    struct list nodes; /* of struct walk_node, nearest first */
    struct list edges; /* of struct walk_edge */
    bool truncated;
};

struct graph_neighbors_in {
    struct uuid id;
    int64_t depth, limit;
    enum edge_direction direction;
    const char *relation_type, *entity_type;
    int node_type; /* an enum's value, or -1 */
    struct strs relation_types, kinds;
    double min_weight;
    bool co_mentioned, mentions;
    struct instant as_of;
};
err graph_neighbors(struct ctx *c, const struct graph_neighbors_in *in, struct graph_part *out);

struct graph_path_in {
    struct uuid source_id, target_id;
    bool directed, weighted, co_mentioned, mentions;
    int64_t max_depth;
    struct strs relation_types;
};
struct graph_path_out {
    bool found;
    int64_t length;
    enum path_reason reason;
    struct list nodes, edges;
};
err graph_path(struct ctx *c, const struct graph_path_in *in, struct graph_path_out *out);

struct graph_subgraph_in {
    struct uuids node_ids;
    int64_t depth;
};
err graph_subgraph(struct ctx *c, const struct graph_subgraph_in *in, struct graph_part *out);

struct graph_count {
    const char *name;
    int64_t n;
};
struct graph_hub {
    struct uuid id;
    const char *title;
    int64_t degree;
};
struct graph_statistics {
    int64_t nodes, edges, components, isolated, communities;
    double avg_degree, density;
    struct list kinds, entity_types, relations; /* of struct graph_count */
    struct list most_connected;                 /* of struct graph_hub */
    bool truncated;
};
/* Of readable spaces, or of one base. */
err graph_statistics(struct ctx *c, struct uuid knowledge_base_id, struct graph_statistics *out);

/* ---- finding nodes that have a name, whatever their kind (graph_search.c) */

#define GRAPH_NODE_TYPE(X) \
    X(GRAPH_ENTITY, "entity") X(GRAPH_CONCEPT, "concept") X(GRAPH_RELATION, "relation") X(GRAPH_ATTRIBUTE, "attribute") \
    X(GRAPH_CONTENT, "content")
ENUMX_DECLARE(graph_node_type, GRAPH_NODE_TYPE);

struct graph_search_in {
    const char *query;             /* NULL: nodes with the strongest edges, of relation_type or of any */
    struct uuid knowledge_base_id; /* nil: all spaces that are readable */
    struct strs kinds;             /* none: entity, page, article, document, skill, goal */
    int node_type;                 /* an enum's value, or -1 */
    const char *entity_type, *relation_type;
    enum rag_mode mode;
    int64_t top_k;
};
struct graph_hit {
    struct uuid id, space_id;
    const char *kind, *title, *node_type, *entity_type;
    double score, quality;
    bool untrusted;
};
struct graph_search_out {
    struct list nodes; /* of struct graph_hit */
    struct list edges; /* of struct walk_edge, the strongest of each node */
    struct strs degraded;
};
err graph_search(struct ctx *c, const struct graph_search_in *in, struct graph_search_out *out);

/* ---- changing it (graph_edit.c) */

struct graph_node_new {
    struct uuid space_id, knowledge_base_id; /* one of them */
    const char *name, *entity_type, *description;
    int node_type; /* an enum's value */
    struct strs aliases;
};
struct graph_node_view {
    struct uuid id, space_id;
    const char *name, *description, *node_type, *entity_type, *kind;
    struct strs aliases;
    double confidence, quality;
    int64_t mentions, degree, version;
    bool untrusted, created;
    struct instant created_at, updated_at;
};
/* The same name and type in the space: that node, created false. */
err graph_node_create(struct ctx *c, const struct graph_node_new *in, struct graph_node_view *out);
/* The one that has the name, whatever its type; in a transaction. */
err graph_node_named(struct ctx *c, const struct graph_node_new *in, struct graph_node_view *out);
err graph_node_get(struct ctx *c, struct uuid id, struct graph_node_view *out);
struct graph_node_change {
    struct given given;
    struct uuid id;
    int64_t if_version;
    const char *name, *entity_type, *description;
    struct strs aliases;
};
err graph_node_update(struct ctx *c, const struct graph_node_change *in, struct graph_node_view *out);
err graph_node_delete(struct ctx *c, struct uuid id, int64_t if_version);

struct graph_nodes_in {
    const char *query;
    int node_type; /* an enum's value, or -1 */
    const char *entity_type;
    struct strs kinds; /* none: entity */
    struct uuid knowledge_base_id;
    int64_t min_mentions, limit;
    const char *cursor;
};
err graph_nodes(struct ctx *c, const struct graph_nodes_in *in, struct page *out);

struct graph_edge_new {
    struct edge_new edge;
    struct strs evidence; /* ids of chunks or facts */
    const char *label;
};
struct graph_edge_out {
    struct edge edge;
    bool created;
};
/* The same source, target and relation: that edge is changed, created false. */
err graph_edge_create(struct ctx *c, const struct graph_edge_new *in, struct graph_edge_out *out);

#endif
