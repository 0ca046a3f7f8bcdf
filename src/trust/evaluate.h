/* Evaluations by others and by the agent itself; emergencies, pins, and what lifts them. */
#ifndef LOCI_EVALUATE_H
#define LOCI_EVALUATE_H

#include "list.h"
#include "trust_score.h"

#define TRUST_ITEMS 20 /* evaluations in a call */
#define TRUST_REASON 500

#define TRUST_OUTCOME(X) \
    X(OUTCOME_FAILED, "failed") X(OUTCOME_TIMEOUT, "timeout") X(OUTCOME_CANCELLED, "cancelled") \
    X(OUTCOME_WARNINGS, "completed_with_warnings") X(OUTCOME_COMPLETED, "completed")
ENUMX_DECLARE(trust_outcome, TRUST_OUTCOME);
#define TRUST_HARM(X) X(HARM_VIOLATION, "violation") X(HARM_GUARDRAIL, "guardrail") X(HARM_PII, "pii") X(HARM_NONE, "none")
ENUMX_DECLARE(trust_harm, TRUST_HARM);
#define TRUST_VERDICT(X) X(VERDICT_REJECTED, "rejected") X(VERDICT_NEEDS_WORK, "needs_work") X(VERDICT_APPROVED, "approved")
ENUMX_DECLARE(trust_verdict, TRUST_VERDICT);

/* What is said of one execution; -1: nothing. */
struct trust_evaluation {
    struct uuid execution_id;
    struct instant at; /* 0: now */
    int outcome, safety, verdict;
    double budget_left, cost_per_1k, quality_score, rating;
    int64_t duration_ms;
};

struct trust_evaluations {
    struct uuid id;    /* of the agent */
    struct list items; /* of struct trust_evaluation */
};

struct trust_evaluated {
    struct uuid agent_id;
    int64_t counted, repeated; /* repeated: those that had counted before */
    bool own;                  /* the agent spoke of itself: only what lowers counted */
    double overall;
    enum trust_tier tier;
};

/* NAN: it says nothing of that dimension. */
void trust_inputs(const struct trust_evaluation *e, double x[TRUST_DIMENSIONS]);

/* By people who may review, the agent's parent, the lead of its team, or the agent itself; else ERR_NOT_FOUND. */
err trust_evaluate(struct ctx *c, const struct trust_evaluations *in, struct trust_evaluated *out);

struct trust_order {
    struct uuid id; /* of the agent */
    const char *reason;
    int tier; /* of a pin; -1: the pin is taken off */
};
err trust_emergency(struct ctx *c, const struct trust_order *in, struct trust_evaluated *out);
/* ERR_CONFLICT while the agent is limited. */
err trust_pin(struct ctx *c, const struct trust_order *in, struct trust_evaluated *out);
/* ERR_CONFLICT where nothing is limited. */
err trust_lift(struct ctx *c, const struct trust_order *in, struct trust_evaluated *out);

#endif
