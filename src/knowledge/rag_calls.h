/* The operations of knowledge. */
#ifndef LOCI_RAG_CALLS_H
#define LOCI_RAG_CALLS_H

#include "op.h"

extern const struct op *const knowledge_base_calls_table[], *const document_calls_table[], *const document_change_calls_table[],
    *const rag_query_calls_table[],
    *const rag_graph_calls_table[];

#endif
