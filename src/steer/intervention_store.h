/* SQL of intervention policies. */
#ifndef LOCI_INTERVENTION_STORE_H
#define LOCI_INTERVENTION_STORE_H

#include "intervention.h"

err intervention_store_list(struct ctx *c, const struct intervention_filter *f, struct uuid before, struct page *out);
err intervention_store_count(struct ctx *c, int64_t *n);
/* Active ones of the category or of all. */
err intervention_store_candidates(struct ctx *c, const char *category, struct list *out);
/* How many notifications the person got since then. */
err intervention_store_told(struct ctx *c, struct uuid user_id, struct instant since, int64_t *n);

#endif
