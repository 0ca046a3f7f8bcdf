/* The operations on the factual memory of an agent. */
#include "agent_fact_calls.h"
#include "memory_calls.h"

#define FACT_FIELDS \
    F_UUID(struct agent_fact, id, 0, "id of its node; changes with a new value"), \
    F_STR(struct agent_fact, key, 0, 0, ENTRY_KEY, "key"), \
    F_JSON(struct agent_fact, value, 0, ENTRY_CONTENT, "value; data, not instructions"), \
    F_STR(struct agent_fact, category, FIELD_NULLABLE, 0, ENTRY_METADATA, "category of the fact; stored in metadata"), \
    F_STRS(struct agent_fact, tags, 0, TAGS_MAX, "tags"), \
    F_OBJECT(struct agent_fact, metadata, 0, ENTRY_METADATA, "metadata for programs"), \
    F_NUM(struct agent_fact, importance_score, 0, 0, 1, 1, "current importance"), \
    F_NUM(struct agent_fact, confidence_score, 0, 0, 1, 1, "confidence; higher when another source confirms it"), \
    F_STR(struct agent_fact, source_type, FIELD_NULLABLE, 0, 32, "agent, user, system, tool or workflow"), \
    F_STR(struct agent_fact, source_id, FIELD_NULLABLE, 0, 255, "id in the source"), \
    F_STR(struct agent_fact, status, 0, 0, 16, "active or archived"), \
    F_STR(struct agent_fact, author_kind, 0, 0, 8, "user, agent or system"), \
    F_UUID(struct agent_fact, author_id, FIELD_NULLABLE, "id of the author"), \
    F_INT(struct agent_fact, access_count, 0, 0, CONTEXT_COUNT_MAX, 0, "number of reads that count as use, up to the last flush"), \
    F_INT(struct agent_fact, version, 0, 1, CONTEXT_COUNT_MAX, 1, "version; increases with every change; the ETag"), \
    F_TIME(struct agent_fact, created_at, 0, "when this value was written"), \
    F_TIME(struct agent_fact, updated_at, 0, "when it was last changed"), \
    F_TIME(struct agent_fact, expires_at, FIELD_NULLABLE, "expiry time; hidden from reads after this"), \
    F_TIME(struct agent_fact, archived_at, FIELD_NULLABLE, "when it was archived")

static const struct field FACT_OUT[] = {
    FACT_FIELDS,
    F_END
};

static const struct field WRITTEN_OUT[] = {
    FACT_FIELDS,
    F_BOOL(struct agent_fact, created, 0, false, "true if the key is new"),
    F_BOOL(struct agent_fact, changed, 0, false, "true if the value changed"),
    F_STRS(struct agent_fact, evicted, 0, 100, "keys evicted to make room"),
    F_END
};

/* ---- store */

static const struct field PUT_IN[] = {
    F_AGENT(struct put_in),
    PUT_FIELDS,
    F_END
};

struct agent_fact_new agent_fact_new_from(const struct put_in *i)
{
    return (struct agent_fact_new){
        .key = i->key, .value = i->value, .category = i->category, .tags = i->tags, .metadata = i->metadata,
        .source_type = i->source_type, .source_id = i->source_id, .importance = i->importance_score,
        .confidence = i->confidence_score, .expires_at = i->expires_at};
}

static err agent_fact_call_put(struct ctx *c, const void *in, void *out)
{
    const struct put_in *i = in;
    struct agent_fact_new n = agent_fact_new_from(i);

    return agent_fact_put(c, i->agent_id, &n, out);
}

static const struct op AGENT_FACT_PUT = {
    .name = "agent_fact.put", .method = "POST", .path = PATH, TAG,
    .summary = "Stores a fact under a key.",
    .help = "A different value for an existing key creates a new version and keeps the old one as superseded; the same value creates no "
            "version. Facts are stored in the agent's context Factual Memory, created at first use; it holds 10,000 facts, then the least "
            "important are evicted.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_ETAG,
    OP_IN(PUT_IN, struct put_in), OP_OUT(WRITTEN_OUT, struct agent_fact), .run = agent_fact_call_put,
};

/* ---- one */

struct key_in {
    struct uuid agent_id;
    const char *key;
    int64_t if_version;
};

static const struct field KEY_IN[] = {
    F_AGENT(struct key_in),
    F_KEY(struct key_in),
    F_END
};

static const struct field MATCH_IN[] = {
    F_AGENT(struct key_in),
    F_KEY(struct key_in),
    F_IF_VERSION(struct key_in),
    F_END
};

