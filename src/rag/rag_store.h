/* The rows of queries and their sums. */
#ifndef LOCI_RAG_STORE_H
#define LOCI_RAG_STORE_H

#include "rag.h"

err rag_store_own(struct ctx *c, struct uuid before, int64_t limit, struct page *out);
err rag_store_searches(struct ctx *c, struct uuid query_id, struct list *out);
err rag_store_feedback(struct ctx *c, struct uuid id, bool useful, double quality);
/* One more query of each base. */
err rag_store_count(struct ctx *c, const struct uuid *bases, size_t n, const char *mode, bool empty, double ms, double quality);
/* Of struct rag_mode_stat. */
err rag_store_stats(struct ctx *c, struct uuids bases, int64_t days, struct list *out);
err rag_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n);
/* Accounts above that id with queries from before that instant. */
err rag_store_old_accounts(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
