/* How healthy the skills are together, and how one of them does. */
#ifndef LOCI_SKILL_HEALTH_H
#define LOCI_SKILL_HEALTH_H

#include "ctx.h"
#include "list.h"
#include "skill.h"

#define SKILL_HEALTH_ROWS 5

struct skill_health_row {
    struct uuid id;
    const char *name;
    double effectiveness_now;
};
struct skill_health {
    double score; /* 0 to 100; NaN: there is no active skill */
    const char *grade;
    int64_t skills, edges, open_conflicts;
    double coverage, connectivity, freshness, effectiveness, conflict; /* each 0 to 1 */
    struct list best, worst, stale, orphans;                           /* of struct skill_health_row; only of a report */
};
err skill_health(struct ctx *c, bool report, struct skill_health *out);

struct skill_metrics {
    struct uuid id;
    const char *name, *trend;                              /* up, down or stable: the last week against the one before */
    double effectiveness, effectiveness_now, success_rate; /* success_rate NaN: no outcome yet */
    int64_t usage_count, success_count, failure_count, partial_count, mean_latency_ms, versions;
    int64_t open_conflicts, edges;
};
err skill_metrics(struct ctx *c, struct uuid id, struct skill_metrics *out);

/* The parts as a score; a pure function. */
double skill_health_score(const struct skill_health *h);
const char *skill_health_grade(double score);

#endif
