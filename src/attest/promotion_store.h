/* SQL of promotions; only promotion.c includes this. */
#ifndef LOCI_PROMOTION_STORE_H
#define LOCI_PROMOTION_STORE_H

#include "list.h"
#include "promotion.h"

/* What waits or stands for the fact, locked; id nil: nothing. */
err promotion_store_open(struct ctx *c, struct uuid fact_id, struct promotion *out);
err promotion_store_get(struct ctx *c, struct uuid id, bool *found, struct promotion *out);
err promotion_store_list(struct ctx *c, const struct promotion_filter *f, struct uuids spaces, struct uuid before, struct page *out);
err promotion_store_save(struct ctx *c, const struct promotion *p);
err promotion_store_count(struct ctx *c, struct uuid fact_id, int64_t *n);
err promotion_store_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Facts of promotions that wait or stand, in the order of the promotions' ids. */
err promotion_store_facts(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);
err promotion_store_global(struct ctx *c, struct uuid *space_id);

#endif
