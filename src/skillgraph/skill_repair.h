/* Repairs of conflicts that a machine may make, each of which can be undone for 30 days. */
#ifndef LOCI_SKILL_REPAIR_H
#define LOCI_SKILL_REPAIR_H

#include "skill_conflict.h"

#define REPAIRS_AT_ONCE 50

/* Cycles: the weakest edge is retired. Overlaps with equal texts: the better skill stays, the other is deprecated and points to it.
 * ERR_CONFLICT for every other conflict: people decide those. */
err skill_repair(struct ctx *c, const struct skill_conflict_decision *in, struct skill_conflict *out);
/* All that may be repaired, at most REPAIRS_AT_ONCE. */
struct skill_repairs {
    int64_t repaired, left;
};
err skill_repair_all(struct ctx *c, struct skill_repairs *out);
/* As it was before: the edge is there again, or the skill is active again. */
err skill_repair_undo(struct ctx *c, const struct skill_conflict_decision *in, struct skill_conflict *out);

#endif
