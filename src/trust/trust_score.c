/* The formulas of trust; see trust_score.h. */
#include "trust_score.h"

ENUMX_DEFINE(trust_tier, TRUST_TIER);
ENUMX_DEFINE(trust_dimension, TRUST_DIMENSION);

static const double WEIGHTS[TRUST_DIMENSIONS] = {
    [TRUST_RELIABILITY] = 0.25, [TRUST_COST] = 0.15, [TRUST_SAFETY] = 0.30, [TRUST_QUALITY] = 0.20, [TRUST_SPEED] = 0.10};
static const double FLOORS[] = {[TRUST_SUPERVISED] = 0, [TRUST_MONITORED] = 0.4, [TRUST_TRUSTED] = 0.7, [TRUST_AUTONOMOUS] = 0.9};

double trust_kept(const struct agent_trust *t, struct instant now)
{
    double weeks, kept;

    if (!t->last_evaluated_at.us)
        return 1;
    weeks = ((double)(now.us - t->last_evaluated_at.us) / (double)DAY_US - TRUST_FRESH_DAYS) / 7;
    kept = 1 - 0.02 * weeks;
    return weeks <= 0 ? 1 : kept < 0.7 ? 0.7 : kept;
}

double trust_overall(const double d[TRUST_DIMENSIONS])
{
    double sum = 0;

    for (int i = 0; i < TRUST_DIMENSIONS; i++)
        sum += WEIGHTS[i] * d[i];
    return sum > 1 ? 1 : sum;
}

/* A sum of decimals may miss its round number by a hair. */
enum trust_tier trust_tier_by(double overall)
{
    int tier = TRUST_AUTONOMOUS;

    while (overall + 1e-9 < FLOORS[tier])
        tier--;
    return (enum trust_tier)tier;
}

double trust_tier_floor(enum trust_tier tier)
{
    return FLOORS[tier];
}

enum trust_tier trust_tier_next(const struct agent_trust *t, double overall, struct instant now)
{
    enum trust_tier by = trust_tier_by(overall);

    if (by <= t->tier)
        return by;
    if (t->evaluation_count < TRUST_EVALUATIONS || now.us - t->tier_since.us < TRUST_RISE_US || t->limited_at.us ||
        (t->last_demoted_at.us && now.us - t->last_demoted_at.us < TRUST_AFTER_FALL_US))
        return t->tier;
    return (enum trust_tier)((int)t->tier + 1);
}

void trust_at(const struct agent_trust *t, struct instant now, struct trust_now *out)
{
    double kept = trust_kept(t, now);

    for (int i = 0; i < TRUST_DIMENSIONS; i++)
        out->d[i] = t->d[i] > TRUST_MIDDLE ? TRUST_MIDDLE + (t->d[i] - TRUST_MIDDLE) * kept : t->d[i];
    out->overall = trust_overall(out->d);
    out->earned = trust_tier_next(t, out->overall, now);
    out->tier = t->limited_at.us ? TRUST_SUPERVISED : t->pinned_tier >= 0 ? (enum trust_tier)t->pinned_tier
                                                                          : out->earned;
}
