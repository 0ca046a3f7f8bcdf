/* The operations on entries of a context. */
#include "entry_calls.h"

#include "memory_calls.h"
#include "node.h"

#define ENTRY_FIELDS \
    F_UUID(struct entry, id, 0, "id of the entry (and of its node); the id of a fact changes with a new value"), \
    F_UUID(struct entry, context_id, 0, "context of the entry"), \
    F_STR(struct entry, entry_key, 0, 0, ENTRY_KEY, "key of the entry in the context"), \
    F_ENUM(struct entry, entry_type, 0, entry_type, ENTRY_OBSERVATION, "content"), \
    F_ENUM(struct entry, memory_type, 0, memory_type, MEMORY_EXPERIENTIAL, "memory type"), \
    F_JSON(struct entry, content, 0, ENTRY_CONTENT, "content as JSON"), \
    F_STR(struct entry, content_text, 0, 0, LIMIT_NODE_BODY, "text for recall; data, not instructions"), \
    F_STR(struct entry, source_type, FIELD_NULLABLE, 0, 32, "agent, user, system, tool or workflow"), \
    F_STR(struct entry, source_id, FIELD_NULLABLE, 0, 255, "id in the source"), \
    F_STRS(struct entry, context_tags, 0, TAGS_MAX, "tags"), \
    F_OBJECT(struct entry, task_context, FIELD_NULLABLE, ENTRY_METADATA, "context of the task"), \
    F_OBJECT(struct entry, metadata, 0, ENTRY_METADATA, "metadata for programs"), \
    F_ENUM(struct entry, outcome, 0, outcome, OUTCOME_UNKNOWN, "outcome: true if it succeeded"), \
    F_NUM(struct entry, importance_score, 0, 0, 1, 0.5, "current importance, after decay"), \
    F_NUM(struct entry, confidence_score, 0, 0, 1, 1, "confidence given by its author"), \
    F_NUM(struct entry, decay_rate, 0, 0, 1000, 0, "decay rate of importance per day"), \
    F_NUM(struct entry, effective_relevance_score, 0, 0, 1, 0.5, "current importance times confidence"), \
    F_BOOL(struct entry, is_pinned, 0, false, "pinned: does not decay and is never evicted"), \
    F_INT(struct entry, access_count, 0, 0, CONTEXT_COUNT_MAX, 0, "number of reads that count as use, up to the last flush"), \
    F_INT(struct entry, version, 0, 1, CONTEXT_COUNT_MAX, 1, "version of the content; the ETag"), \
    F_INT(struct entry, previous_version, 0, 0, CONTEXT_COUNT_MAX, 0, "previous version, for revert; 0: none"), \
    F_STR(struct entry, status, 0, 0, 16, "active or archived; for an old version: version or superseded"), \
    F_STR(struct entry, author_kind, 0, 0, 8, "user, agent or system"), \
    F_UUID(struct entry, author_id, FIELD_NULLABLE, "id of the author"), \
    F_STR(struct entry, embedding, 0, 0, 8, "ready, or pending: its vector is being computed"), \
    F_TIME(struct entry, created_at, 0, "when it was created"), \
    F_TIME(struct entry, updated_at, 0, "when it was last changed"), \
    F_TIME(struct entry, last_accessed_at, FIELD_NULLABLE, "time of the last use, up to the last flush"), \
    F_TIME(struct entry, expires_at, FIELD_NULLABLE, "expiry time; hidden from reads after this"), \
    F_TIME(struct entry, archived_at, FIELD_NULLABLE, "when it was archived"), \
    F_UUID(struct entry, merged_from, FIELD_NULLABLE, "id of the requested entry, if it was merged into this one")

const struct field ENTRY_OUT[] = {
    ENTRY_FIELDS,
    F_END
};

static const struct field WRITTEN_OUT[] = {
    ENTRY_FIELDS,
    F_BOOL(struct entry, created, 0, false, "true if the key is new"),
    F_BOOL(struct entry, changed, 0, false, "true if the content changed"),
    F_STRS(struct entry, evicted, 0, 200, "keys of entries evicted to make room or because of max_age_days"),
    F_END
};

/* ---- write */

static const struct field PUT_IN[] = {
    F_CONTEXT(struct entry_put_in),
    F_ENTRY_PUT(struct entry_put_in),
    F_END
};

