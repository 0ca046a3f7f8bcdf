/* What the files of rag share; nobody else includes this. */
#ifndef LOCI_RAG_IMPL_H
#define LOCI_RAG_IMPL_H

#include "knowledge_base.h"
#include "rag.h"
#include "recall.h"

enum recall_mode rag_recall_mode(enum rag_mode mode);

struct rag_record {
    const struct rag_in *in;
    const struct recall_out *found;
    struct uuids bases;
    enum query_log log; /* the strictest of the bases */
    struct rag_out *out;
};
/* Writes what was asked and found, and counts it; out gets its query_id. */
err rag_record_query(struct ctx *c, const struct rag_record *r);
/* The same of a question that took several rounds. */
struct ask_in;
struct ask_out;
err rag_record_ask(struct ctx *c, const struct ask_in *in, struct ask_out *out, struct uuids bases);
/* Chunks as results, of these bases only; in no order. */
err rag_results_of(struct ctx *c, const struct uuid *ids, size_t n, struct uuids spaces, struct list *out);
const struct rag_result *rag_result_find(const struct list *results, struct uuid chunk_id);

#endif
