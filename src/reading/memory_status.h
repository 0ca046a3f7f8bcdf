/* How the memory is, for an agent: what there is, what is away, what waits. */
#ifndef LOCI_MEMORY_STATUS_H
#define LOCI_MEMORY_STATUS_H

#include "ctx.h"
#include "list.h"

struct status_part {
    const char *name, *state; /* ok, off or failed */
};

struct memory_status {
    const char *version;
    struct list parts;  /* of struct status_part: database, schema, queue, embedder */
    struct list census; /* of struct node_count: readable spaces only */
    int64_t nodes, spaces, vectors_waiting, episodes_waiting, episodes_failed;
    struct strs degraded; /* what answers without what is away */
};

err memory_status(struct ctx *c, struct memory_status *out);

#endif
