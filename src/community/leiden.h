/* Communities of a weighted graph: Leiden's method on modularity. Pure: the same graph gives the same communities. */
#ifndef LOCI_LEIDEN_H
#define LOCI_LEIDEN_H

#include "arena.h"
#include "name_graph.h"

/* The community of each node of g, named by its lowest node. Each hangs together. start (may be NULL): the communities of before, with
 * UINT32_MAX for nodes that had none; then only nodes with is_touched (NULL: all) and what their moves touch are looked at again. */
uint32_t *leiden(struct arena *a, const struct name_graph *g, double resolution, const uint32_t *start, const bool *is_touched);
/* The graph of some nodes of g, in their order. */
void leiden_part(struct arena *a, const struct name_graph *g, const uint32_t *nodes, size_t n, struct name_graph *out);

#endif
