/* Operations on proposals of agents. */
#include "proposal.h"
#include "steer_calls.h"

#define TAG .tag = "oversight"
#define PROPOSALS "/api/v1/ai/proposals"

static const struct field PROPOSAL_FILTER[] = {
    F_ENUM(struct proposal_filter, status, FIELD_NULLABLE, proposal_status, -1, "only proposals with this status"),
    F_ENUM_AS("type", struct proposal_filter, proposal_type, FIELD_NULLABLE, proposal_type, -1, "only proposals of this type"),
    F_UUID(struct proposal_filter, agent_id, FIELD_NULLABLE, "only proposals of this agent"),
    F_BOOL(struct proposal_filter, overdue, 0, false, "only those that wait for a review and expire within a day"),
    F_PAGE(struct proposal_filter),
    F_END
};

OP_CALL(STEER_PROPOSAL_LIST, struct proposal_filter, struct page, proposal_list(c, in, out),
        .name = "proposal.list", .method = "GET", .path = PROPOSALS, .tool = "list_proposals", TAG,
        .summary = "Lists proposals of agents, newest first; an agent sees its own and those of agents it leads.",
        .perm = PERM_OVERSIGHT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(PROPOSAL_FILTER, struct proposal_filter),
        OP_GIVE(PROPOSAL, struct proposal));

OP_CALL(STEER_PROPOSAL_GET, struct thing_key, struct proposal, proposal_get(c, in->id, out),
        .name = "proposal.get", .method = "GET", .path = PROPOSALS "/:id", TAG, .summary = "Returns one proposal.",
        .perm = PERM_OVERSIGHT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(PROPOSAL), OP_GIVE(PROPOSAL, struct proposal));

OP_CALL(STEER_PROPOSAL_MAKE, struct proposal, struct proposal, proposal_make(c, in, out),
        .name = "proposal.create", .method = "POST", .path = PROPOSALS, .tool = "create_proposal", TAG,
        .summary = "Proposes something that a person decides.",
        .help = "The intervention policy for proposals decides what becomes of it: it waits for a review, is approved at once, or is "
                "refused. Without a review it expires after review_hours.",
        .perm = PERM_OVERSIGHT_WRITE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(PROPOSAL, struct proposal),
        OP_GIVE(PROPOSAL, struct proposal));

static const struct field FEATURE_IN[] = {
    F_UUID(struct proposal, agent_id, FIELD_NULLABLE, "agent that proposes it; an agent that calls: itself"),
    F_STR(struct proposal, title, FIELD_REQUIRED, 1, 255, "the feature, in one line"),
    F_STR(struct proposal, description, FIELD_REQUIRED, 1, PROPOSAL_TEXT, "what it does"),
    F_STR(struct proposal, rationale, FIELD_NULLABLE, 0, PROPOSAL_TEXT, "why"),
    F_ENUM(struct proposal, priority, 0, urgency, URGENCY_MEDIUM, "how important it is"),
    F_END
};

OP_CALL(STEER_PROPOSE_FEATURE, struct proposal, struct proposal, proposal_make(c, in, out),
        .name = "proposal.create_feature", .method = "POST", .path = PROPOSALS "/features", .made_at = PROPOSALS,
        .tool = "propose_feature", TAG,
        .summary = "Proposes a feature: create_proposal of that type.", .perm = PERM_OVERSIGHT_WRITE, .flags = OP_CREATES | OP_ETAG,
        OP_IN(FEATURE_IN, struct proposal), OP_GIVE(PROPOSAL, struct proposal));

/* ---- steps */

#define STEP_HEAD \
    F_UUID(struct proposal_step, id, FIELD_REQUIRED, "id of the proposal"), \
    F_INT(struct proposal_step, if_version, FIELD_NULLABLE, 0, 9e15, 0, "only if it still has this version")

static const struct field STEP_IN[] = {
    STEP_HEAD,
    F_STR(struct proposal_step, note, FIELD_NULLABLE, 1, PROPOSAL_NOTE, "what there is to say"),
    F_END
};
static const struct field REJECT_IN[] = {
    STEP_HEAD,
    F_STR(struct proposal_step, note, FIELD_REQUIRED, 1, PROPOSAL_NOTE, "why"),
    F_END
};

