/* Knowledge bases: spaces of documents, with how their texts are cut and embedded, and whether they are served. */
#ifndef LOCI_KNOWLEDGE_BASE_H
#define LOCI_KNOWLEDGE_BASE_H

#include "access.h"
#include "chunker.h"
#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "thing_table.h"

#define KNOWLEDGE_BASES 10000 /* of an account */
#define CHUNK_SIZE_MIN 200    /* code points */
#define CHUNK_SIZE_MAX 8000

#define KNOWLEDGE_BASE_STATUS(X) \
    X(KB_ACTIVE, "active") X(KB_INDEXING, "indexing") X(KB_PAUSED, "paused") X(KB_ERROR, "error") X(KB_ARCHIVED, "archived")
ENUMX_DECLARE(knowledge_base_status, KNOWLEDGE_BASE_STATUS);

#define QUERY_LOG(X) X(QUERY_LOG_FULL, "full") X(QUERY_LOG_HASH, "hash") X(QUERY_LOG_OFF, "off")
ENUMX_DECLARE(query_log, QUERY_LOG);

#define EXTRACTION(X) X(EXTRACTION_OFF, "off") X(EXTRACTION_NAMES, "names") X(EXTRACTION_RULES, "rules") X(EXTRACTION_LLM, "llm")
ENUMX_DECLARE(extraction, EXTRACTION);

struct knowledge_base {
    struct uuid id; /* of its space */
    const char *name, *slug, *description;
    const char *live_name; /* the unique key; NULL: deleted */
    enum knowledge_base_status status;
    enum chunking_strategy chunking_strategy;
    int64_t chunk_size, chunk_overlap;
    const char *embedding_provider, *embedding_model; /* NULL: the account's */
    bool is_public;
    enum query_log log_queries;
    enum extraction extraction;
    int64_t document_count, chunk_count, total_tokens, storage_bytes, query_count;
    struct instant last_indexed_at, last_queried_at;
    const char *error_code, *error_message;
    struct uuid created_by;
    const char *serving_model, *building_model; /* base_model.h; NULL: the account's, none */
    bool is_reembedding;
    int64_t reembed_total, reembed_left;
    const char *pii;          /* what its space says of private data in texts: redact, flag or off; NULL: flag */
    enum access_level access; /* what the caller may do here */
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing KNOWLEDGE_BASE;

struct knowledge_base_change {
    struct thing_change change;
    struct knowledge_base to;
};

struct knowledge_base_filter {
    int status;    /* an enum's value, or -1: any but archived */
    const char *q; /* part of the name; NULL: any */
    int64_t limit;
    const char *cursor;
};

/* ERR_CONFLICT: a live base has that name. */
err knowledge_base_create(struct ctx *c, const struct knowledge_base *in, struct knowledge_base *out);
/* One that the caller may not read is not there. */
err knowledge_base_get(struct ctx *c, struct uuid id, struct knowledge_base *out);
/* The same, for who wants to write documents in that space, the base or a section of it: ERR_CONFLICT where it is paused or archived. */
err knowledge_base_get_to_write(struct ctx *c, struct uuid id, struct uuid space_id, struct knowledge_base *out);
err knowledge_base_list(struct ctx *c, const struct knowledge_base_filter *f, struct page *out);
err knowledge_base_update(struct ctx *c, const struct knowledge_base_change *ch, struct knowledge_base *out);
/* Out of every read at once; its space can be restored for 30 days. */
err knowledge_base_delete(struct ctx *c, const struct thing_key *key);
err knowledge_base_restore(struct ctx *c, const struct thing_key *key, struct knowledge_base *out);

/* ---- its status; a forbidden move is ERR_CONFLICT, which names the state */

err knowledge_base_pause(struct ctx *c, const struct thing_key *key, struct knowledge_base *out);
err knowledge_base_resume(struct ctx *c, const struct thing_key *key, struct knowledge_base *out);
err knowledge_base_archive(struct ctx *c, const struct thing_key *key, struct knowledge_base *out);
err knowledge_base_unarchive(struct ctx *c, const struct thing_key *key, struct knowledge_base *out);

/* For the room itself, inside the transaction of what happens to a document, past the gate. */
err knowledge_base_start_indexing(struct ctx *c, struct uuid id);
/* … once no document waits or is worked on; else it stays. */
err knowledge_base_complete_indexing(struct ctx *c, struct uuid id);
/* A cause that stops every document; what is paused or archived stays so. */
err knowledge_base_mark_error(struct ctx *c, struct uuid id, const char *code, const char *message);
/* The cause is gone. */
err knowledge_base_mend(struct ctx *c, struct uuid id);
/* What a document adds to the counters of the space that it lies in, or takes away. */
struct knowledge_base_counts {
    int64_t documents, chunks, tokens, bytes;
};
err knowledge_base_update_stats(struct ctx *c, struct uuid space_id, const struct knowledge_base_counts *more);
err knowledge_base_record_query(struct ctx *c, const struct uuid *ids, size_t n);

/* The ids among wanted (none: of all that the caller may read and that are not archived); one that cannot be read: ERR_NOT_FOUND. */
err knowledge_base_readable(struct ctx *c, struct uuids wanted, struct uuids *out);
/* The spaces of these bases that the caller may read: themselves, and sections. */
struct uuids knowledge_base_spaces(struct ctx *c, struct uuids bases);
/* The same of one that may be read; nil: all spaces that are readable. */
err knowledge_base_readable_spaces(struct ctx *c, struct uuid id, struct uuids *out);
/* Leaves out those that are archived; *log: what the strictest of the others keeps of queries. */
err knowledge_base_searchable(struct ctx *c, struct uuids *ids, enum query_log *log);

#endif
