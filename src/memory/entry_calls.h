/* What the operations on entries share: an entry as answers show it, and as requests say it. */
#ifndef LOCI_ENTRY_CALLS_H
#define LOCI_ENTRY_CALLS_H

#include "context_calls.h"
#include "entry.h"
#include "tags.h"

#define ENTRIES_PATH CONTEXTS_PATH "/:id/entries"
#define ENTRY_PATH ENTRIES_PATH "/:eid"

struct entry_put_in {
    const char *id; /* the context */
    const char *entry_key;
    int entry_type, memory_type;
    const struct json *content;
    const char *content_text;
    enum entry_source source_type;
    const char *source_id;
    struct strs context_tags;
    const struct json *task_context, *metadata;
    enum outcome outcome;
    double importance_score, confidence_score, decay_rate;
    bool is_pinned;
    struct instant expires_at;
};

#define F_ENTRY_PUT(s) \
    F_STR(s, entry_key, 0, 1, ENTRY_KEY, "key; an existing entry with this key gets a new version; default: generated"), \
    F_ENUM(s, entry_type, FIELD_NULLABLE, entry_type, -1, "entry type; default: observation"), \
    F_ENUM(s, memory_type, FIELD_NULLABLE, memory_type, -1, "memory type; default: factual for fact and preference, else experiential"), \
    F_JSON(s, content, FIELD_REQUIRED, ENTRY_CONTENT, "any JSON but null, at most 262144 bytes"), \
    F_STR(s, content_text, FIELD_RAW, 0, ENTRY_TEXT, "text for recall; default: derived from the content"), \
    F_ENUM(s, source_type, 0, entry_source, ENTRY_BY_CALLER, "kind of source, if not the caller"), \
    F_STR(s, source_id, FIELD_NULLABLE, 0, 255, "id in the source"), \
    F_STRS(s, context_tags, 0, TAGS_MAX, "tags; case-insensitive"), \
    F_OBJECT(s, task_context, FIELD_NULLABLE, ENTRY_METADATA, "context of the task"), \
    F_OBJECT(s, metadata, 0, ENTRY_METADATA, "metadata for programs"), \
    F_ENUM(s, outcome, 0, outcome, OUTCOME_UNKNOWN, "outcome: true if it succeeded"), \
    F_NUM(s, importance_score, 0, 0, 1, 0.5, "importance, 0 to 1"), \
    F_NUM(s, confidence_score, 0, 0, 1, 1, "confidence, 0 to 1"), \
    F_NUM(s, decay_rate, 0, 0, 1000, 0, "decay rate of importance per day"), \
    F_BOOL(s, is_pinned, 0, false, "pinned: does not decay and is never evicted"), \
    F_TIME(s, expires_at, FIELD_NULLABLE, "expiry time; hidden from reads after this")

extern const struct field ENTRY_OUT[], ENTRY_HITS_OUT[];

/* An entry as files of entries have it: what entry.put takes. */
extern const struct field ENTRY_RECORD[];

struct entry_new entry_new_from(const struct entry_put_in *in);

#endif
