/* The operations of escalations. */
#include "escalation.h"
#include "oversight_calls.h"

#define TAG .tag = "oversight"
#define PATH "/api/v1/ai/escalations"
#define COUNT_MAX 9e15

/* ---- reading */

static const struct field LIST_IN[] = {
    F_ENUM(struct escalation_filter, status, 0, escalation_wanted, ESCALATION_UNRESOLVED,
           "unresolved, exhausted (no person is left to ask), resolved or any"),
    F_ENUM(struct escalation_filter, severity, FIELD_UNSAID, escalation_severity, -1, "only of this severity"),
    F_ENUM(struct escalation_filter, type, FIELD_UNSAID, escalation_type, -1, "only of this type"),
    F_UUID(struct escalation_filter, agent_id, 0, "only of this agent; agents always see only their own"),
    F_PAGE(struct escalation_filter),
    F_END
};

OP_CALL(ESCALATION_LIST, struct escalation_filter, struct page, escalation_list(c, in, out),
        .name = "escalation.list", .method = "GET", .path = PATH, .tool = "list_escalations", TAG,
        .summary = "Lists questions and problems that wait for a person, newest first.",
        .perm = PERM_OVERSIGHT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct escalation_filter), OP_GIVE(ESCALATION_ROW, struct escalation));

struct by_id {
    struct uuid id;
};

static const struct field BY_ID[] = {
    F_UUID(struct by_id, id, FIELD_REQUIRED, "id of the escalation"),
    F_END
};

OP_CALL(ESCALATION_GET, struct by_id, struct escalation, escalation_get(c, in->id, out),
        .name = "escalation.get", .method = "GET", .path = PATH "/:id", TAG,
        .summary = "Returns one escalation with its context.", .perm = PERM_OVERSIGHT_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
        OP_IN(BY_ID, struct by_id), OP_GIVE(ESCALATION, struct escalation));

/* ---- asking */

struct ask_in {
    const char *query;
};

static const struct field ASK_IN[] = {
    F_STR(struct ask_in, query, FIELD_REQUIRED, 1, ESCALATION_QUERY, "the question"),
    F_END
};

static const struct field ASK_OUT[] = {
    F_STR(struct escalation_asked, status, 0, 0, 24, "queued, already_queued, no_answer (a person said so in the last 7 days) or queue_full"),
    F_UUID(struct escalation_asked, id, FIELD_NULLABLE, "the escalation"),
    F_INT(struct escalation_asked, seen_count, 0, 0, COUNT_MAX, 0, "how often it was asked"),
    F_END
};

OP_CALL(ESCALATION_ASK, struct ask_in, struct escalation_asked, escalation_ask(c, in->query, out),
        .name = "escalation.ask", .method = "POST", .path = PATH "/questions", .tool = "ask_human", TAG,
        .summary = "Asks a person a question; the answer becomes a memory.",
        .help = "While a question is open, asking it again adds no second escalation. An agent can have at most 20 open at once.",
        .perm = PERM_OVERSIGHT_WRITE,
        OP_IN(ASK_IN, struct ask_in), OP_OUT(ASK_OUT, struct escalation_asked));

/* ---- raising */

static const struct field NEW_IN[] = {
    F_STR(struct escalation_new, title, FIELD_REQUIRED, 1, LIMIT_NAME, "the problem, in one line"),
    F_ENUM(struct escalation_new, escalation_type, FIELD_REQUIRED, escalation_type, ESCALATION_STUCK, "why a person is needed"),
    F_ENUM(struct escalation_new, severity, 0, escalation_severity, ESCALATION_MEDIUM, "how urgent it is"),
    F_OBJECT(struct escalation_new, context, FIELD_NULLABLE, ESCALATION_CONTEXT, "what a person needs to know"),
    F_INT(struct escalation_new, timeout_hours, 0, 1, 168, 0, "hours that each person has; default by severity: 1, 4, 12, 24"),
    F_END
};

