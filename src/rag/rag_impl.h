/* What the files of rag share; nobody else includes this. */
#ifndef LOCI_RAG_IMPL_H
#define LOCI_RAG_IMPL_H

#include "knowledge_base.h"
#include "rag.h"
#include "recall.h"

struct rag_record {
    const struct rag_in *in;
    const struct recall_out *found;
    struct uuids bases;
    enum query_log log; /* the strictest of the bases */
    struct rag_out *out;
};
/* Writes what was asked and found, and counts it; out gets its query_id. */
err rag_record_query(struct ctx *c, const struct rag_record *r);

#endif
