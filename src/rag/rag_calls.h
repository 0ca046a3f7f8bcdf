/* The operations that ask knowledge bases and read the graph. */
#ifndef LOCI_RAG_CALLS_H
#define LOCI_RAG_CALLS_H

#include "op.h"

extern const struct op *const rag_query_calls_table[], *const graph_search_calls_table[];

#endif
