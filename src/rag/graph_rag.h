/* Questions answered along the graph: from the names of a question over communities to the texts that mention them. */
#ifndef LOCI_GRAPH_RAG_H
#define LOCI_GRAPH_RAG_H

#include "ctx.h"
#include "list.h"
#include "rag.h"

#define MAX_SEED_NODES 5
#define SEED_DISTANCE_THRESHOLD 0.8
#define MAX_COMMUNITIES 10
#define CONTEXT_TOKENS_MIN 256
#define CONTEXT_TOKENS_MAX 64000

struct graph_seed {
    struct uuid id;
    const char *title, *kind;
    double distance; /* 0: named in the query */
    bool untrusted;
};

struct graph_rag_in {
    const char *query;
    struct uuid knowledge_base_id;
    struct uuids knowledge_base_ids;
    int64_t top_k, max_hops, token_budget;
    bool include_summaries;
};

struct graph_community {
    struct uuid id;
    const char *title, *summary;
    int64_t size;
    double score;
    bool stale, untrusted;
};

struct graph_result {
    struct rag_result result;
    struct strs via; /* from a seed to the name that the chunk mentions; none: found by words and meaning alone */
};

struct graph_rag_out {
    struct uuid query_id;
    struct list results;     /* of struct graph_result */
    struct list communities; /* of struct graph_community */
    struct list seeds;       /* of struct graph_seed */
    int64_t total_results;
    enum rag_verdict verdict;
    struct strs degraded;
    double latency_ms;
};
err graph_rag_retrieve(struct ctx *c, const struct graph_rag_in *in, struct graph_rag_out *out);

struct context_source {
    int64_t n;
    struct uuid chunk_id, document_id;
    const char *document_name;
    int64_t start_offset, end_offset;
    double score;
    bool cut; /* not all of it is in the context */
};
struct graph_context {
    const char *context; /* fenced text */
    int64_t tokens, token_budget;
    struct list sources; /* of struct context_source */
    int64_t communities;
    const struct json *eviction_report;
};
err graph_rag_context(struct ctx *c, const struct graph_rag_in *in, struct graph_context *out);

/* Where a walk begins: nodes named in the query, else by meaning, else names of the passages; at most MAX_SEED_NODES. */
err graph_rag_seeds(struct ctx *c, const char *query, struct uuids spaces, const struct rag_out *found, struct list *out);

#endif
