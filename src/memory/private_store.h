/* Private pools in the stores; only their service includes this. */
#ifndef LOCI_PRIVATE_STORE_H
#define LOCI_PRIVATE_STORE_H

#include "private.h"

/* The private pool of that pool_id and owner, past the gate. */
err private_store_pool(struct ctx *c, const char *pool_id, struct uuid agent_id, bool *found, struct uuid *id);
/* Live keys with REFLECT_USES uses and more, the most used first. */
err private_store_used(struct ctx *c, struct uuid pool, struct pool_entry *rows, size_t max, size_t *n);
/* Turns to reflect: one in REFLECT_SECONDS. left: seconds until the next one where this is none; 0: it is. */
err private_store_turn(struct ctx *c, struct uuid agent_id, int64_t *left);
/* It came to nothing: the next may come at once. Without Redis it waits. */
void private_store_give_back(struct ctx *c, struct uuid agent_id);

#endif
