/* Escalations: questions and troubles that a person should see, and what became of them. */
#ifndef LOCI_ESCALATION_H
#define LOCI_ESCALATION_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "thing_table.h"

#define ESCALATIONS_OF_AGENT 20      /* open at once */
#define ESCALATIONS_OF_ACCOUNT 10000 /* likewise */
#define ESCALATION_QUERY 4096        /* characters of a question */
#define ESCALATION_ANSWER 8000       /* characters of an answer */
#define ESCALATION_NOTE 4000
#define ESCALATION_CHAIN 20 /* people */
#define ESCALATION_CONTEXT 32768
#define ESCALATION_REST_US (7 * 86400 * 1000000LL) /* a question without an answer is not asked again so soon */

#define ESCALATION_WANTED(X)                                                                                 \
    X(ESCALATION_UNRESOLVED, "unresolved") X(ESCALATION_EXHAUSTED, "exhausted") X(ESCALATION_RESOLVED, "resolved") X(ESCALATION_ANY, "any")
ENUMX_DECLARE(escalation_wanted, ESCALATION_WANTED);

#define ESCALATION_TYPE(X) \
    X(ESCALATION_STUCK, "stuck") X(ESCALATION_ERROR, "error") X(ESCALATION_BUDGET, "budget_exceeded") \
    X(ESCALATION_APPROVAL, "approval_timeout") X(ESCALATION_QUALITY, "quality_concern") X(ESCALATION_SECURITY, "security_issue") \
    X(ESCALATION_RECALL, "low_confidence_recall")
ENUMX_DECLARE(escalation_type, ESCALATION_TYPE);

#define ESCALATION_SEVERITY(X) \
    X(ESCALATION_LOW, "low") X(ESCALATION_MEDIUM, "medium") X(ESCALATION_HIGH, "high") X(ESCALATION_CRITICAL, "critical")
ENUMX_DECLARE(escalation_severity, ESCALATION_SEVERITY);

#define ESCALATION_STATUS(X) \
    X(ESCALATION_IS_OPEN, "open") X(ESCALATION_IS_ACKNOWLEDGED, "acknowledged") X(ESCALATION_IS_STARTED, "in_progress") \
    X(ESCALATION_IS_RESOLVED, "resolved") X(ESCALATION_IS_GONE, "auto_resolved")
ENUMX_DECLARE(escalation_status, ESCALATION_STATUS);

struct escalation {
    struct uuid id, agent_id;
    const char *asker_kind, *title, *escalation_type;
    enum escalation_severity severity;
    enum escalation_status status;
    const struct json *context; /* hits that the caller may not read are not named; NULL in lists */
    int64_t seen_count;
    struct instant last_seen_at, resolved_at;
    struct uuid resolved_by, answer_node_id;
    const char *resolution;
    const struct json *chain; /* [{user_id, role}]; NULL in lists */
    int64_t current_level, timeout_hours;
    struct instant next_escalation_at, acknowledged_at, exhausted_at, remind_at;
    struct uuid escalated_to, acknowledged_by;
    int64_t version;
    struct instant created_at, updated_at;
    struct bytes question_hash; /* of who asks and what */
    struct bytes dedup_key;     /* the same while it is unresolved */
};
extern const struct thing ESCALATION, ESCALATION_ROW; /* in lists: without context */

struct escalation_filter {
    enum escalation_wanted status;
    int severity, type;   /* -1: any */
    struct uuid agent_id; /* nil: any */
    int64_t limit;
    const char *cursor;
};

/* What became of a question. */
struct escalation_asked {
    const char *status; /* queued, already_queued, no_answer (said so a short time ago), queue_full */
    struct uuid id;     /* nil: it is not there */
    int64_t seen_count;
};

/* For struct app.ask_escalations: bad when there is one that no person is left to ask about. */
struct health_part;
err escalation_health(struct ctx *c, struct health_part *p);

/* ---- raised by other rooms */

struct escalation_raise {
    struct uuid agent_id;                           /* nil: the caller itself */
    const char *title, *escalation_type, *severity; /* words of the lists above; severity NULL: medium */
    const struct json *context;                     /* NULL: nothing */
    const char *dedup;                              /* the same in the account while unresolved: counted; NULL: never the same */
    int64_t timeout_hours;                          /* 0: by severity */
};
/* Puts it before people, in a transaction of its own or the caller's. Critical ones always find room. id: NULL or what it became. */
err escalation_raise(struct ctx *c, const struct escalation_raise *in, struct uuid *id);
/* The cause went away: resolves the one with this dedup, if it is there and unresolved. */
err escalation_auto_resolve(struct ctx *c, const char *dedup, const char *why);

/* ---- raised by callers */

struct escalation_new {
    const char *title;
    enum escalation_type escalation_type;
    enum escalation_severity severity;
    const struct json *context;
    int64_t timeout_hours; /* 0: by severity */
};
/* The same type and title of the same caller, while unresolved, is one. */
err escalation_create(struct ctx *c, const struct escalation_new *in, struct escalation_asked *out);

/* ---- questions */

/* Puts a question before people, once while it is unresolved; a full queue is an answer, too. */
err escalation_ask(struct ctx *c, const char *query, struct escalation_asked *out);
/* The same for a recall that found no answer: struct app.ask_human. */
struct question;
struct question_state;
err escalation_ask_for_recall(struct ctx *c, const struct question *q, struct question_state *out);

/* An agent sees its own, people see all. */
err escalation_list(struct ctx *c, const struct escalation_filter *f, struct page *out);
err escalation_get(struct ctx *c, struct uuid id, struct escalation *out);

#define ANSWER_KIND(X) X(ANSWER_FACT, "fact") X(ANSWER_KNOWLEDGE, "shared_knowledge") X(ANSWER_LEARNING, "learning")
ENUMX_DECLARE(answer_kind, ANSWER_KIND);

struct escalation_answer {
    struct uuid id;
    const char *text; /* becomes a memory of the person who answers; NULL: node_id is the answer */
    struct uuid node_id;
    enum answer_kind kind; /* what the text becomes */
    struct uuid space_id;  /* where a fact lives; nil: where the best hit does, or the space that was asked */
};
struct escalation_move {
    struct uuid id;
    const char *note;    /* goes into the audit trail; NULL: none */
    struct uuid user_id; /* reassign: who is asked now */
    enum escalation_severity severity;
};
/* Who takes it on has four times the hours from then. ERR_CONFLICT: another person has it, or it is resolved. */
err escalation_acknowledge(struct ctx *c, const struct escalation_move *in, struct escalation *out);
err escalation_start(struct ctx *c, const struct escalation_move *in, struct escalation *out);
/* This person is asked now, with all the hours. */
err escalation_reassign(struct ctx *c, const struct escalation_move *in, struct escalation *out);
/* Another severity and its hours; a worse one begins its clock now. */
err escalation_set_severity(struct ctx *c, const struct escalation_move *in, struct escalation *out);

/* ERR_CONFLICT when it is resolved already. */
err escalation_answer(struct ctx *c, const struct escalation_answer *in, struct escalation *out);
/* There is no answer; the same question rests for a week. */
err escalation_resolve(struct ctx *c, struct uuid id, const char *note, int64_t if_version, struct escalation *out);

#endif
