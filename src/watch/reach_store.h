/* SQL of agents as this room sees them; only its services include it. */
#ifndef LOCI_REACH_STORE_H
#define LOCI_REACH_STORE_H

#include "ctx.h"
#include "list.h"

/* The agent itself and the members of teams that it leads. */
err reach_store_led(struct ctx *c, struct uuid agent_id, struct uuids *out);
err reach_store_lock(struct ctx *c, const struct uuid *ids, size_t n);

#endif
