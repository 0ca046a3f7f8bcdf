/* Work on much data in portions: each has memory of its own, which goes back when it is done. */
#ifndef LOCI_PORTION_H
#define LOCI_PORTION_H

#include "ctx.h"

/* A request inside the request: the same caller, stores, deadline and Idempotency-Key, an arena of its own that ends with the
 * outer one. */
void portion_begin(struct ctx *c, struct ctx *part);
/* Forgets what the portion allocated, and its failure. */
void portion_next(struct ctx *part);
/* Gives e back, with the portion's failure copied to the outer request. */
err portion_end(struct ctx *c, struct ctx *part, err e);

#endif
