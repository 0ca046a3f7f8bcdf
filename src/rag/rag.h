/* Questions put to knowledge bases: recall over their chunks, results with their places, and a record of each query. */
#ifndef LOCI_RAG_H
#define LOCI_RAG_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define RAG_QUERY 4096 /* characters */
#define RAG_TOP_K 50
#define RAG_BASES 50 /* named in one query */
#define RAG_DOCUMENTS 200
#define RAG_DAYS 400 /* of analytics */

#define RAG_MODE(X) X(RAG_HYBRID, "hybrid") X(RAG_VECTOR, "vector") X(RAG_KEYWORD, "keyword") X(RAG_GRAPH, "graph")
#define RAG_FUSION(X) X(RAG_RRF, "rrf") X(RAG_WEIGHTED, "weighted") X(RAG_SIMPLE, "simple")
#define RAG_VERDICT(X) \
    X(RAG_CORRECT, "correct") X(RAG_AMBIGUOUS, "ambiguous") X(RAG_INCORRECT, "incorrect") X(RAG_NOTHING_FOUND, "nothing_found")
#define RAG_STATUS(X) X(RAG_COMPLETED, "completed") X(RAG_PARTIAL, "partial") X(RAG_FAILED, "failed")
/* The modes, in their order, and what makes several searches. */
#define RAG_STRATEGY(X) \
    X(STRATEGY_HYBRID, "hybrid") X(STRATEGY_VECTOR, "vector") X(STRATEGY_KEYWORD, "keyword") X(STRATEGY_GRAPH, "graph") \
    X(STRATEGY_AGENTIC, "agentic")
ENUMX_DECLARE(rag_strategy, RAG_STRATEGY);
ENUMX_DECLARE(rag_mode, RAG_MODE);
ENUMX_DECLARE(rag_fusion, RAG_FUSION);
ENUMX_DECLARE(rag_verdict, RAG_VERDICT);
ENUMX_DECLARE(rag_status, RAG_STATUS);

struct rag_in {
    const char *query;
    struct uuid knowledge_base_id;   /* nil: those of the list */
    struct uuids knowledge_base_ids; /* none: all that the caller may read and that are not archived */
    struct uuids document_ids;       /* none: all */
    enum rag_mode mode;
    int fusion_method; /* an enum's value, or -1: as the model of the account wants it */
    int64_t top_k;
    double similarity_threshold; /* 0: none */
    bool rerank, explain;
};

struct rag_result {
    struct uuid chunk_id, document_id, knowledge_base_id;
    const char *document_name, *content, *heading_path, *source_url;
    double score, similarity;
    int64_t rank, sequence_number, start_offset, end_offset;
    int64_t matches; /* search: chunks of the document that were found */
    bool untrusted;
    const char *band; /* high, medium or low: how well it answers */
    const struct json *explain;
};

struct rag_out {
    struct uuid query_id; /* nil: the bases keep no record */
    const char *mode, *fusion_method;
    struct list results; /* of struct rag_result, best first */
    int64_t total_results;
    enum rag_verdict verdict;
    struct strs degraded;
    double latency_ms, quality_score;
    const char *answer;  /* of the strategy agentic alone … */
    struct list sources; /* … of struct ask_source */
};

/* Chunks with their text. A base that may not be read: ERR_NOT_FOUND. */
err rag_query(struct ctx *c, const struct rag_in *in, struct rag_out *out);
/* A search that leaves no record: for those who make one of several. bases: where it looked. */
err rag_find(struct ctx *c, const struct rag_in *in, struct uuids *bases, struct rag_out *out);
/* Documents, each with its best passage. */
err rag_search(struct ctx *c, const struct rag_in *in, struct rag_out *out);

/* ---- the record (rag_log.c) */

struct rag_query_row {
    struct uuid id;
    const char *query_text; /* NULL: a base keeps none */
    struct bytes query_hash;
    const char *principal_kind;
    struct uuid principal_id;
    struct uuids knowledge_base_ids;
    enum rag_status status;
    enum rag_strategy retrieval_strategy;
    int64_t top_k;
    double similarity_threshold;
    int64_t results_count;
    double avg_score, best_score, processing_time_ms;
    int64_t rounds, tokens_used;
    enum rag_verdict verdict;
    struct strs degraded;
    int64_t feedback; /* 0, 1, or FIELD_NONE: not said */
    double quality_score;
    struct instant created_at;
};
extern const struct thing RAG_QUERY_ROW;

struct hybrid_search_result {
    struct uuid id, rag_query_id;
    const char *search_mode, *fusion_method;
    const struct json *vector_results, *keyword_results, *graph_results, *merged_results;
    double vector_score, keyword_score, graph_score; /* NAN: none */
    int64_t result_count;
    double total_latency_ms;
    bool reranked;
    struct instant created_at;
};
extern const struct thing HYBRID_SEARCH_RESULT;

/* One's own, newest first. */
err rag_queries(struct ctx *c, const struct thing_page *in, struct page *out);
struct rag_query_view {
    struct rag_query_row query;
    struct list searches; /* of struct hybrid_search_result */
};
err rag_query_get(struct ctx *c, struct uuid id, struct rag_query_view *out);
/* Whether it was useful: quality_score becomes the mean with 100 or 0. Of one's own. */
err rag_feedback(struct ctx *c, struct uuid id, bool useful, struct rag_query_row *out);

struct rag_mode_stat {
    const char *mode;
    int64_t n, empty;
    double avg_latency_ms, p50_ms, p95_ms, avg_quality;
};
struct rag_analytics {
    struct uuid knowledge_base_id;
    int64_t days, queries, empty;
    struct list modes;     /* of struct rag_mode_stat */
    double avg_latency_ms; /* of the mode that was asked for, or of all; NAN: there was no query */
};
/* knowledge_base_id nil: of all that the caller may read. A query of several bases counts for each. mode: an enum's value, or -1: all. */
err rag_analytics(struct ctx *c, struct uuid knowledge_base_id, int64_t days, int mode, struct rag_analytics *out);
/* Mean of the queries of a mode, or of all (-1); NAN: there was none. */
double rag_avg_latency_for(const struct rag_analytics *a, int mode);
/* Records older than 90 days go. */
err rag_purge(struct ctx *c, int64_t limit, int64_t *n);
err rag_purge_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
