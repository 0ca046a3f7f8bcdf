/* Proposals: what an agent would do, and what a person decided about it. */
#ifndef LOCI_PROPOSAL_H
#define LOCI_PROPOSAL_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "recommendation.h"
#include "thing_table.h"

#define PROPOSALS_OF_AGENT 20      /* open at once */
#define PROPOSALS_OF_ACCOUNT 10000 /* likewise */
#define PROPOSAL_TEXT 8000
#define PROPOSAL_CHANGES 65536 /* bytes of JSON */
#define PROPOSAL_NOTE 2000
#define REVIEW_HOURS 72
#define REVIEW_HOURS_MOST 720
#define REVIEW_REMINDER_HOURS 24 /* before the deadline */
#define REVIEW_BATCH 100

#define PROPOSAL_TYPE(X) \
    X(PROPOSE_FEATURE, "feature") X(PROPOSE_KNOWLEDGE, "knowledge_update") X(PROPOSE_CODE, "code_change") \
    X(PROPOSE_ARCHITECTURE, "architecture") X(PROPOSE_PROCESS, "process_improvement") X(PROPOSE_CONFIGURATION, "configuration")
ENUMX_DECLARE(proposal_type, PROPOSAL_TYPE);

#define PROPOSAL_STATUS(X) \
    X(REVIEW_PENDING, "pending_review") X(REVIEW_APPROVED, "approved") X(REVIEW_REJECTED, "rejected") \
    X(REVIEW_IMPLEMENTED, "implemented") X(REVIEW_WITHDRAWN, "withdrawn") X(REVIEW_EXPIRED, "expired")
ENUMX_DECLARE(proposal_status, PROPOSAL_STATUS);

struct proposal {
    struct uuid id, agent_id;
    enum proposal_type proposal_type;
    const char *title, *description, *rationale;
    const struct json *proposed_changes, *impact_assessment;
    enum urgency priority;
    enum proposal_status status;
    struct uuid target_user_id;
    int64_t review_hours; /* of one that is made */
    struct instant review_deadline, due_at;
    struct uuid reviewed_by;
    struct instant reviewed_at;
    const char *review_note;
    struct instant implemented_at;
    const char *session_id;
    bool auto_approved;
    struct uuid policy_id, created_by;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing PROPOSAL;

struct proposal_filter {
    int status, proposal_type; /* an enum's value, or -1: any */
    struct uuid agent_id;      /* nil: any */
    bool overdue;              /* pending ones whose deadline is less than a day away */
    int64_t limit;
    const char *cursor;
};
/* An agent sees its own, those of agents that it leads and, as a reviewer, all. */
err proposal_list(struct ctx *c, const struct proposal_filter *f, struct page *out);
err proposal_get(struct ctx *c, struct uuid id, struct proposal *out);
/* The policy for proposals decides: approved at once, waiting for a review, or refused (ERR_FORBIDDEN). */
err proposal_make(struct ctx *c, const struct proposal *in, struct proposal *out);

/* ---- the way; what its state does not allow is ERR_CONFLICT, which tells the decision */

struct proposal_step {
    struct uuid id;
    int64_t if_version;
    const char *note;
};
/* Never by the agent that proposes it, nor by who made it: ERR_FORBIDDEN. */
err proposal_approve(struct ctx *c, const struct proposal_step *in, struct proposal *out);
err proposal_reject(struct ctx *c, const struct proposal_step *in, struct proposal *out);
err proposal_withdraw(struct ctx *c, const struct proposal_step *in, struct proposal *out);
err proposal_implemented(struct ctx *c, const struct proposal_step *in, struct proposal *out);
/* An expired one has REVIEW_HOURS again. */
err proposal_reopen(struct ctx *c, const struct proposal_step *in, struct proposal *out);

#define PROPOSAL_DECISION(X) X(DECIDE_APPROVE, "approve") X(DECIDE_REJECT, "reject")
ENUMX_DECLARE(proposal_decision, PROPOSAL_DECISION);
struct proposal_batch {
    struct uuids ids;
    enum proposal_decision decision;
    const char *note;
};
struct proposal_batch_item {
    struct uuid id;
    int64_t http;                       /* as the call for this one would have answered */
    const char *status, *code, *detail; /* status NULL: it was not decided */
};
struct proposal_batch_answer {
    struct list items; /* of struct proposal_batch_item */
    int64_t decided, failed;
};
/* Each by itself: one that cannot be decided keeps no other back. */
err proposal_review_batch(struct ctx *c, const struct proposal_batch *in, struct proposal_batch_answer *out);

/* ---- for jobs */

struct proposals_kept {
    int64_t expired, reminded;
};
err proposal_keep(struct ctx *c, int64_t limit, struct proposals_kept *out);
err proposal_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