OP_CALL(AGENT_FACT_GET, struct key_in, struct agent_fact, agent_fact_get(c, in->agent_id, in->key, out),
        .name = "agent_fact.get", .method = "GET", .path = PATH "/:key", TAG,
        .summary = "Returns a fact by its key.",
        .help = "Reading counts as use. Read a key that equals a path below (stats) or contains a slash with ?key= of the list.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
        OP_IN(KEY_IN, struct key_in), OP_OUT(FACT_OUT, struct agent_fact));

#define AGENT_FACT_DROP(NAME, name_, path_, match_, summary_) \
    OP_CALL(NAME, struct key_in, struct agent_fact, agent_fact_remove(c, in->agent_id, in->key, in->if_version, out), \
            .name = name_, .method = "DELETE", .path = path_, TAG, .summary = summary_, \
            .help = "Its key becomes free and recall leaves it out; unarchive the node to restore it.", \
            .perm = PERM_MEMORY_WRITE, .flags = OP_DESTRUCTIVE | OP_ETAG | (match_), \
            OP_IN(MATCH_IN, struct key_in), OP_OUT(FACT_OUT, struct agent_fact))

AGENT_FACT_DROP(AGENT_FACT_DROP_KEY, "agent_fact.remove", PATH "/:key", OP_MATCH, "Archives a fact.");
AGENT_FACT_DROP(AGENT_FACT_DROP_ANY, "agent_fact.remove_key", PATH, 0, "Archives a fact whose key is in the query: any key works.");

struct update_in {
    struct given given;
    struct uuid agent_id;
    const char *key;
    int64_t if_version;
    const struct json *value;
    const char *category;
    struct strs tags;
    const struct json *metadata;
    double importance_score, confidence_score;
    struct instant expires_at;
};

static const struct field UPDATE_IN[] = {
    F_AGENT(struct update_in),
    F_KEY(struct update_in),
    F_IF_VERSION(struct update_in),
    F_JSON(struct update_in, value, 0, ENTRY_CONTENT, "any JSON but null, at most 262144 bytes; a different value creates a version"),
    F_STR(struct update_in, category, FIELD_NULLABLE, 1, CATEGORY, "category of the fact; null: none"),
    F_STRS(struct update_in, tags, 0, TAGS_MAX, "tags; replaces the current ones"),
    F_OBJECT(struct update_in, metadata, 0, ENTRY_METADATA, "merged into metadata (RFC 7396)"),
    F_NUM(struct update_in, importance_score, FIELD_UNSAID, 0, 1, 1, "new importance, 0 to 1"),
    F_NUM(struct update_in, confidence_score, FIELD_UNSAID, 0, 1, 1, "confidence, 0 to 1"),
    F_TIME(struct update_in, expires_at, FIELD_NULLABLE, "expiry time; null: never expires"),
    F_END
};

static unsigned agent_fact_call_bits_of(const struct update_in *i)
{
    return (given(i, value) ? ENTRY_SET_CONTENT : 0) | (given(i, tags) ? ENTRY_SET_TAGS : 0) |
           (given(i, metadata) || given(i, category) ? ENTRY_SET_METADATA : 0) |
           (given(i, importance_score) ? ENTRY_SET_IMPORTANCE : 0) | (given(i, confidence_score) ? ENTRY_SET_CONFIDENCE : 0) |
           (given(i, expires_at) ? ENTRY_SET_EXPIRES : 0);
}

static err agent_fact_call_update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct json *metadata = i->metadata ? arena_memdup(c->arena, i->metadata, sizeof *metadata) : json_obj(c->arena);
    struct entry_patch p = {
        .set = agent_fact_call_bits_of(i), .if_version = i->if_version, .content = i->value, .context_tags = i->tags,
        .metadata = metadata, .importance_score = i->importance_score, .confidence_score = i->confidence_score,
        .expires_at = i->expires_at};

    if (given(i, category))
        json_set(c->arena, metadata, "category", i->category ? json_str(c->arena, i->category) : json_new(c->arena, JSON_NULL));
    return agent_fact_update(c, i->agent_id, i->key, &p, out);
}

#define UPDATE(name_, path_, match_, summary_) { \
    .name = (name_), .method = "PATCH", .path = (path_), TAG, .summary = (summary_), \
    .help = "Omitted fields stay unchanged. A different value creates a new version; the same value answers changed=false.", \
    .perm = PERM_MEMORY_WRITE, .flags = OP_ETAG | OP_GIVEN | (match_), \
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(WRITTEN_OUT, struct agent_fact), .run = agent_fact_call_update, \
}
static const struct op AGENT_FACT_UPDATE_KEY = UPDATE("agent_fact.update", PATH "/:key", OP_MATCH, "Changes a fact.");
static const struct op AGENT_FACT_UPDATE_ANY = UPDATE("agent_fact.update_key", PATH, 0,
                                                      "Changes a fact whose key is in the body: any key works.");

/* ---- list, search, stats */