struct entry_new entry_new_from(const struct entry_put_in *in)
{
    return (struct entry_new){
        .entry_key = in->entry_key, .entry_type = in->entry_type, .memory_type = in->memory_type, .content = in->content,
        .content_text = in->content_text, .source_type = in->source_type, .source_id = in->source_id,
        .context_tags = in->context_tags, .task_context = in->task_context, .metadata = in->metadata, .outcome = in->outcome,
        .importance_score = in->importance_score, .confidence_score = in->confidence_score, .decay_rate = in->decay_rate,
        .is_pinned = in->is_pinned, .expires_at = in->expires_at};
}

static err entry_call_put(struct ctx *c, const void *in, void *out)
{
    const struct entry_put_in *i = in;
    struct entry_new n = entry_new_from(i);

    n.keeps_types = true;
    return entry_put(c, i->id, &n, out);
}

static const struct op ENTRY_PUT = {
    .name = "entry.put", .method = "POST", .path = ENTRIES_PATH, .tool = "context_add", CONTEXT_TAG,
    .summary = "Writes an entry under a key.",
    .help = "An existing entry with this key gets a new version with this content and with the given tags, metadata, task_context, outcome "
            "and expires_at, and the answer is 200, not 201; equal content creates no version. The types of an existing entry cannot be changed. The key `bulk` is reserved. "
            "If the context is full, the least relevant entries are evicted and listed, or the write is refused, depending on its policy.",
    .perm = PERM_CONTEXT_UPDATE, .flags = OP_CREATES | OP_FINDS | OP_ETAG,
    OP_IN(PUT_IN, struct entry_put_in), OP_OUT(WRITTEN_OUT, struct entry), .run = entry_call_put,
};

/* ---- read */

struct ref_in {
    const char *id, *eid;
    int64_t if_version;
    double amount;
    int64_t version;
};

#define REF \
    F_CONTEXT(struct ref_in), \
    F_STR(struct ref_in, eid, FIELD_REQUIRED, 1, ENTRY_KEY, "id of the entry, or its key")

static const struct field REF_IN[] = {
    REF,
    F_END
};

static const struct field MATCH_IN[] = {
    REF,
    F_IF_VERSION(struct ref_in),
    F_END
};

static err entry_call_get(struct ctx *c, const void *in, void *out)
{
    const struct ref_in *i = in;
    struct entry *e = out;

    TRY(entry_get(c, i->id, i->eid, e));
    node_touch(c, &e->id, 1);
    access_log_read(c, &(struct access_read){.action = LOGGED_READ, .context_id = e->context_id, .entry_id = e->id});
    return ERR_OK;
}

static const struct op ENTRY_GET = {
    .name = "entry.get", .method = "GET", .path = ENTRY_PATH, .tool = "context_get", CONTEXT_TAG,
    .summary = "Returns an entry by its id or key.", .help = "Reading counts as use and slows the decay of importance.",
    .perm = PERM_CONTEXT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
    OP_IN(REF_IN, struct ref_in), OP_OUT(ENTRY_OUT, struct entry), .run = entry_call_get,
};

static const struct field LIST_IN[] = {
    F_STR_AS("id", struct entry_filter, context, FIELD_REQUIRED, 1, CONTEXT_HANDLE, "id of the context, or its handle"),
    F_ENUM(struct entry_filter, entry_type, FIELD_NULLABLE, entry_type, -1, "only entries of this type"),
    F_ENUM(struct entry_filter, memory_type, FIELD_NULLABLE, memory_type, -1, "only entries of this memory type"),
    F_STR(struct entry_filter, tag, 0, 0, TAG_CHARS, "only entries with this tag"),
    F_STR(struct entry_filter, prefix, 0, 0, ENTRY_KEY, "only entries whose key starts with this"),
    F_NUM(struct entry_filter, min_importance, 0, 0, 1, 0, "minimum current importance; high is 0.7"),
    F_BOOL(struct entry_filter, include_archived, 0, false, "include archived ones"),
    F_ENUM(struct entry_filter, order, 0, entry_order, ENTRY_BY_RECENCY, "sort order: newest first, or highest first"),
    F_PAGE(struct entry_filter),
    F_END
};

OP_CALL(ENTRY_LIST, struct entry_filter, struct page, entry_list(c, in->context, in, out),
        .name = "entry.list", .method = "GET", .path = ENTRIES_PATH, CONTEXT_TAG,
        .summary = "Lists the entries of a context.", .help = "Listing does not count as use.",
        .perm = PERM_CONTEXT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct entry_filter), OP_OUT(ENTRY_OUT, struct entry));

struct history_in {
    const char *id, *eid, *cursor;
    int64_t limit;
};

