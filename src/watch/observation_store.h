/* SQL of observations; only observation.c includes it. */
#ifndef LOCI_OBSERVATION_STORE_H
#define LOCI_OBSERVATION_STORE_H

#include "observation.h"
#include "reach.h"

err observation_store_lock(struct ctx *c, struct uuid id, bool *found, struct observation *out);
err observation_store_list(struct ctx *c, const struct observation_filter *f, const struct watch_reach *reach, struct uuid before,
                           struct page *out);
/* Those with these fingerprints that are open, or were processed since then. */
err observation_store_known(struct ctx *c, const struct observation *v, size_t n, struct instant since, struct list *out);
/* How many were made of each of their agents since then. */
struct observation_count {
    struct uuid agent_id;
    int64_t n;
};
err observation_store_since(struct ctx *c, const struct observation *v, size_t n, struct instant since, struct list *out);
/* New ones; those that are open already are counted up. */
err observation_store_put(struct ctx *c, const struct observation *v, size_t n);
/* o counts what was dropped: seen_count more. *id: of the row. */
err observation_store_count_up(struct ctx *c, const struct observation *o, struct uuid *id);
err observation_store_open(struct ctx *c, int64_t *n);
err observation_store_found(struct ctx *c, const struct uuid *agents, size_t n, unsigned sensors, struct list *out);
err observation_store_close(struct ctx *c, const struct observation *v, size_t n);
err observation_store_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err observation_store_expire(struct ctx *c, int64_t limit, int64_t *n);
err observation_store_purge(struct ctx *c, int64_t limit, int64_t *n);

#endif
