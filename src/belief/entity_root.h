/* Entities that are one: which of them stands for the others. Facts keep whom they were said of; the one that stayed has them all. */
#ifndef LOCI_ENTITY_ROOT_H
#define LOCI_ENTITY_ROOT_H

#include "ctx.h"
#include "list.h"

#define ENTITY_MEMBERS 200 /* of one thing */
#define ENTITY_SLOTS 1000  /* questions that are moved at once */

/* Losers become part of the keeper with all that is part of them, and what is believed of any of them is believed of one thing. Inside
 * the caller's transaction, which has asked the gate. ERR_CONFLICT: too many of them. */
err entity_join(struct ctx *c, struct uuid keeper, const struct uuid *losers, size_t n);
/* As if they had never been joined: each has its own, and what was said of it since. Those that are part of nothing stay so. */
err entity_part(struct ctx *c, const struct uuid *losers, size_t n);

/* All that was said of these answers the questions about the root from now on. anew: their facts have to say so. Likewise. ERR_CONFLICT:
 * more than ENTITY_SLOTS questions. */
err entity_claims_to(struct ctx *c, const struct uuid *subjects, size_t n, struct uuid root, bool anew);

/* The one that it is part of, or itself. */
err entity_root(struct ctx *c, struct uuid id, struct uuid *root);
/* These, and all that is part of any of them. */
err entity_members(struct ctx *c, const struct uuid *ids, size_t n, struct uuids *out);
/* Who has the name, in normal form, in one of the spaces, with all that is one with them. */
err entity_named(struct ctx *c, const char *norm, struct uuids spaces, struct uuids *out);

#endif
