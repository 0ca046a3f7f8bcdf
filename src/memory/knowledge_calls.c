/* The operations of shared knowledge. */
#include "knowledge.h"
#include "memory_calls.h"

#define TAG .tag = "knowledge"
#define PATH "/api/v1/ai/memory/shared_knowledge"
#define COUNT_MAX 9e15

OP_CALL(KNOWLEDGE_CREATE, struct knowledge, struct knowledge, knowledge_create(c, in, out),
        .name = "knowledge.create", .method = "POST", .path = PATH, .tool = "create_knowledge", TAG,
        .summary = "Shares knowledge with a team or the account.",
        .help = "A duplicate in the same or a wider namespace gets 409 `duplicate` with its id; text just returned by recall gets 409 `echo`.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_CREATES | OP_ETAG,
        OP_MAKE(KNOWLEDGE, struct knowledge), OP_GIVE(KNOWLEDGE, struct knowledge));

/* ---- read */

static const struct field FIND_IN[] = {
    F_STR(struct knowledge_filter, query, 0, 0, 4096, "query text; default: everything, newest first"),
    F_ENUM(struct knowledge_filter, content_type, FIELD_UNSAID, knowledge_type, -1, "only this content type"),
    F_ENUM(struct knowledge_filter, access_level, FIELD_UNSAID, audience, -1, "only this audience"),
    F_STRS(struct knowledge_filter, tags, 0, 16, "only items with all of these tags"),
    F_BOOL(struct knowledge_filter, high_quality, 0, false, "only with a quality of 0.7 or more"),
    F_INT(struct knowledge_filter, limit, 0, 1, KNOWLEDGE_LIMIT, 10, "maximum number of rows"),
    F_STR(struct knowledge_filter, cursor, 0, 0, LIMIT_CURSOR, "next_cursor of the previous page, without a query; opaque"),
    F_END
};

OP_CALL(KNOWLEDGE_SEARCH, struct knowledge_filter, struct page, knowledge_find(c, in, out),
        .name = "knowledge.search", .method = "GET", .path = PATH, .tool = "search_knowledge", TAG,
        .summary = "Searches or lists shared knowledge.",
        .help = "Only what the caller can read, without archived items. Hits count as access, not as usage.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST | OP_RECALLS,
        OP_IN(FIND_IN, struct knowledge_filter), OP_GIVE(KNOWLEDGE, struct knowledge));

OP_CALL(KNOWLEDGE_GET, struct thing_key, struct knowledge, knowledge_get(c, in->id, out),
        .name = "knowledge.get", .method = "GET", .path = PATH "/:id", TAG,
        .summary = "Returns an item of shared knowledge.", .help = "This counts as usage.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
        OP_KEY(KNOWLEDGE), OP_GIVE(KNOWLEDGE, struct knowledge));

/* ---- change */

OP_CALL(KNOWLEDGE_UPDATE, struct knowledge_change, struct knowledge, knowledge_update(c, in, out),
        .name = "knowledge.update", .method = "PATCH", .path = PATH "/:id", .tool = "update_knowledge", TAG,
        .summary = "Changes an item of shared knowledge.",
        .help = "Omitted fields stay unchanged. A different title, text, type or tags create a new version; equal ones answer "
                "changed=false.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_ETAG | OP_MATCH | OP_IF_VERSION, OP_CHANGE(KNOWLEDGE, struct knowledge_change),
        OP_GIVE(KNOWLEDGE, struct knowledge));

struct promote_in {
    struct uuid id, team_id;
    enum audience access_level;
};

static const struct field PROMOTE_IN[] = {
    F_UUID(struct promote_in, id, FIELD_REQUIRED, "id of the entry"),
    F_ENUM(struct promote_in, access_level, FIELD_REQUIRED, audience, AUDIENCE_TEAM, "a wider audience; requires write access to its namespace"),
    F_UUID(struct promote_in, team_id, FIELD_NULLABLE, "team; default: the only one the caller can write for"),
    F_END
};

OP_CALL(KNOWLEDGE_PROMOTE, struct promote_in, struct knowledge, knowledge_promote(c, in->id, in->access_level, in->team_id, out),
        .name = "knowledge.promote", .method = "POST", .path = PATH "/:id/promote", .tool = "promote_knowledge", TAG,
        .summary = "Promotes shared knowledge to a wider audience.", .help = "It keeps its id, versions and ratings.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_ETAG,
        OP_IN(PROMOTE_IN, struct promote_in), OP_GIVE(KNOWLEDGE, struct knowledge));

