/* The operations of short-term memory that the router does not serve. */
#include "memory_calls.h"
#include "short_term.h"

#define TAG .tag = "short-term memory"
#define PATH "/api/v1/ai/agents/:agent_id/short_term"
#define COUNT_MAX 9e15

static const struct field ROW_OUT[] = {
    F_UUID(struct short_term, id, 0, "id"),
    F_UUID(struct short_term, agent_id, 0, "agent whose memory is used"),
    F_STR(struct short_term, session_id, 0, 0, 128, "session"),
    F_STR(struct short_term, memory_key, 0, 0, SHORT_TERM_KEY, "key"),
    F_JSON(struct short_term, memory_value, FIELD_NULLABLE, COUNT_MAX, "value"),
    F_ENUM(struct short_term, memory_type, 0, short_term_type, SHORT_TASK_CONTEXT, "type"),
    F_STRS(struct short_term, tags, 0, SHORT_TERM_TAGS, "tags"),
    F_INT(struct short_term, ttl_seconds, 0, SHORT_TERM_TTL_MIN, SHORT_TERM_TTL_MAX, SHORT_TERM_TTL, "seconds to live after each write or refresh"),
    F_TIME(struct short_term, expires_at, 0, "expiry time"),
    F_INT(struct short_term, access_count, 0, 0, COUNT_MAX, 0, "number of reads that count as use"),
    F_TIME(struct short_term, last_accessed_at, FIELD_NULLABLE, "time of the last one"),
    F_INT(struct short_term, version, 0, 1, COUNT_MAX, 1, "grows with every write"),
    F_ENUM(struct short_term, promote_state, 0, promote_state, PROMOTE_NONE, "promotion state"),
    F_INT(struct short_term, promote_attempts, 0, 0, COUNT_MAX, 0, "failed promotions"),
    F_STR(struct short_term, promote_error, FIELD_NULLABLE, 0, 500, "error of the last one"),
    F_UUID(struct short_term, promoted_node_id, FIELD_NULLABLE, "entry it was promoted to, or an existing duplicate"),
    F_TIME(struct short_term, created_at, 0, "when it was first written"),
    F_TIME(struct short_term, updated_at, 0, "when it was last written"),
    F_END
};

static const struct field LIST_IN[] = {
    F_UUID(struct short_term_filter, agent_id, FIELD_REQUIRED, "agent whose memory is used"),
    F_STR(struct short_term_filter, session_id, FIELD_RAW, 1, 128, "only of this session"),
    F_ENUM(struct short_term_filter, type, FIELD_UNSAID, short_term_type, -1, "only of this type"),
    F_STR(struct short_term_filter, q, 0, 1, SHORT_TERM_KEY, "part of the key"),
    F_PAGE(struct short_term_filter),
    F_END
};

OP_CALL(SHORT_TERM_LIST, struct short_term_filter, struct page, short_term_list(c, in, out),
        .name = "short_term.list", .method = "GET", .path = PATH, .tool = "session_notes", TAG,
        .summary = "Lists the short-term memory of an agent, newest first.",
        .help = "Listing does not count as use; only reads by key through tiered_memory do.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct short_term_filter), OP_OUT(ROW_OUT, struct short_term));

struct one_in {
    struct uuid agent_id, id;
};

static const struct field ONE_IN[] = {
    F_UUID(struct one_in, agent_id, FIELD_REQUIRED, "agent whose memory is used"),
    F_UUID(struct one_in, id, FIELD_REQUIRED, "id of the row"),
    F_END
};

OP_CALL(SHORT_TERM_REFRESH, struct one_in, struct short_term, short_term_refresh(c, in->agent_id, in->id, out),
        .name = "short_term.refresh", .method = "POST", .path = PATH "/:id/refresh", TAG,
        .summary = "Renews the time to live, at most until 30 days after its creation.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT,
        OP_IN(ONE_IN, struct one_in), OP_OUT(ROW_OUT, struct short_term));

const struct op *const short_term_calls_table[] = {&SHORT_TERM_LIST, &SHORT_TERM_REFRESH, NULL};
