/* SQL of tuning. */
#ifndef LOCI_TUNING_STORE_H
#define LOCI_TUNING_STORE_H

#include "tuning.h"

err tuning_store_list(struct ctx *c, struct uuid behind, struct instant since, int64_t limit, struct list *out);
err tuning_store_due(struct ctx *c, struct uuid above, struct instant since, struct uuid *ids, size_t max, size_t *n);

#endif