struct rate_in {
    struct uuid id;
    int64_t rating;
};

static const struct field RATE_IN[] = {
    F_UUID(struct rate_in, id, FIELD_REQUIRED, "id of the entry"),
    F_INT(struct rate_in, rating, FIELD_REQUIRED, 1, 5, 3, "1 (useless) to 5 (excellent)"),
    F_END
};

OP_CALL(KNOWLEDGE_RATE, struct rate_in, struct knowledge, knowledge_rate(c, in->id, in->rating, out),
        .name = "knowledge.rate", .method = "POST", .path = PATH "/:id/rate", .tool = "rate_knowledge", TAG,
        .summary = "Rates an item of shared knowledge.", .help = "The latest rating of each user or agent counts; you cannot rate your own.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT,
        OP_IN(RATE_IN, struct rate_in), OP_GIVE(KNOWLEDGE, struct knowledge));

OP_CALL(KNOWLEDGE_DELETE, struct thing_key, struct knowledge, knowledge_archive(c, in->id, true, in->if_version, out),
        .name = "knowledge.delete", .method = "DELETE", .path = PATH "/:id", .tool = "delete_knowledge", TAG,
        .summary = "Archives an item of shared knowledge.", .help = "Searches and lists leave it out; it can still be read by its id.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_DESTRUCTIVE | OP_IDEMPOTENT | OP_MATCH | OP_IF_VERSION,
        OP_KEY(KNOWLEDGE), OP_GIVE(KNOWLEDGE, struct knowledge));

/* ---- health */

static const struct field COUNT_OUT[] = {
    F_STR(struct knowledge_count, name, 0, 0, 16, "content_type or access_level"),
    F_INT(struct knowledge_count, n, 0, 0, COUNT_MAX, 0, "entries"),
    F_END
};

static const struct field HEALTH_OUT[] = {
    F_INT(struct knowledge_health, total, 0, 0, COUNT_MAX, 0, "items the caller can read"),
    F_INT(struct knowledge_health, archived, 0, 0, COUNT_MAX, 0, "archived items"),
    F_INT(struct knowledge_health, high_quality, 0, 0, COUNT_MAX, 0, "with a quality of 0.7 or more"),
    F_INT(struct knowledge_health, low_quality, 0, 0, COUNT_MAX, 0, "with a quality below 0.4"),
    F_INT(struct knowledge_health, never_used, 0, 0, COUNT_MAX, 0, "items never read by id"),
    F_INT(struct knowledge_health, rated, 0, 0, COUNT_MAX, 0, "rated items"),
    F_INT(struct knowledge_health, stale, 0, 0, COUNT_MAX, 0, "stale items: long unused and of low quality"),
    F_NUM(struct knowledge_health, average_quality, 0, 0, 1, 0, "average quality, as last computed; 0: none"),
    F_NUM(struct knowledge_health, average_rating, 0, 0, 5, 0, "average rating; 0: none"),
    F_LIST(struct knowledge_health, by_type, 0, KNOWLEDGE_LIMIT, COUNT_OUT, struct knowledge_count, "entries by content_type"),
    F_LIST(struct knowledge_health, by_level, 0, KNOWLEDGE_LIMIT, COUNT_OUT, struct knowledge_count, "entries by access_level"),
    F_END
};

OP_CALL(KNOWLEDGE_HEALTH, void, struct knowledge_health, knowledge_health(c, out),
        .name = "knowledge.health", .method = "GET", .path = "/api/v1/ai/memory/knowledge_health", .tool = "knowledge_health", TAG,
        .summary = "Returns counts and averages of shared knowledge.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_OUT(HEALTH_OUT, struct knowledge_health));

const struct op *const knowledge_calls_table[] = {&KNOWLEDGE_CREATE, &KNOWLEDGE_SEARCH, &KNOWLEDGE_GET, &KNOWLEDGE_UPDATE, &KNOWLEDGE_PROMOTE,
                                                  &KNOWLEDGE_RATE, &KNOWLEDGE_DELETE, &KNOWLEDGE_HEALTH, NULL};
