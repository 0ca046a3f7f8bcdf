/* Entries: what a context holds, each under a key, with its content, scores and old states. */
#ifndef LOCI_ENTRY_H
#define LOCI_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "page.h"

#define ENTRY_KEY 255              /* characters */
#define ENTRY_CONTENT (256 * 1024) /* bytes of JSON */
#define ENTRY_TEXT 10000           /* characters of content_text */
#define ENTRY_METADATA (16 * 1024) /* bytes of metadata, and of task_context */

#define ENTRY_TYPE(X) \
    X(ENTRY_FACT, "fact") X(ENTRY_OBSERVATION, "observation") X(ENTRY_REFLECTION, "reflection") X(ENTRY_DECISION, "decision") \
    X(ENTRY_PLAN, "plan") X(ENTRY_TOOL_OUTPUT, "tool_output") X(ENTRY_SUMMARY, "conversation_summary") \
    X(ENTRY_PREFERENCE, "preference")
ENUMX_DECLARE(entry_type, ENTRY_TYPE);

#define MEMORY_TYPE(X) X(MEMORY_FACTUAL, "factual") X(MEMORY_EXPERIENTIAL, "experiential") X(MEMORY_WORKING, "working")
ENUMX_DECLARE(memory_type, MEMORY_TYPE);

/* What a caller may say instead of itself. */
#define ENTRY_SOURCE(X) X(ENTRY_BY_CALLER, "caller") X(ENTRY_BY_TOOL, "tool") X(ENTRY_BY_WORKFLOW, "workflow")
ENUMX_DECLARE(entry_source, ENTRY_SOURCE);

#define OUTCOME(X) X(OUTCOME_UNKNOWN, "unknown") X(OUTCOME_SUCCESS, "success") X(OUTCOME_FAILURE, "failure")
ENUMX_DECLARE(outcome, OUTCOME);

struct entry_row;

struct entry {
    struct uuid id, context_id;
    const char *entry_key;
    enum entry_type entry_type;
    enum memory_type memory_type;
    const struct json *content;
    const char *content_text;
    const char *source_type, *source_id;
    struct strs context_tags;
    const struct json *task_context, *metadata;
    enum outcome outcome;
    double importance_score, confidence_score, decay_rate, effective_relevance_score; /* now, 4 digits */
    bool is_pinned;
    int64_t access_count, version;
    int64_t previous_version; /* of the content before this one; 0: none is kept */
    const char *status, *author_kind;
    struct uuid author_id;
    const char *embedding; /* "ready" or "pending" */
    struct instant created_at, updated_at, last_accessed_at, expires_at, archived_at;
    bool created, changed;   /* answers to writing: a new entry; other content than before */
    struct strs evicted;     /* keys that made room for it */
    struct uuid merged_from; /* entry_get: the one that was asked for became this one */
};

/* Begin with ENTRY_NEW_DEFAULTS. */
struct entry_new {
    const char *entry_key;
    int entry_type, memory_type; /* an enum's value; -1: observation, and what the entry_type has */
    const struct json *content;
    const char *content_text;       /* NULL: made from the content */
    const struct entry_row *stored; /* not NULL: content, text, hash and size are this row's, and are not checked again */
    enum entry_source source_type;
    const char *source_id;
    struct strs context_tags;
    const struct json *task_context, *metadata;
    enum outcome outcome;
    double importance_score, confidence_score, decay_rate;
    bool is_pinned;
    struct instant expires_at;
    bool keeps_types; /* one that is there under the key must have these types, where they are said */
};
#define ENTRY_NEW_DEFAULTS .entry_type = ENTRY_OBSERVATION, .memory_type = -1, .importance_score = 0.5, .confidence_score = 1.0