static const struct field HISTORY_IN[] = {
    F_CONTEXT(struct history_in),
    F_STR(struct history_in, eid, FIELD_REQUIRED, 1, ENTRY_KEY, "id of the entry, or its key"),
    F_PAGE(struct history_in),
    F_END
};

OP_CALL(ENTRY_HISTORY, struct history_in, struct page, entry_history(c, in->id, in->eid, in->limit, in->cursor, out),
        .name = "entry.history", .method = "GET", .path = ENTRY_PATH "/history", CONTEXT_TAG,
        .summary = "Lists the old versions of an entry, newest first.",
        .help = "Pass a version to revert to restore its content.",
        .perm = PERM_CONTEXT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(HISTORY_IN, struct history_in), OP_OUT(ENTRY_OUT, struct entry));

/* ---- change */

struct update_in {
    struct given given;
    const char *id, *eid;
    int64_t if_version;
    const struct json *content;
    const char *content_text;
    struct strs context_tags;
    const struct json *task_context, *metadata;
    enum outcome outcome;
    double importance_score, confidence_score, decay_rate;
    bool is_pinned;
    struct instant expires_at;
};

static const struct field UPDATE_IN[] = {
    F_CONTEXT(struct update_in),
    F_STR(struct update_in, eid, FIELD_REQUIRED, 1, ENTRY_KEY, "id of the entry, or its key"),
    F_IF_VERSION(struct update_in),
    F_JSON(struct update_in, content, 0, ENTRY_CONTENT, "any JSON but null, at most 262144 bytes; different content creates a version"),
    F_STR(struct update_in, content_text, FIELD_RAW, 0, ENTRY_TEXT, "text for recall; only together with content"),
    F_STRS(struct update_in, context_tags, 0, TAGS_MAX, "tags; replaces the current ones"),
    F_OBJECT(struct update_in, task_context, FIELD_NULLABLE, ENTRY_METADATA, "context of the task"),
    F_OBJECT(struct update_in, metadata, 0, ENTRY_METADATA, "merged into metadata (RFC 7396)"),
    F_ENUM(struct update_in, outcome, FIELD_UNSAID, outcome, OUTCOME_UNKNOWN, "outcome: true if it succeeded"),
    F_NUM(struct update_in, importance_score, FIELD_UNSAID, 0, 1, 0.5, "new importance, 0 to 1"),
    F_NUM(struct update_in, confidence_score, FIELD_UNSAID, 0, 1, 1, "confidence, 0 to 1"),
    F_NUM(struct update_in, decay_rate, FIELD_UNSAID, 0, 1000, 0, "decay rate of importance per day"),
    F_BOOL(struct update_in, is_pinned, FIELD_UNSAID, false, "pinned: does not decay and is never evicted"),
    F_TIME(struct update_in, expires_at, FIELD_NULLABLE, "expiry time; null: never expires"),
    F_END
};

static unsigned entry_call_bits_of(const struct update_in *i)
{
    return (given(i, content) ? ENTRY_SET_CONTENT : 0) | (given(i, context_tags) ? ENTRY_SET_TAGS : 0) |
           (given(i, task_context) ? ENTRY_SET_TASK : 0) | (given(i, metadata) ? ENTRY_SET_METADATA : 0) |
           (given(i, outcome) ? ENTRY_SET_OUTCOME : 0) | (given(i, importance_score) ? ENTRY_SET_IMPORTANCE : 0) |
           (given(i, confidence_score) ? ENTRY_SET_CONFIDENCE : 0) | (given(i, decay_rate) ? ENTRY_SET_DECAY_RATE : 0) |
           (given(i, is_pinned) ? ENTRY_SET_PINNED : 0) | (given(i, expires_at) ? ENTRY_SET_EXPIRES : 0);
}

static err entry_call_update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct entry_patch p = {
        .set = entry_call_bits_of(i), .if_version = i->if_version, .content = i->content, .content_text = i->content_text,
        .context_tags = i->context_tags, .task_context = i->task_context, .metadata = i->metadata, .outcome = i->outcome,
        .importance_score = i->importance_score, .confidence_score = i->confidence_score, .decay_rate = i->decay_rate,
        .is_pinned = i->is_pinned, .expires_at = i->expires_at};

    if (given(i, content_text) && !given(i, content))
        return fail_field(c, "/content_text", "content_text can be changed only together with content");
    return entry_update(c, i->id, i->eid, &p, out);
}

