/* The formulas of skills: how good one is, and how that fades while it lies unused. */
#ifndef LOCI_SKILL_SCORE_H
#define LOCI_SKILL_SCORE_H

#include <stdint.h>

#include "ctx.h"

struct skill_outcomes {
    int64_t success, failure, partial;
};

/* .3 confidence + .5 of the outcomes (beginning at one half) + .2 of the learnings that belong to it (NaN: none, one half). */
double skill_effectiveness(double confidence, const struct skill_outcomes *o, double learnings);
/* Unused since then: whole for 30 days, halved every 180 days after that, never below a fifth. */
double skill_effectiveness_now(double effectiveness, int64_t used_us, int64_t now_us);

/* Success rate of the last week against the week before: up, down or stable. */
const char *skill_trend(const struct skill_outcomes *now, const struct skill_outcomes *before);

/* The interval of p(variant) − p(base), by Newcombe's score method; partial outcomes count half. z: of the confidence. */
struct skill_arm {
    double good;
    int64_t n;
};
struct skill_interval {
    double low, high;
};
struct skill_interval skill_newcombe(struct skill_arm base, struct skill_arm variant, double z);
/* z with that share of a normal distribution between −z and z. */
double skill_z_of(double confidence);

/* Which arm a session gets: the same one always. key: the session, else the agent. */
bool skill_test_takes_variant(struct uuid test, const char *key, double traffic);

#endif
