/* The formulas of trust: what an evaluation is worth, what idleness leaves, which tier follows. They know no database. */
#ifndef LOCI_TRUST_SCORE_H
#define LOCI_TRUST_SCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "trust.h"

#define TRUST_STEP 0.3                        /* of an evaluation */
#define TRUST_MIDDLE 0.5                      /* idleness leads down to here, never up */
#define TRUST_EVALUATIONS 10                  /* before the first rise */
#define TRUST_RISE_US (12 * 3600 * 1000000LL) /* in a tier before the next */
#define TRUST_AFTER_FALL_US (24 * 3600 * 1000000LL)
#define TRUST_FRESH_DAYS 7 /* without decay */

#define TRUST_DIMENSION(X) \
    X(TRUST_RELIABILITY, "reliability") X(TRUST_COST, "cost") X(TRUST_SAFETY, "safety") X(TRUST_QUALITY, "quality") X(TRUST_SPEED, "speed")
ENUMX_DECLARE(trust_dimension, TRUST_DIMENSION);
#define TRUST_DIMENSIONS 5

#define TRUST_NEW {.d = {0.5, 0.5, 1.0, 0.5, 0.5}, .overall = 0.65}

/* What is stored of an agent, and what of the agent's own row goes with it. */
struct agent_trust {
    struct uuid agent_id, parent_id;
    const char *name;
    double d[TRUST_DIMENSIONS]; /* as of last_evaluated_at */
    double overall;
    enum trust_tier tier;
    int64_t evaluation_count;
    struct instant last_evaluated_at, decayed_at, tier_since, last_demoted_at, limited_at;
    int pinned_tier; /* of enum trust_tier; -1: none */
    const char *pin_reason;
};

/* What holds at an instant. */
struct trust_now {
    double d[TRUST_DIMENSIONS], overall;
    enum trust_tier earned, tier; /* tier: with pin and emergency */
};

/* What idleness leaves of the part above the middle: 1 to 0.7. */
double trust_kept(const struct agent_trust *t, struct instant now);
double trust_overall(const double d[TRUST_DIMENSIONS]);
enum trust_tier trust_tier_by(double overall);
/* The lowest overall of a tier. */
double trust_tier_floor(enum trust_tier tier);
/* The tier it rises or falls to from the one it has: falls at once, rises by one, when all is fulfilled. */
enum trust_tier trust_tier_next(const struct agent_trust *t, double overall, struct instant now);
void trust_at(const struct agent_trust *t, struct instant now, struct trust_now *out);

#endif
