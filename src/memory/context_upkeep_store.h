/* SQL of tidying up behind contexts; only context_upkeep.c includes this. */
#ifndef LOCI_CONTEXT_UPKEEP_STORE_H
#define LOCI_CONTEXT_UPKEEP_STORE_H

#include "ctx.h"

/* Contexts that were deleted, or expired, before that: their accounts, and one of this account. */
err context_upkeep_store_accounts(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err context_upkeep_store_over(struct ctx *c, struct instant before, bool *found, struct uuid *context);
err context_upkeep_store_delete(struct ctx *c, struct uuid context);

#endif
