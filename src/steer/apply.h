/* Applying a recommendation with the caller's permissions, and taking that back. */
#ifndef LOCI_APPLY_H
#define LOCI_APPLY_H

#include "ctx.h"
#include "recommendation.h"

/* Pending or approved. What it changes belongs to other rooms, which ask for their permission: ERR_FORBIDDEN leaves it as it was. */
err recommendation_apply(struct ctx *c, const struct thing_key *key, struct recommendation *out);
/* As it was before; it is dismissed then, so that it is not made again at once. */
err recommendation_undo(struct ctx *c, const struct thing_key *key, struct recommendation *out);

#endif