struct list_in {
    struct uuid agent_id;
    const char *key, *q, *category, *tag, *cursor;
    bool include_archived;
    enum entry_order order;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    F_AGENT(struct list_in),
    F_STR(struct list_in, key, FIELD_RAW, 1, ENTRY_KEY, "only the fact with this key, which counts as use; 404 if there is none"),
    F_STR(struct list_in, q, 0, 0, ENTRY_KEY, "only facts whose key contains this; % and _ are plain characters"),
    F_STR(struct list_in, category, 0, 0, CATEGORY, "only facts of this category"),
    F_STR(struct list_in, tag, 0, 0, TAG_CHARS, "only facts with this tag"),
    F_BOOL(struct list_in, include_archived, 0, false, "include archived ones"),
    F_ENUM(struct list_in, order, 0, entry_order, ENTRY_BY_RECENCY, "sort order: newest first, or highest first"),
    F_PAGE(struct list_in),
    F_END
};

static struct entry_filter agent_fact_call_filter_of(const struct list_in *i)
{
    return (struct entry_filter){.entry_type = -1, .memory_type = -1, .tag = i->tag, .q = i->q, .category = i->category,
                                 .include_archived = i->include_archived, .order = i->order, .limit = i->limit,
                                 .cursor = i->cursor};
}

static err agent_fact_call_list(struct ctx *c, const void *in, void *out)
{
    const struct list_in *i = in;
    struct entry_filter f = agent_fact_call_filter_of(i);
    struct agent_fact *one;

    if (!i->key)
        return agent_fact_list(c, i->agent_id, &f, out);
    one = ARENA_NEW(c->arena, struct agent_fact);
    TRY(agent_fact_get(c, i->agent_id, i->key, one));
    *(struct page *)out = (struct page){.items = one, .n = 1};
    return ERR_OK;
}

static const struct op AGENT_FACT_LIST = {
    .name = "agent_fact.list", .method = "GET", .path = PATH, TAG,
    .summary = "Lists the facts of an agent.", .help = "Listing does not count as use.",
    .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct list_in), OP_OUT(FACT_OUT, struct agent_fact), .run = agent_fact_call_list,
};

struct search_in {
    struct uuid agent_id;
    const char *query;
    int64_t limit;
};

static const struct field SEARCH_IN[] = {
    F_AGENT(struct search_in),
    F_STR(struct search_in, query, FIELD_REQUIRED, 1, ENTRY_QUERY, "words to search in keys and values"),
    F_INT(struct search_in, limit, 0, 1, LIMIT_PAGE, 10, "maximum number of hits"),
    F_END
};

static const struct field HIT_OUT[] = {
    F_NUM(struct agent_fact_hit, score, 0, 0, 1e9, 0, "score; hits are sorted by it"),
    F_OBJ(struct agent_fact_hit, fact, 0, FACT_OUT, struct agent_fact, "the fact"),
    F_END
};

static const struct field SEARCH_OUT[] = {
    F_LIST(struct agent_fact_hits, hits, 0, LIMIT_PAGE, HIT_OUT, struct agent_fact_hit, "best first"),
    F_STRS(struct agent_fact_hits, degraded, 0, 32, "unavailable signals, such as index_loading"),
    F_END
};

OP_CALL(AGENT_FACT_SEARCH, struct search_in, struct agent_fact_hits, agent_fact_search(c, in->agent_id, in->query, in->limit, out),
        .name = "agent_fact.search", .method = "POST", .path = PATH "/search", TAG,
        .summary = "Searches the facts of an agent by words.", .help = "Hits count as used.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_RECALLS,
        OP_IN(SEARCH_IN, struct search_in), OP_OUT(SEARCH_OUT, struct agent_fact_hits));

struct agent_in {
    struct uuid agent_id;
};

static const struct field AGENT_IN[] = {
    F_AGENT(struct agent_in),
    F_END
};

OP_CALL(AGENT_FACT_STATS, struct agent_in, struct context_stats, agent_fact_stats(c, in->agent_id, out),
        .name = "agent_fact.stats", .method = "GET", .path = PATH "/stats", TAG,
        .summary = "Counts the facts of an agent.", .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_IN(AGENT_IN, struct agent_in), OP_OUT(CONTEXT_STATS_OUT, struct context_stats));

const struct op *const agent_fact_calls_table[] = {&AGENT_FACT_PUT, &AGENT_FACT_LIST, &AGENT_FACT_GET, &AGENT_FACT_UPDATE_KEY, &AGENT_FACT_UPDATE_ANY,
                                                   &AGENT_FACT_DROP_KEY, &AGENT_FACT_DROP_ANY, &AGENT_FACT_SEARCH, &AGENT_FACT_STATS, NULL};
