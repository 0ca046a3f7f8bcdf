/* The operations of knowledge bases and their documents. */
#ifndef LOCI_KNOWLEDGE_BASE_CALLS_H
#define LOCI_KNOWLEDGE_BASE_CALLS_H

#include "op.h"

extern const struct op *const knowledge_base_calls_table[], *const document_calls_table[], *const document_change_calls_table[];

#endif
