/* The names of a space as a graph in memory: two names are joined by the chunks that hold both, and by stored edges between them. */
#ifndef LOCI_NAME_GRAPH_H
#define LOCI_NAME_GRAPH_H

#include "ctx.h"
#include "list.h"

#define NAME_GRAPH_MENTIONS 2000000 /* that are read … */
#define NAME_GRAPH_PAIRS 4000000    /* … and pairs of names made of them; further chunks are left out */
#define NAME_GRAPH_CROWD 40         /* names of a chunk that says what goes with what */

struct name_link {
    uint32_t to;
    uint32_t shared; /* chunks that hold both */
    double weight;
};

/* Nodes in the order of their ids; links of a node in the order of `to`, each from both ends. */
struct name_graph {
    struct uuid *ids;
    size_t n;
    size_t *first; /* n + 1 */
    struct name_link *links;
    size_t n_pairs; /* that share two chunks, or have an edge */
    bool is_cut;
};

/* A chunk and a name in it. */
struct name_use {
    struct uuid chunk_id, entity_id;
};
/* A stored edge. */
struct name_tie {
    struct uuid source_id, target_id;
    double weight;
};
/* uses in the order of chunks. A pair in a chunk of k names counts 1 / (k − 1). */
void name_graph_make(struct ctx *c, const struct name_use *uses, size_t n, const struct name_tie *ties, size_t n_ties,
                     struct name_graph *out);
/* Of the names in these spaces. */
err name_graph_load(struct ctx *c, const struct uuid *spaces, size_t n, struct name_graph *out);
/* SIZE_MAX: it is not in it. */
size_t name_graph_find(const struct name_graph *g, struct uuid id);

#endif
