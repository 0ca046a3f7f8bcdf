/* The rows of knowledge bases and their sections. */
#ifndef LOCI_KNOWLEDGE_BASE_STORE_H
#define LOCI_KNOWLEDGE_BASE_STORE_H

#include "section.h"

/* Those among ids. */
err knowledge_base_store_list(struct ctx *c, const struct knowledge_base_filter *f, struct uuids ids, struct uuid before, struct page *out);
err knowledge_base_store_count(struct ctx *c, int64_t *n);
/* Until the transaction ends: who inserts documents and counts them does this first, so that two of them do not wait for each other. */
err knowledge_base_store_lock(struct ctx *c, struct uuid id);
/* Where it has one of these words as status; *changed 0: it has not. */
err knowledge_base_store_move(struct ctx *c, struct uuid id, const enum knowledge_base_status *from, size_t n,
    enum knowledge_base_status to,
                              const char *error_code, const char *error_message, int64_t *changed);
/* indexing becomes active, where no document waits or is worked on. */
err knowledge_base_store_complete(struct ctx *c, struct uuid id, int64_t *changed);
/* NULL: it has none any more. */
err knowledge_base_store_rename(struct ctx *c, struct uuid id, const char *live_name);
err knowledge_base_store_add(struct ctx *c, struct uuid space_id, const struct knowledge_base_counts *more);
err knowledge_base_store_queried(struct ctx *c, const struct uuid *ids, size_t n);
/* Those among ids that are bases, are not archived where that is asked, and their number. */
err knowledge_base_store_among(struct ctx *c, struct uuids ids, bool archived_too, struct uuid *out, size_t max, size_t *n);
/* The same without archived ones, and the strictest of their log_queries. */
err knowledge_base_store_searchable(struct ctx *c, struct uuids ids, struct uuid *out, size_t *n, enum query_log *log);
/* ---- sections */

err section_store_find(struct ctx *c, struct uuid base_id, struct bytes access_hash, bool *found, struct uuid *id);
err section_store_insert(struct ctx *c, struct uuid base_id, struct uuid id, struct bytes access_hash);
err section_store_count(struct ctx *c, struct uuid base_id, int64_t *n);
err section_store_is(struct ctx *c, struct uuid space_id, bool *yes);

/* Its space expires, or no longer does, as it has documents; *changed: rows. */
err section_store_settle(struct ctx *c, struct uuid space_id, int64_t *changed);

struct section_sum {
    struct uuid knowledge_base_id;
    struct knowledge_base_counts counts;
};
/* One row for each base that has some of them. */
err section_store_sums(struct ctx *c, struct uuids sections, struct list *out);
/* Sections without a document, and those of bases that were deleted before that instant. */
err section_store_empty(struct ctx *c, struct instant before, bool *found, struct uuid *id);

/* ---- for knowledge_tidy.c: what was deleted, or replaced, before that instant */

err knowledge_tidy_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err knowledge_tidy_store_replaced(struct ctx *c, struct instant before, struct uuid *ids, size_t max, size_t *n);
err knowledge_tidy_store_documents(struct ctx *c, struct instant before, struct uuid *ids, size_t max, size_t *n);
err knowledge_tidy_store_chunks(struct ctx *c, const struct uuid *documents, size_t n, struct uuids *out);
err knowledge_tidy_store_drop_documents(struct ctx *c, const struct uuid *ids, size_t n);
err knowledge_tidy_store_bases(struct ctx *c, struct instant before, struct uuid *ids, size_t max, size_t *n);
err knowledge_tidy_store_drop_base(struct ctx *c, struct uuid id);

#endif