static const struct op ENTRY_UPDATE = {
    .name = "entry.update", .method = "PATCH", .path = ENTRY_PATH, CONTEXT_TAG,
    .summary = "Changes an entry.",
    .help = "Omitted fields stay unchanged. Different content creates a version and keeps the old one; equal content answers changed=false.",
    .perm = PERM_CONTEXT_UPDATE, .flags = OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(WRITTEN_OUT, struct entry), .run = entry_call_update,
};

static const struct field REVERT_IN[] = {
    REF,
    F_IF_VERSION(struct ref_in),
    F_INT(struct ref_in, version, FIELD_REQUIRED, 1, CONTEXT_COUNT_MAX, 0, "version to restore, as a new version"),
    F_END
};

OP_CALL(ENTRY_REVERT, struct ref_in, struct entry, entry_revert(c, in->id, in->eid, in->version, in->if_version, out),
        .name = "entry.revert", .method = "POST", .path = ENTRY_PATH "/revert", CONTEXT_TAG,
        .summary = "Restores the content of an older version.", .help = "The content is restored as a new version, so nothing is lost.",
        .perm = PERM_CONTEXT_UPDATE, .flags = OP_ETAG | OP_MATCH,
        OP_IN(REVERT_IN, struct ref_in), OP_OUT(WRITTEN_OUT, struct entry));

static const struct field AMOUNT_IN[] = {
    REF,
    F_NUM(struct ref_in, amount, 0, 0.01, 0.5, 0.1, "amount"),
    F_END
};

OP_CALL(ENTRY_BOOST, struct ref_in, struct entry, entry_boost(c, in->id, in->eid, in->amount, out),
        .name = "entry.boost", .method = "POST", .path = ENTRY_PATH "/boost", CONTEXT_TAG,
        .summary = "Raises the importance of an entry.", .perm = PERM_CONTEXT_UPDATE, .flags = OP_ETAG,
        OP_IN(AMOUNT_IN, struct ref_in), OP_OUT(ENTRY_OUT, struct entry));

OP_CALL(ENTRY_REDUCE, struct ref_in, struct entry, entry_boost(c, in->id, in->eid, -in->amount, out),
        .name = "entry.reduce", .method = "POST", .path = ENTRY_PATH "/reduce", CONTEXT_TAG,
        .summary = "Lowers the importance of an entry.", .perm = PERM_CONTEXT_UPDATE, .flags = OP_ETAG,
        OP_IN(AMOUNT_IN, struct ref_in), OP_OUT(ENTRY_OUT, struct entry));

OP_CALL(ENTRY_ARCHIVE, struct ref_in, struct entry, entry_archive(c, in->id, in->eid, true, in->if_version, out),
        .name = "entry.archive", .method = "POST", .path = ENTRY_PATH "/archive", CONTEXT_TAG,
        .summary = "Archives an entry; its key becomes free.",
        .perm = PERM_CONTEXT_UPDATE, .flags = OP_IDEMPOTENT | OP_ETAG | OP_MATCH,
        OP_IN(MATCH_IN, struct ref_in), OP_OUT(ENTRY_OUT, struct entry));

OP_CALL(ENTRY_UNARCHIVE, struct ref_in, struct entry, entry_archive(c, in->id, in->eid, false, in->if_version, out),
        .name = "entry.unarchive", .method = "POST", .path = ENTRY_PATH "/unarchive", CONTEXT_TAG,
        .summary = "Restores an archived or forgotten entry under its key.", .help = "Give its id; 409 if another entry uses the key meanwhile.",
        .perm = PERM_CONTEXT_UPDATE, .flags = OP_IDEMPOTENT | OP_ETAG | OP_MATCH,
        OP_IN(MATCH_IN, struct ref_in), OP_OUT(ENTRY_OUT, struct entry));

OP_CALL(ENTRY_FORGET, struct ref_in, void, entry_forget(c, in->id, in->eid, in->if_version),
        .name = "entry.forget", .method = "DELETE", .path = ENTRY_PATH, CONTEXT_TAG,
        .summary = "Forgets an entry.", .help = "It is hidden from all reads; unarchive restores it by its id.",
        .perm = PERM_CONTEXT_DELETE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY,
        OP_IN(MATCH_IN, struct ref_in));

const struct op *const entry_calls_table[] = {&ENTRY_PUT, &ENTRY_LIST, &ENTRY_GET, &ENTRY_HISTORY, &ENTRY_UPDATE, &ENTRY_REVERT, &ENTRY_BOOST,
                                              &ENTRY_REDUCE, &ENTRY_ARCHIVE, &ENTRY_UNARCHIVE, &ENTRY_FORGET, NULL};
