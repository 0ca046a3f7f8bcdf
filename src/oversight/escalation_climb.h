/* What the job does with escalations that nobody reacted to. */
#ifndef LOCI_ESCALATION_CLIMB_H
#define LOCI_ESCALATION_CLIMB_H

#include "ctx.h"

/* Accounts where something is late, or a reminder is due. */
err escalation_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* At most limit late ones go one level up; those without a level left are exhausted. Inside a transaction. */
err escalation_climb(struct ctx *c, int64_t limit, int64_t *seen);
/* Tells each admin once a day of all that are exhausted; *reminded: how many were told. Inside a transaction. */
err escalation_remind(struct ctx *c, int64_t *reminded);

#endif
