/* Upkeep of skills by jobs: scores and search texts once a week, missing skills once a month. */
#ifndef LOCI_SKILL_UPKEEP_H
#define LOCI_SKILL_UPKEEP_H

#include "ctx.h"
#include "list.h"
#include "uuid.h"

#define GAP_MISSES 3 /* a task that was asked so often in vain is a gap */
#define GAP_DAYS 30

/* Skills behind that id, by id: of struct skill_due. */
struct skill_due {
    struct uuid id;
};
err skill_upkeep_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);
struct skill_kept {
    int64_t scored, refreshed, stale; /* scores that changed; nodes whose text did; skills unused for 30 days */
};
/* Inside a transaction. */
err skill_upkeep_apply(struct ctx *c, const struct skill_due *rows, size_t n, struct skill_kept *out);

/* Recommendations for what was asked again and again in vain. Inside a transaction. */
struct skill_gaps {
    int64_t looked, recommended;
};
err skill_gaps_detect(struct ctx *c, struct skill_gaps *out);
/* A recommendation, one pending for each skill, where learnings say more than its text; skills behind that id, by id. Outside of
 * transactions: it recalls (skill_evolve.c). */
struct skill_refined {
    int64_t looked, recommended;
    struct uuid last;
};
err skill_refine_some(struct ctx *c, struct uuid behind, int64_t limit, struct skill_refined *out);
err skill_gaps_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
