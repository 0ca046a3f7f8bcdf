/* The rows of queries and their sums. */
#ifndef LOCI_RAG_STORE_H
#define LOCI_RAG_STORE_H

#include "rag.h"

err rag_store_own(struct ctx *c, struct uuid before, int64_t limit, struct page *out);
err rag_store_searches(struct ctx *c, struct uuid query_id, struct list *out);
err rag_store_feedback(struct ctx *c, struct uuid id, bool useful, double quality);
/* One more query of each base. */
struct rag_count {
    struct uuids bases, found; /* found: documents */
    const char *mode, *query;  /* query NULL: its words are not kept */
    struct bytes question_hash;
    bool empty, unanswered;
    double ms, quality;
};
err rag_store_count(struct ctx *c, const struct rag_count *k);
/* Of struct rag_mode_stat. */
#define RAG_BUCKETS_A_DOUBLING 8.0
struct rag_bucket {
    const char *mode;
    int64_t bucket, n;
};
/* Of struct rag_bucket, by mode, the quickest first. */
err rag_store_latency(struct ctx *c, struct uuids bases, int64_t days, struct list *out);
err rag_store_stats(struct ctx *c, struct uuids bases, int64_t days, struct list *out);
err rag_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n);
/* Accounts above that id with queries from before that instant. */
err rag_store_old_accounts(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
