/* Operations on feedback. */
#include "feedback.h"
#include "trust_calls.h"

#define TAG .tag = "oversight"
#define FEEDBACK_PATH "/api/v1/ai/feedback"

OP_CALL(FEEDBACK_GIVE, struct feedback, struct feedback, feedback_give(c, in, out),
        .name = "feedback.give", .method = "POST", .path = FEEDBACK_PATH, TAG, .summary = "Rates the work of an agent.",
        .help = "By people only. Given again for the same agent and context, it replaces the first; trust moves to what the last rating "
                "alone gives.",
        .perm = PERM_OVERSIGHT_READ, .flags = OP_IDEMPOTENT, OP_MAKE(FEEDBACK, struct feedback), OP_GIVE(FEEDBACK, struct feedback));

static const struct field FEEDBACK_FILTER[] = {
    F_UUID(struct feedback_filter, agent_id, 0, "only about this agent"),
    F_BOOL(struct feedback_filter, open, 0, false, "only what was asked for and not given"),
    F_PAGE(struct feedback_filter),
    F_END
};

OP_CALL(FEEDBACK_LIST, struct feedback_filter, struct page, feedback_list(c, in, out),
        .name = "feedback.list", .method = "GET", .path = FEEDBACK_PATH, TAG, .summary = "Lists feedback on agents, newest first.",
        .help = "A person sees what they gave or are asked for; with oversight.review that of all. An agent sees what is about itself.",
        .perm = PERM_OVERSIGHT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(FEEDBACK_FILTER, struct feedback_filter),
        OP_GIVE(FEEDBACK, struct feedback));

static const struct field FEEDBACK_REQUEST_IN[] = {
    F_UUID(struct feedback, user_id, FIELD_REQUIRED, "person who is asked"),
    F_STR(struct feedback, message, FIELD_REQUIRED, 1, FEEDBACK_TEXT, "what you want to know"),
    F_ENUM(struct feedback, feedback_type, 0, feedback_type, FEEDBACK_EXECUTION, "what it is about"),
    F_STR(struct feedback, context_kind, FIELD_SLUG, 1, 32, "kind of thing it is about: proposal, work_item"),
    F_STR(struct feedback, context_id, FIELD_SLUG, 1, FEEDBACK_CONTEXT, "id of that thing, as you name it; none: your work as a whole"),
    F_END
};

OP_CALL(FEEDBACK_REQUEST, struct feedback, struct feedback, feedback_request(c, in, out),
        .name = "feedback.request", .method = "POST", .path = FEEDBACK_PATH "/requests", .tool = "request_feedback", TAG,
        .summary = "Asks a person for feedback on your work.", .help = "At most three requests wait with one person.",
        .perm = PERM_OVERSIGHT_WRITE, OP_IN(FEEDBACK_REQUEST_IN, struct feedback), OP_GIVE(FEEDBACK, struct feedback));

const struct op *const feedback_calls_table[] = {&FEEDBACK_GIVE, &FEEDBACK_LIST, &FEEDBACK_REQUEST, NULL};
