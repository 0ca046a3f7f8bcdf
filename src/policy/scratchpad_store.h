/* SQL of scratchpads; only scratchpad.c includes this. */
#ifndef LOCI_SCRATCHPAD_STORE_H
#define LOCI_SCRATCHPAD_STORE_H

#include "list.h"
#include "scratchpad.h"

/* None: an empty one of version 0. lock: inside a transaction. */
err scratchpad_store_get(struct ctx *c, struct uuid agent_id, bool lock, struct scratchpad *out);
/* The row is there afterwards, so that it can be locked. */
err scratchpad_store_make(struct ctx *c, struct uuid agent_id);
err scratchpad_store_put(struct ctx *c, struct uuid agent_id, const char *body);
err scratchpad_store_delete(struct ctx *c, struct uuid agent_id);
err scratchpad_store_due(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err scratchpad_store_old(struct ctx *c, struct instant before, size_t max, struct list *out);

#endif
