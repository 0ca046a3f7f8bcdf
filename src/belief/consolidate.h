/* Consolidation: facts are read out of episodes, one transaction each. A crash leaves an episode as it was, and doing it again changes
 * nothing. */
#ifndef LOCI_CONSOLIDATE_H
#define LOCI_CONSOLIDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "list.h"

#define CONSOLIDATE_AT_ONCE 32
#define CONSOLIDATE_ATTEMPTS 5

struct consolidated {
    struct uuid space_id;
    int64_t items, facts, failed, unclear;
};

/* What waits in a space, at most CONSOLIDATE_AT_ONCE episodes; more says whether others do. As the caller, who may write there. */
err consolidate_space(struct ctx *c, struct uuid space_id, struct consolidated *out, bool *more);

/* Spaces of the account where something waits. */
err consolidate_waiting(struct ctx *c, size_t max, struct uuids *out);
/* Accounts, for the sweep. */
err consolidate_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Promises the work of the spaces where something waits without a task. */
err consolidate_sweep(struct ctx *c, int64_t max, int64_t *n);

struct consolidation_status {
    struct uuid space_id;
    int64_t pending, in_progress, consolidated, failed, occurrences_pending, generation;
    double oldest_pending_age_s;
    const char *rule_set;
    struct instant last_processed_at;
};
/* Of that space; nil: of an agent's own, of all that a person can read. */
err consolidation_status(struct ctx *c, struct uuid space_id, struct consolidation_status *out);

#endif
