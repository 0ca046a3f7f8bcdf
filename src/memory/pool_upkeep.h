/* What becomes of pools and keys whose time is over; the job pool_cleanup calls these, batch by batch. */
#ifndef LOCI_POOL_UPKEEP_H
#define LOCI_POOL_UPKEEP_H

#include "ctx.h"
#include "space.h"

#define POOL_TOMBSTONE_US (DAY_US)                       /* deleted keys are listed as changes so long */
#define POOL_SESSION_US (DAY_US)                         /* a session's pool ends so long after its last write */
#define POOL_PURGE_US (SPACE_RESTORE_DAYS_POOL * DAY_US) /* deleted and expired pools are removed when they cannot be restored any more */

/* Accounts that have pools. */
err pool_upkeep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Each does at most limit rows and says how many: keys become tombstones, tombstones go with their nodes, pools of sessions end,
 * pools that nobody can bring back any more go with all that was in them (counted by their nodes, and one for themselves). */
err pool_upkeep_keys(struct ctx *c, int64_t limit, int64_t *n);
err pool_upkeep_tombstones(struct ctx *c, int64_t limit, int64_t *n);
err pool_upkeep_sessions(struct ctx *c, int64_t limit, int64_t *n);
err pool_upkeep_pools(struct ctx *c, int64_t limit, int64_t *n);

#endif
