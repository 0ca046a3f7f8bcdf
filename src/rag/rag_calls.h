/* The operations that ask knowledge bases and read the graph. */
#ifndef LOCI_RAG_CALLS_H
#define LOCI_RAG_CALLS_H

#include "op.h"

extern const struct field GRAPH_WALK_EDGE_OUT[], ASK_SOURCE_OUT[];
extern const struct op *const rag_query_calls_table[], *const graph_search_calls_table[], *const graph_walk_calls_table[],
    *const graph_edit_calls_table[], *const graph_rag_calls_table[], *const ask_calls_table[];

#endif
