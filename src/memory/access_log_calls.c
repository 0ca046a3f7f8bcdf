/* The operation that shows the access log of a context. */
#include "access_log.h"
#include "context_calls.h"
#include "entry.h"
#include "memory_calls.h"

static const struct field EVENT_OUT[] = {
    F_UUID(struct access_event, id, 0, "id of the event"),
    F_ENUM(struct access_event, action, 0, access_action, LOGGED_READ, "action"),
    F_ENUM(struct access_event, access_type, 0, access_type, LOGGED_BY_API, "user: a user in a browser; api: a user by token; agent; "
                                                                            "workflow: an agent or user in a workflow run; system: a job or "
                                                                            "command"),
    F_BOOL(struct access_event, success, 0, true, "false: refused"),
    F_STR(struct access_event, error_message, FIELD_NULLABLE, 0, ACCESS_ERROR, "reason of the refusal"),
    F_UUID(struct access_event, user_id, FIELD_NULLABLE, "user"),
    F_UUID(struct access_event, agent_id, FIELD_NULLABLE, "agent"),
    F_UUID(struct access_event, entry_id, FIELD_NULLABLE, "entry; null: the context itself"),
    F_JSON(struct access_event, previous_value, FIELD_NULLABLE, ENTRY_CONTENT, "version before, while it is kept"),
    F_JSON(struct access_event, new_value, FIELD_NULLABLE, ENTRY_CONTENT, "version after, while it is kept"),
    F_OBJECT(struct access_event, changes_summary, FIELD_NULLABLE, LIMIT_ATTRS, "had_previous, has_new, size_change in bytes"),
    F_STR(struct access_event, request_id, 0, 0, 64, "request id"),
    F_STR(struct access_event, ip_address, 0, 0, 45, "IP address"),
    F_STR(struct access_event, user_agent, 0, 0, USER_AGENT_MAX, "User-Agent"),
    F_OBJECT(struct access_event, metadata, FIELD_NULLABLE, LIMIT_ATTRS, "further details; for a search a hash of the query, or its text if "
                                                                         "the context's metadata has log_queries: true"),
    F_TIME(struct access_event, created_at, 0, "when"),
    F_END
};

struct list_in {
    struct given given;
    const char *id;
    int action;
    struct uuid agent_id, entry_id;
    bool success;
    struct instant from, to;
    int64_t limit;
    const char *cursor;
};

static const struct field LIST_IN[] = {
    F_CONTEXT(struct list_in),
    F_ENUM(struct list_in, action, FIELD_NULLABLE, access_action, -1, "only this kind of access"),
    F_UUID(struct list_in, agent_id, FIELD_NULLABLE, "only accesses of this agent"),
    F_UUID(struct list_in, entry_id, FIELD_NULLABLE, "only accesses of this entry"),
    F_BOOL(struct list_in, success, FIELD_UNSAID, true, "true: only allowed accesses; false: only refused ones; default: both"),
    F_TIME(struct list_in, from, FIELD_NULLABLE, "from this time (inclusive)"),
    F_TIME(struct list_in, to, FIELD_NULLABLE, "before this time (exclusive)"),
    F_PAGE(struct list_in),
    F_END
};

static err access_log_call_list(struct ctx *c, const void *in, void *out)
{
    const struct list_in *i = in;
    struct access_filter f = {.action = i->action, .success = given(i, success) ? i->success : -1, .agent_id = i->agent_id,
                              .entry_id = i->entry_id, .from = i->from, .to = i->to, .limit = i->limit, .cursor = i->cursor};

    return access_log_list(c, i->id, &f, out);
}

static const struct op LIST = {
    .name = "context.access_log", .method = "GET", .path = CONTEXTS_PATH "/:id/access_log", CONTEXT_TAG,
    .summary = "Lists who read, searched and changed a context, newest first.",
    .help = "Requires the level manage. Changes are listed at once, reads and refusals within a second; all are kept for 90 days.",
    .perm = PERM_CONTEXT_MANAGE, .flags = OP_OWNER | OP_READONLY | OP_IDEMPOTENT | OP_LIST | OP_GIVEN,
    OP_IN(LIST_IN, struct list_in), OP_OUT(EVENT_OUT, struct access_event), .run = access_log_call_list,
};

const struct op *const access_log_calls_table[] = {&LIST, NULL};
