/* SQL of the upkeep of skills. */
#ifndef LOCI_SKILL_UPKEEP_STORE_H
#define LOCI_SKILL_UPKEEP_STORE_H

#include "skill_upkeep.h"

err skill_upkeep_store_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);
/* Effectiveness by what is known now; *changed: rows whose score is another one. */
err skill_upkeep_store_score(struct ctx *c, const struct uuid *ids, size_t n, int64_t *changed);
err skill_upkeep_store_stale(struct ctx *c, const struct uuid *ids, size_t n, struct instant since, int64_t *stale);

struct skill_missed {
    const char *task;
    int64_t misses;
};
err skill_upkeep_store_missed(struct ctx *c, struct instant since, int64_t least, struct list *out);
err skill_upkeep_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
