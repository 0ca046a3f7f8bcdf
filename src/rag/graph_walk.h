/* Walks over the graph, level by level, through what the caller may read: stored edges, names that stand in the same chunks, and
 * equal names of different spaces. */
#ifndef LOCI_GRAPH_WALK_H
#define LOCI_GRAPH_WALK_H

#include "ctx.h"
#include "edge.h"
#include "list.h"

#define WALK_DEPTH 5
#define WALK_NODES 20000 /* that one walk visits … */
#define WALK_US 1000000  /* … or so long */
#define WALK_DEGREE 1000 /* edges of one node that are followed: the strongest */
#define WALK_EVIDENCE 3  /* chunks that an edge names */
#define WALK_TYPES 32

#define WALK_SOURCE(X) \
    X(WALK_STORED, "stored") X(WALK_FACT, "fact") X(WALK_CO_MENTIONED, "co_mentioned") X(WALK_NAME, "name") \
    X(WALK_STRUCTURE, "structure")
ENUMX_DECLARE(walk_source, WALK_SOURCE);

struct walk_wish {
    int64_t depth;
    enum edge_direction direction;
    struct strs relation_types, kinds;   /* none: all */
    const char *node_type, *entity_type; /* NULL: any */
    double min_weight;
    bool co_mentioned, mentions; /* mentions: texts that hold a name, and documents with their chunks */
    struct instant as_of;        /* as it was known and true then; 0: now */
    size_t limit;                /* nodes */
};

struct walk_edge {
    struct uuid id; /* nil: computed */
    struct uuid source_id, target_id;
    const char *relation;
    enum walk_source via;
    double weight, confidence;
    bool bidirectional;
    struct uuids evidence; /* chunks */
};

struct walk_node {
    struct uuid id, space_id;
    const char *kind, *title;
    int64_t distance;
    size_t from; /* the node it was found by; itself for those it began with */
    size_t edge; /* … along which edge; SIZE_MAX for those */
    bool untrusted;
    struct uuid via; /* id of the node it was found by */
};

struct graph_walk {
    struct walk_node *nodes;
    size_t n, cap;
    struct walk_edge *edges; /* each once */
    size_t n_edges, cap_edges;
    uint32_t *places;
    size_t slots, first; /* first: of the last level */
    bool truncated;
    int64_t until_us;
};

/* From nodes of the caller; one that is not there for him: ERR_NOT_FOUND. */
err graph_walk_begin(struct ctx *c, const struct uuid *ids, size_t n, struct graph_walk *w);
/* One step further; *more: something new was found. */
err graph_walk_step(struct ctx *c, struct graph_walk *w, const struct walk_wish *wish, bool *more);
/* All steps of the wish. */
err graph_walk_all(struct ctx *c, struct graph_walk *w, const struct walk_wish *wish);
/* SIZE_MAX: it was not met. */
size_t graph_walk_find(const struct graph_walk *w, struct uuid id);

#define PATH_REASON(X) X(PATH_FOUND, "found") X(PATH_NONE, "none") X(PATH_DEPTH, "depth") X(PATH_CAP, "cap")
ENUMX_DECLARE(path_reason, PATH_REASON);
struct graph_path {
    enum path_reason reason;
    struct list nodes; /* of struct walk_node */
    struct list edges; /* of struct walk_edge, one less */
};
/* From both ends; wish->depth: steps at most, up to 10. is_weighted: the likeliest by weight and confidence, else the shortest. */
err graph_path_find(struct ctx *c, struct uuid from, struct uuid to, const struct walk_wish *wish, bool is_weighted,
                    struct graph_path *out);

/* What a list of texts names most: entities that stand in these chunks, the rarest first. */
struct walk_name {
    struct uuid entity_id, place_id; /* place_id: a chunk that holds it, or its space */
    const char *title;
    int64_t mentions; /* chunks that hold it, or characters of the name */
};
err graph_names_in(struct ctx *c, const struct uuid *chunks, size_t n, struct list *out);
/* Entities of readable spaces with these normal forms. */
err graph_entities_named(struct ctx *c, const char *const *norms, size_t n, struct uuids spaces, struct list *out);
/* Chunks that mention the entities: struct walk_mention, the strongest first. */
struct walk_mention {
    struct uuid chunk_id, entity_id;
    double weight;
};
err graph_mentions_of(struct ctx *c, const struct uuid *entities, size_t n, int64_t limit, struct list *out);

#endif
