/* Proposals: skills to be, from research over review to a skill. Seen by who proposed them and by who may review. */
#ifndef LOCI_SKILL_PROPOSAL_H
#define LOCI_SKILL_PROPOSAL_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "skill.h"
#include "thing_table.h"

#define PROPOSALS_OPEN 20   /* of one principal */
#define PROPOSAL_CHILDREN 3 /* child proposals that one approval makes */
#define PROPOSAL_DEPTH 3
#define PROPOSAL_HOURS 72 /* for a review */
#define PROPOSAL_NEEDS 20 /* suggested dependencies */

#define SKILL_PROPOSAL_STATUS(X) \
    X(PROPOSAL_DRAFT, "draft") X(PROPOSAL_SUBMITTED, "submitted") X(PROPOSAL_UNDER_REVIEW, "under_review") \
    X(PROPOSAL_APPROVED, "approved") X(PROPOSAL_CREATED, "created") X(PROPOSAL_REJECTED, "rejected") \
    X(PROPOSAL_WITHDRAWN, "withdrawn") X(PROPOSAL_EXPIRED, "expired")
ENUMX_DECLARE(skill_proposal_status, SKILL_PROPOSAL_STATUS);

struct skill_proposal {
    struct uuid id;
    const char *name, *slug, *open_slug, *description, *category, *body;
    struct strs tags;
    bool needs_editing;
    double confidence;
    const struct json *research_report, *overlap_analysis, *suggested_dependencies, *skipped_dependencies;
    struct uuid parent_proposal_id;
    int64_t depth;
    enum skill_proposal_status status;
    bool auto_approved;
    struct uuid proposed_by, reviewed_by;
    struct instant reviewed_at;
    const char *rejection_reason;
    struct instant submitted_at, review_deadline;
    struct uuid created_skill_id;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing SKILL_PROPOSAL;

struct skill_proposal_change {
    struct thing_change change;
    struct skill_proposal to;
};

struct skill_proposal_filter {
    int status; /* an enum's value, or -1: any */
    const char *category;
    int64_t limit;
    const char *cursor;
};

err skill_proposal_list(struct ctx *c, const struct skill_proposal_filter *f, struct page *out);
err skill_proposal_get(struct ctx *c, struct uuid id, struct skill_proposal *out);
/* A draft. A second open one of the same slug: ERR_CONFLICT. */
err skill_proposal_make(struct ctx *c, const struct skill_proposal *in, struct skill_proposal *out);
/* A draft or submitted one; a new body is no template any more. */
err skill_proposal_update(struct ctx *c, const struct skill_proposal_change *ch, struct skill_proposal *out);

/* ---- the way; what its state does not allow is ERR_CONFLICT, which names the state */

err skill_proposal_submit(struct ctx *c, const struct thing_key *key, struct skill_proposal *out);
err skill_proposal_withdraw(struct ctx *c, const struct thing_key *key, struct skill_proposal *out);
err skill_proposal_claim(struct ctx *c, const struct thing_key *key, struct skill_proposal *out);
/* Not by who proposed it: ERR_FORBIDDEN. What it needs and is not there becomes child proposals. */
err skill_proposal_approve(struct ctx *c, const struct thing_key *key, struct skill_proposal *out);
struct skill_rejection {
    struct uuid id;
    const char *reason;
};
err skill_proposal_reject(struct ctx *c, const struct skill_rejection *in, struct skill_proposal *out);
/* The skill with its first version and edges, all at once; again: the same skill. */
err skill_proposal_create(struct ctx *c, const struct thing_key *key, struct skill *out);
/* For the job: those past their deadline. */
err skill_proposal_expire(struct ctx *c, int64_t limit, int64_t *n);
err skill_proposal_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
