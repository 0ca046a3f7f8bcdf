/* SQL of judging shared knowledge by night; only knowledge_upkeep.c includes this. */
#ifndef LOCI_KNOWLEDGE_UPKEEP_STORE_H
#define LOCI_KNOWLEDGE_UPKEEP_STORE_H

#include "knowledge_upkeep.h"

err knowledge_upkeep_store_accounts(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err knowledge_upkeep_store_scan(struct ctx *c, const struct knowledge_position *after, struct instant before, size_t max,
                                struct knowledge_row *rows, size_t *n);
/* Quality and stale_at, as of now. */
err knowledge_upkeep_store_write(struct ctx *c, const struct knowledge_row *rows, size_t n);

#endif