OP_CALL(ESCALATION_NEW, struct escalation_new, struct escalation_asked, escalation_create(c, in, out),
        .name = "escalation.create", .method = "POST", .path = PATH, .tool = "escalate", TAG,
        .summary = "Puts a problem before a person.",
        .help = "If there is no reaction in time, the next person is asked. While it is unresolved, the same type and title are one.",
        .perm = PERM_OVERSIGHT_WRITE, OP_IN(NEW_IN, struct escalation_new), OP_OUT(ASK_OUT, struct escalation_asked));

static const struct field ISSUE_IN[] = {
    F_STR(struct escalation_new, title, FIELD_REQUIRED, 1, LIMIT_NAME, "what went wrong, in one line"),
    F_ENUM(struct escalation_new, severity, 0, escalation_severity, ESCALATION_MEDIUM, "how urgent it is"),
    F_OBJECT(struct escalation_new, context, FIELD_NULLABLE, ESCALATION_CONTEXT, "what a person needs to know"),
    F_INT(struct escalation_new, timeout_hours, 0, 1, 168, 0, "hours that each person has; default by severity: 1, 4, 12, 24"),
    F_END
};

static err report_issue(struct ctx *c, const struct escalation_new *in, struct escalation_asked *out)
{
    struct escalation_new issue = *in;

    issue.escalation_type = ESCALATION_ERROR;
    return escalation_create(c, &issue, out);
}

OP_CALL(ESCALATION_ISSUE, struct escalation_new, struct escalation_asked, report_issue(c, in, out),
        .name = "escalation.report_issue", .method = "POST", .path = PATH "/issues", .tool = "report_issue", TAG,
        .summary = "Reports an error to a person: escalate with type error.", .perm = PERM_OVERSIGHT_WRITE,
        OP_IN(ISSUE_IN, struct escalation_new), OP_OUT(ASK_OUT, struct escalation_asked));

/* ---- moving */

static const struct field MOVE_IN[] = {
    F_UUID(struct escalation_move, id, FIELD_REQUIRED, "id of the escalation"),
    F_STR(struct escalation_move, note, FIELD_NULLABLE, 0, ESCALATION_NOTE, "note for the audit trail"),
    F_END
};

OP_CALL(ESCALATION_ACKNOWLEDGE, struct escalation_move, struct escalation, escalation_acknowledge(c, in, out),
        .name = "escalation.acknowledge", .method = "POST", .path = PATH "/:id/acknowledge", TAG,
        .summary = "Takes an escalation on: four times the hours until the next person is asked.", .perm = PERM_OVERSIGHT_REVIEW,
        .flags = OP_ETAG | OP_MATCH, OP_IN(MOVE_IN, struct escalation_move), OP_GIVE(ESCALATION, struct escalation));

OP_CALL(ESCALATION_START, struct escalation_move, struct escalation, escalation_start(c, in, out),
        .name = "escalation.start", .method = "POST", .path = PATH "/:id/start", TAG, .summary = "Starts work on an escalation.",
        .perm = PERM_OVERSIGHT_REVIEW, .flags = OP_ETAG | OP_MATCH, OP_IN(MOVE_IN, struct escalation_move),
        OP_GIVE(ESCALATION, struct escalation));

static const struct field REASSIGN_IN[] = {
    F_UUID(struct escalation_move, id, FIELD_REQUIRED, "id of the escalation"),
    F_UUID(struct escalation_move, user_id, FIELD_REQUIRED, "user who is asked from now on"),
    F_STR(struct escalation_move, note, FIELD_NULLABLE, 0, ESCALATION_NOTE, "note for the audit trail"),
    F_END
};

