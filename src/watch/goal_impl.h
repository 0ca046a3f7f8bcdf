/* What goal.c and goal_keep.c share. */
#ifndef LOCI_GOAL_IMPL_H
#define LOCI_GOAL_IMPL_H

#include "goal.h"

extern const struct thing GOAL_DUE; /* with is_met */

int64_t goal_idle_limit(const struct goal *g); /* microseconds without activity until it is abandoned */
void goal_active(struct ctx *c, struct goal *g);
err goal_save(struct ctx *c, const struct thing_change *ch, const struct goal *was, struct goal *g);
err goal_end(struct ctx *c, const struct goal *was, enum goal_status to, const char *why);

#endif
