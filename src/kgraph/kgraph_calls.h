/* The operations that change the knowledge graph as a whole: merges of nodes, graphs out of texts. */
#ifndef LOCI_KGRAPH_CALLS_H
#define LOCI_KGRAPH_CALLS_H

#include "op.h"

extern const struct op *const graph_merge_calls_table[], *const graph_extract_calls_table[];

#endif
