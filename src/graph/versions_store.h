/* SQL of finding old states of nodes. */
#ifndef LOCI_VERSIONS_STORE_H
#define LOCI_VERSIONS_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "ctx.h"

struct old_state {
    struct uuid id;
    struct instant until; /* when the next one took its place */
};

err versions_store_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err versions_store_grown(struct ctx *c, struct instant since, int64_t kept, struct uuid above, struct uuid *ids, size_t max,
                         size_t *n);
err versions_store_lock(struct ctx *c, struct uuid id, struct uuid *space_id, bool *found);
/* Newest first: the last of those that are kept, and at most max - 1 behind it. */
err versions_store_chain(struct ctx *c, struct uuid id, int64_t kept, struct old_state *rows, size_t max, size_t *n);

#endif
