/* Recommendations: what jobs found and a person may do about it. Nothing changes before somebody applies one. */
#ifndef LOCI_RECOMMENDATION_H
#define LOCI_RECOMMENDATION_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "thing_table.h"

#define RECOMMENDATION_REST_DAYS 30 /* after a decision the same one is not made again */
#define RECOMMENDATION_DAYS 90      /* pending for longer: dismissed as stale */
#define RECOMMENDATIONS_OPEN 10000  /* of an account; more are not kept */
#define RECOMMENDATION_REASON 500

#define RECOMMENDATION_TYPE(X) \
    X(ADVISE_MERGE, "skill_consolidation") X(ADVISE_CONNECT, "skill_connection") X(ADVISE_REFINE, "prompt_refinement") \
    X(ADVISE_CREATE, "skill_creation") X(ADVISE_POLICY, "policy_adjustment") X(ADVISE_QUALITY, "quality_concern") \
    X(ADVISE_HYGIENE, "memory_hygiene")
ENUMX_DECLARE(recommendation_type, RECOMMENDATION_TYPE);

#define RECOMMENDATION_STATUS(X) \
    X(ADVICE_PENDING, "pending") X(ADVICE_APPROVED, "approved") X(ADVICE_APPLIED, "applied") X(ADVICE_DISMISSED, "dismissed")
ENUMX_DECLARE(recommendation_status, RECOMMENDATION_STATUS);
#define RECOMMENDATION_WANTED(X) \
    X(WANTED_PENDING, "pending") X(WANTED_APPROVED, "approved") X(WANTED_APPLIED, "applied") X(WANTED_DISMISSED, "dismissed") \
    X(WANTED_ANY, "any")
ENUMX_DECLARE(recommendation_wanted, RECOMMENDATION_WANTED);

#define URGENCY(X) X(URGENCY_LOW, "low") X(URGENCY_MEDIUM, "medium") X(URGENCY_HIGH, "high") X(URGENCY_CRITICAL, "critical")
ENUMX_DECLARE(urgency, URGENCY);

struct recommendation {
    struct uuid id;
    enum recommendation_type recommendation_type;
    const char *target_kind; /* skill, agent, space or account */
    struct uuid target_id, space_id;
    const char *title, *description;
    double confidence;
    const struct json *evidence, *current_config, *recommended_config;
    enum urgency priority;
    struct uuid agent_id;
    enum recommendation_status status;
    struct uuid decided_by;
    struct instant decided_at;
    const char *reason;
    struct instant applied_at;
    const struct json *way_back; /* what an undo needs */
    struct instant due_at;
    struct bytes topic, dedup_key;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing RECOMMENDATION;

/* Inside a transaction. r: type, target, title, confidence and what else is known; space_id: where it is about something that not
 * everybody may read. *made false: it is there already, was decided a short while ago, or there are too many. */
err recommendation_add(struct ctx *c, const struct recommendation *r, bool *made);

struct recommendation_filter {
    int recommendation_type; /* an enum's value, or -1: any */
    enum recommendation_wanted status;
    struct uuid target_id, agent_id; /* nil: any */
    int64_t limit;
    const char *cursor;
};
/* What the caller may see: an agent its own, others what is about spaces that they may read. */
err recommendation_list(struct ctx *c, const struct recommendation_filter *f, struct page *out);
err recommendation_get(struct ctx *c, struct uuid id, struct recommendation *out);
/* Locked, inside a transaction. */
err recommendation_take(struct ctx *c, const struct thing_key *key, struct recommendation *out);
/* The next state of one that was taken; the caller has set what comes with it. */
err recommendation_move(struct ctx *c, struct recommendation *r, enum recommendation_status to, const char *verb);

struct recommendation_dismissal {
    struct uuid id;
    int64_t if_version;
    const char *reason;
};
/* Pending ones only; else ERR_CONFLICT. */
err recommendation_approve(struct ctx *c, const struct thing_key *key, struct recommendation *out);
/* Pending and approved ones. */
err recommendation_dismiss(struct ctx *c, const struct recommendation_dismissal *in, struct recommendation *out);
/* ERR_CONFLICT that names the state. */
err recommendation_wrong_state(struct ctx *c, const struct recommendation *r);

/* For the job: dismisses those that nobody decided; *n of them. */
err recommendation_expire(struct ctx *c, int64_t limit, int64_t *n);

#endif
