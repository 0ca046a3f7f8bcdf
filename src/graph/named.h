/* Things by the names that people and agents know them by, where an id is wanted. */
#ifndef LOCI_NAMED_H
#define LOCI_NAMED_H

#include "ctx.h"

/* What no row has: a name that finds nothing is answered as an id that finds nothing is. */
#define NAMED_NOTHING ((struct uuid){{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}})

/* "me", for an agent, or a slug; NAMED_NOTHING: there is none. */
err named_agent(struct ctx *c, const char *text, struct uuid *id);
/* A slug such as "global" or a pool's name, "kind/slug" where several kinds have it, or "agent:" and an agent's slug. Only what the
 * caller may read has a name. */
err named_space(struct ctx *c, const char *text, struct uuid *id);

#endif
