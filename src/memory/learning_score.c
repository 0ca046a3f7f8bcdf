/* Formulas of learnings; see learning_score.h. */
#include "learning_score.h"

#include <math.h>

#include "lifecycle.h"

#define CATEGORIES 9

double learning_effective_importance(double importance_now, int64_t injections, int64_t positive)
{
    if (injections < LEARNING_JUDGED)
        return lifecycle_round(importance_now);
    return lifecycle_round(0.3 * importance_now + 0.7 * ((double)positive + 2) / ((double)injections + 4));
}

double learning_effectiveness(int64_t injections, int64_t positive)
{
    return injections < 3 ? NAN : lifecycle_round((double)positive / (double)injections);
}

const char *learning_freshness(struct instant since, struct instant now)
{
    int64_t age = now.us - since.us;

    return age < 7 * DAY_US ? "fresh" : age < 30 * DAY_US ? "aging" : "stale";
}

double learning_compound_score(int64_t categories, double effectiveness, int64_t active)
{
    double known = isnan(effectiveness) ? 0.5 : effectiveness;

    return lifecycle_round(
        100 * (0.3 * (double)categories / CATEGORIES + 0.4 * known + 0.3 * fmin((double)active / 50, 1)));
}
