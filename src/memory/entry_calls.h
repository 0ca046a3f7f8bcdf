/* What the operations on entries share: an entry as answers show it, and as requests say it. */
#ifndef LOCI_ENTRY_CALLS_H
#define LOCI_ENTRY_CALLS_H

#include "context_calls.h"
#include "entry.h"
#include "tags.h"

#define ENTRIES_PATH CONTEXTS_PATH "/:id/entries"
#define ENTRY_PATH ENTRIES_PATH "/:eid"

struct entry_put_in {
    const char *id;                      /* the context */
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
    F_STR(s, entry_key, 0, 1, ENTRY_KEY, "name inside the context; an entry that is there under it gets this content; made up when left out"), \
    F_ENUM(s, entry_type, FIELD_NULLABLE, entry_type, -1, "what it says; left out: observation"), \
    F_ENUM(s, memory_type, FIELD_NULLABLE, memory_type, -1, "how it is kept; left out: factual for fact and preference, else experiential"), \
    F_JSON(s, content, FIELD_REQUIRED, ENTRY_CONTENT, "any JSON but null, at most 262144 bytes"), \
    F_STR(s, content_text, FIELD_RAW, 0, ENTRY_TEXT, "what recall finds it by; left out: made from the content"), \
    F_ENUM(s, source_type, 0, entry_source, ENTRY_BY_CALLER, "where it came from, if not from the caller"), \
    F_STR(s, source_id, FIELD_NULLABLE, 0, 255, "id there"), \
    F_STRS(s, context_tags, 0, TAGS_MAX, "tags; case does not count"), \
    F_OBJECT(s, task_context, FIELD_NULLABLE, ENTRY_METADATA, "the task it came from"), \
    F_OBJECT(s, metadata, 0, ENTRY_METADATA, "what programs keep about it"), \
    F_ENUM(s, outcome, 0, outcome, OUTCOME_UNKNOWN, "how what it tells of ended"), \
    F_NUM(s, importance_score, 0, 0, 1, 0.5, "how much it matters"), \
    F_NUM(s, confidence_score, 0, 0, 1, 1, "how sure you are"), \
    F_NUM(s, decay_rate, 0, 0, 1000, 0, "how fast importance fades, per day"), \
    F_BOOL(s, is_pinned, 0, false, "does not fade, and is never evicted"), \
    F_TIME(s, expires_at, FIELD_NULLABLE, "invisible from here on")

extern const struct field ENTRY_OUT[], ENTRY_HITS_OUT[];

/* An entry as files of entries have it: what entry.put takes. */
extern const struct field ENTRY_RECORD[];

struct entry_new entry_new_from(const struct entry_put_in *in);

#endif
