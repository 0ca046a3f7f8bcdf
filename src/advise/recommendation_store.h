/* SQL of recommendations. */
#ifndef LOCI_RECOMMENDATION_STORE_H
#define LOCI_RECOMMENDATION_STORE_H

#include "recommendation.h"

/* Is it open, or was it decided since then? */
err recommendation_store_rests(struct ctx *c, struct bytes topic, struct instant since, bool *rests);
err recommendation_store_is_full(struct ctx *c, int64_t most, bool *full);
err recommendation_store_lock(struct ctx *c, struct uuid id, bool *found, struct recommendation *out);
err recommendation_store_list(struct ctx *c, const struct recommendation_filter *f, struct uuid before, struct page *out);
err recommendation_store_overdue(struct ctx *c, int64_t limit, struct list *out);

#endif
