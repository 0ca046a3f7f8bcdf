/* What becomes of contexts whose time is over; the job context_cleanup calls this, batch by batch. */
#ifndef LOCI_CONTEXT_UPKEEP_H
#define LOCI_CONTEXT_UPKEEP_H

#include "ctx.h"

/* Accounts that have contexts which nobody can bring back any more. */
err context_upkeep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* One of them goes, with all that was in it: at most limit rows, counted by its nodes, and one for itself. */
err context_upkeep(struct ctx *c, int64_t limit, int64_t *n);

#endif