#define ENTRY_SET_CONTENT 1u /* makes a version; content_text comes along */
#define ENTRY_SET_TAGS 2u
#define ENTRY_SET_METADATA 4u /* merged: RFC 7396 */
#define ENTRY_SET_IMPORTANCE 8u
#define ENTRY_SET_CONFIDENCE 16u
#define ENTRY_SET_DECAY_RATE 32u
#define ENTRY_SET_PINNED 64u
#define ENTRY_SET_EXPIRES 128u
#define ENTRY_SET_OUTCOME 256u
#define ENTRY_SET_TASK 512u
#define ENTRY_SET_METADATA_WHOLE 1024u /* replaced, not merged */

struct entry_patch {
    unsigned set;
    int64_t if_version; /* 0 or less: any */
    const struct json *content;
    const char *content_text;
    const struct entry_row *stored; /* as in entry_new */
    struct strs context_tags;
    const struct json *task_context, *metadata;
    double importance_score, confidence_score, decay_rate;
    bool is_pinned;
    struct instant expires_at;
    enum outcome outcome;
    enum entry_source source_type; /* of new content */
    const char *source_id;
};

/* What becomes of an entry that is there under the key: it stays; it gets the content as a version; it becomes all that is said. */
#define ENTRY_MERGING(X) X(MERGE_SKIP, "skip") X(MERGE_OVERWRITE, "overwrite") X(MERGE_VERSION, "version")
ENUMX_DECLARE(entry_merging, ENTRY_MERGING);

#define ENTRY_ORDER(X) \
    X(ENTRY_BY_RECENCY, "recent") X(ENTRY_BY_IMPORTANCE, "importance") X(ENTRY_BY_ACCESS, "access") X(ENTRY_BY_RELEVANCE, "relevance")
ENUMX_DECLARE(entry_order, ENTRY_ORDER);

struct entry_filter {
    const char *context;         /* of a call: which one */
    int entry_type, memory_type; /* an enum's value, or -1: any */
    const char *tag, *prefix;    /* of the key; NULL: any */
    const char *q, *category;    /* part of the key; the member of metadata; NULL: any */
    enum outcome outcome;        /* unknown: any */
    double min_importance;
    bool include_archived;
    bool is_light; /* without content */
    enum entry_order order;
    int64_t limit;
    const char *cursor;
};

/* Was the key made up for an entry that came without one? */
bool entry_key_is_made(const char *key);

/* context: id or handle; ref: id or key of the entry. Each asks the gate: what may not be read is not there. */

/* Upsert by key: makes the entry, or writes what is said here into the one that holds the key (equal content: no version).
 * Over a maximum of the context the least of the others go, or the write is refused. */
err entry_put(struct ctx *c, const char *context, const struct entry_new *in, struct entry *out);
/* Does not count as use: see node_touch. An id that was superseded leads to the entry as it is now, id or key of one that was
 * merged away to the one that stayed. */
err entry_get(struct ctx *c, const char *context, const char *ref, struct entry *out);
err entry_list(struct ctx *c, const char *context, const struct entry_filter *f, struct page *out);
/* Old states, newest first; their id is that of the node that kept them, version the number to revert to. */
err entry_history(struct ctx *c, const char *context, const char *ref, int64_t limit, const char *cursor, struct page *out);
err entry_update(struct ctx *c, const char *context, const char *ref, const struct entry_patch *p, struct entry *out);
/* The content of that version comes back as a new one. */
err entry_revert(struct ctx *c, const char *context, const char *ref, int64_t version, int64_t if_version, struct entry *out);
/* importance now ± amount, clamped to 0..1. */
err entry_boost(struct ctx *c, const char *context, const char *ref, double amount, struct entry *out);
/* Archived, it leaves its key to others; bringing it back while another holds the key: ERR_CONFLICT. */
err entry_archive(struct ctx *c, const char *context, const char *ref, bool archived, int64_t if_version, struct entry *out);
/* Those of them that are live, all or none. */
err entry_archive_many(struct ctx *c, const char *context, const struct uuid *ids, size_t n);
err entry_forget(struct ctx *c, const char *context, const char *ref, int64_t if_version);

#endif