#define PROPOSAL_STEP(NAME, service, verb, tool_, table, perm_, summary_) \
    OP_CALL(NAME, struct proposal_step, struct proposal, service(c, in, out), .name = "proposal." verb, .method = "POST", \
            .path = PROPOSALS "/:id/" verb, .tool = tool_, TAG, .summary = summary_, .perm = perm_, .flags = OP_ETAG | OP_MATCH, \
            OP_IN(table, struct proposal_step), OP_GIVE(PROPOSAL, struct proposal))

PROPOSAL_STEP(STEER_PROPOSAL_APPROVE, proposal_approve, "approve", NULL, STEP_IN, PERM_OVERSIGHT_REVIEW,
    "Approves a proposal, but not one of your own.");
PROPOSAL_STEP(STEER_PROPOSAL_REJECT, proposal_reject, "reject", NULL, REJECT_IN, PERM_OVERSIGHT_REVIEW,
    "Rejects a proposal and says why, but not one of your own.");
PROPOSAL_STEP(STEER_PROPOSAL_REOPEN, proposal_reopen, "reopen", NULL, STEP_IN, PERM_OVERSIGHT_REVIEW,
    "Gives an expired proposal another 72 hours.");
PROPOSAL_STEP(STEER_PROPOSAL_WITHDRAW, proposal_withdraw, "withdraw", "withdraw_proposal", STEP_IN, PERM_OVERSIGHT_WRITE,
    "Withdraws a proposal that waits for a review or was approved.");
PROPOSAL_STEP(STEER_PROPOSAL_IMPLEMENTED, proposal_implemented, "implemented", NULL, STEP_IN, PERM_OVERSIGHT_WRITE,
    "Says that an approved proposal was carried out.");

/* ---- many at once */

static const struct field BATCH_IN[] = {
    F_UUIDS(struct proposal_batch, ids, FIELD_REQUIRED, REVIEW_BATCH, "the proposals"),
    F_ENUM(struct proposal_batch, decision, FIELD_REQUIRED, proposal_decision, DECIDE_APPROVE, "what becomes of all of them"),
    F_STR(struct proposal_batch, note, FIELD_NULLABLE, 1, PROPOSAL_NOTE, "why; needed to reject"),
    F_END
};
static const struct field BATCH_ITEM[] = {
    F_UUID(struct proposal_batch_item, id, 0, "id of the proposal"),
    F_INT(struct proposal_batch_item, http, 0, 200, 599, 200, "status that a call for this one alone would have had"),
    F_STR(struct proposal_batch_item, status, FIELD_NULLABLE, 0, 16, "its status now; null: it was not decided"),
    F_STR(struct proposal_batch_item, code, FIELD_NULLABLE, 0, 32, "why not, in a word"),
    F_STR(struct proposal_batch_item, detail, FIELD_NULLABLE, 0, 500, "why not"),
    F_END
};
static const struct field BATCH_OUT[] = {
    F_LIST(struct proposal_batch_answer, items, 0, REVIEW_BATCH, BATCH_ITEM, struct proposal_batch_item, "one for each id, in that order",
        .schema = "ProposalBatchItem"),
    F_INT(struct proposal_batch_answer, decided, 0, 0, REVIEW_BATCH, 0, "how many were decided"),
    F_INT(struct proposal_batch_answer, failed, 0, 0, REVIEW_BATCH, 0, "how many were not"),
    F_END
};

OP_CALL(STEER_PROPOSAL_BATCH, struct proposal_batch, struct proposal_batch_answer, proposal_review_batch(c, in, out),
        .name = "proposal.batch_review", .method = "POST", .path = PROPOSALS "/batch_review", TAG,
        .summary = "Decides up to 100 proposals, each by itself.",
        .help = "What cannot be decided is named with the reason, and keeps no other back.",
        .perm = PERM_OVERSIGHT_REVIEW, OP_IN(BATCH_IN, struct proposal_batch), OP_OUT(BATCH_OUT, struct proposal_batch_answer));

const struct op *const proposal_calls_table[] = {&STEER_PROPOSAL_LIST, &STEER_PROPOSAL_GET, &STEER_PROPOSAL_MAKE, &STEER_PROPOSE_FEATURE,
    &STEER_PROPOSAL_APPROVE, &STEER_PROPOSAL_REJECT, &STEER_PROPOSAL_REOPEN, &STEER_PROPOSAL_WITHDRAW, &STEER_PROPOSAL_IMPLEMENTED,
    &STEER_PROPOSAL_BATCH, NULL};
