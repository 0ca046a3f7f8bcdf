/* Which agents work together. */
#ifndef LOCI_WORKING_SHARE_STORE_H
#define LOCI_WORKING_SHARE_STORE_H

#include <stdbool.h>

#include "ctx.h"

/* Is there a space that both may write to, as its owner, by name, or by a team they are in? Grants to roles and to everyone do
 * not count: they say nothing of two agents who know each other. */
err working_share_store_allowed(struct ctx *c, struct uuid a, struct uuid b, bool *allowed);

#endif
