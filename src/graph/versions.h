/* Old states of nodes beyond the newest LIMIT_NODE_VERSIONS: for the job that lets go of them. */
#ifndef LOCI_VERSIONS_H
#define LOCI_VERSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "ctx.h"

#define VERSIONS_AT_ONCE 500

/* Accounts above `above` in which a node has changed since the watermark of that job, ascending, at most max. */
err versions_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Nodes above `above` that have got a state since then and have had more than are kept, ascending, at most max. */
err versions_grown(struct ctx *c, struct instant since, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Deletes what is too old of that node's states, at most VERSIONS_AT_ONCE; inside the caller's transaction. *more: others are behind
 * them. */
err versions_prune(struct ctx *c, struct uuid id, int64_t *n, bool *more);

#endif