OP_CALL(ESCALATION_REASSIGN, struct escalation_move, struct escalation, escalation_reassign(c, in, out),
        .name = "escalation.reassign", .method = "POST", .path = PATH "/:id/reassign", TAG,
        .summary = "Puts an escalation before another person, with all the hours.", .perm = PERM_OVERSIGHT_REVIEW,
        .flags = OP_ETAG | OP_MATCH, OP_IN(REASSIGN_IN, struct escalation_move), OP_GIVE(ESCALATION, struct escalation));

static const struct field SEVERITY_IN[] = {
    F_UUID(struct escalation_move, id, FIELD_REQUIRED, "id of the escalation"),
    F_ENUM(struct escalation_move, severity, FIELD_REQUIRED, escalation_severity, ESCALATION_MEDIUM, "how urgent it is"),
    F_END
};

OP_CALL(ESCALATION_SEVERITY_SET, struct escalation_move, struct escalation, escalation_set_severity(c, in, out),
        .name = "escalation.severity", .method = "POST", .path = PATH "/:id/severity", TAG,
        .summary = "Changes the severity of an escalation and the hours with it; a higher one restarts the clock.",
        .perm = PERM_OVERSIGHT_REVIEW, .flags = OP_ETAG | OP_MATCH, OP_IN(SEVERITY_IN, struct escalation_move),
        OP_GIVE(ESCALATION, struct escalation));

/* ---- settling */

static const struct field ANSWER_IN[] = {
    F_UUID(struct escalation_answer, id, FIELD_REQUIRED, "id of the escalation"),
    F_STR(struct escalation_answer, text, FIELD_NULLABLE, 1, ESCALATION_ANSWER, "the answer; stored as yours with the question as title"),
    F_UUID(struct escalation_answer, node_id, FIELD_NULLABLE, "instead of text: an existing node with the answer"),
    F_ENUM(struct escalation_answer, kind, 0, answer_kind, ANSWER_FACT, "what the text becomes: a fact, or knowledge or a learning of all"),
    F_UUID(struct escalation_answer, space_id, FIELD_NULLABLE,
           "space for a fact; default: that of the best hit if you can write to it, else that of the agent that asked"),
    F_END
};

OP_CALL(ESCALATION_REPLY, struct escalation_answer, struct escalation, escalation_answer(c, in, out),
        .name = "escalation.answer", .method = "POST", .path = PATH "/:id/answer", TAG,
        .summary = "Answers a question; the answer becomes a memory that the next recall finds.",
        .perm = PERM_OVERSIGHT_REVIEW, .flags = OP_ETAG | OP_MATCH,
        OP_IN(ANSWER_IN, struct escalation_answer), OP_GIVE(ESCALATION, struct escalation));

struct resolve_in {
    struct uuid id;
    const char *note;
};

static const struct field RESOLVE_IN[] = {
    F_UUID(struct resolve_in, id, FIELD_REQUIRED, "id of the escalation"),
    F_STR(struct resolve_in, note, FIELD_NULLABLE, 0, ESCALATION_NOTE, "reason why there is no answer"),
    F_END
};

OP_CALL(ESCALATION_RESOLVE, struct resolve_in, struct escalation, escalation_resolve(c, in->id, in->note, c->if_match, out),
        .name = "escalation.resolve", .method = "POST", .path = PATH "/:id/resolve", TAG,
        .summary = "Resolves an escalation without an answer; the same question is not queued again for 7 days.",
        .perm = PERM_OVERSIGHT_REVIEW, .flags = OP_ETAG | OP_MATCH,
        OP_IN(RESOLVE_IN, struct resolve_in), OP_GIVE(ESCALATION, struct escalation));

const struct op *const escalation_calls_table[] = {
    &ESCALATION_LIST, &ESCALATION_GET, &ESCALATION_ASK, &ESCALATION_NEW, &ESCALATION_ISSUE, &ESCALATION_ACKNOWLEDGE, &ESCALATION_START,
    &ESCALATION_REASSIGN, &ESCALATION_SEVERITY_SET, &ESCALATION_REPLY, &ESCALATION_RESOLVE, NULL};
