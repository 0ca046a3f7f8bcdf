/* Questions answered: rounds of searching until what was found suffices, then an answer that quotes its sources. */
#ifndef LOCI_RAG_ASK_H
#define LOCI_RAG_ASK_H

#include "ctx.h"
#include "list.h"
#include "rag.h"

#define MAX_ROUNDS 3
#define ROUNDS_MAX 5
#define MIN_RELEVANT_RESULTS 3
#define MIN_AVG_SCORE 0.5
#define ASK_SEARCHES 10 /* of one question */
#define ASK_SENTENCES 4
#define ASK_ANSWER 1000 /* characters */
#define ASK_PASSAGES 8  /* that a model reads */

#define ASK_ANSWER_MODE(X) X(ANSWER_AUTO, "auto") X(ANSWER_NONE, "none") X(ANSWER_EXTRACTIVE, "extractive") X(ANSWER_LLM, "llm")
ENUMX_DECLARE(ask_answer_mode, ASK_ANSWER_MODE);
#define ASK_STOP(X) \
    X(ASK_SUFFICIENT, "sufficient") X(ASK_NO_NEW_RESULTS, "no_new_results") X(ASK_NO_NEW_QUERY, "no_new_query") \
    X(ASK_MAX_ROUNDS, "max_rounds") X(ASK_DEADLINE, "deadline") X(ASK_BUDGET, "budget")
ENUMX_DECLARE(ask_stop, ASK_STOP);

struct ask_in {
    const char *query;
    struct uuid knowledge_base_id;
    struct uuids knowledge_base_ids;
    int64_t max_rounds;
    enum ask_answer_mode answer;
};

struct ask_source {
    int64_t n;
    struct uuid document_id, chunk_id;
    const char *document_name, *quote;
    int64_t start_offset, end_offset; /* of the quote, in the text of the document */
    double score;
    bool untrusted;
};

struct ask_round {
    int64_t round, added;
    struct strs queries;
    double avg_score;
    const char *reason;
};

struct ask_out {
    struct uuid query_id;
    const char *answer; /* NULL: what was found does not answer it */
    const char *answered_by;
    struct list sources; /* of struct ask_source */
    int64_t rounds, total_results;
    struct list search_history; /* of struct ask_round */
    enum rag_verdict verdict;
    enum ask_stop stopped;
    struct strs gaps, degraded;
    double confidence, latency_ms;
    int64_t tokens;
    struct list results; /* of struct rag_result: the passages, best first */
};
err ask_documents(struct ctx *c, const struct ask_in *in, struct ask_out *out);
/* A query; in->mode may be STRATEGY_AGENTIC as well: rounds, with an answer. */
err rag_query_or_ask(struct ctx *c, const struct rag_in *in, struct rag_out *out);

#endif
