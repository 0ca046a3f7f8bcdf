/* SQL of the rows of exports and imports. */
#ifndef LOCI_TRANSFER_ROW_STORE_H
#define LOCI_TRANSFER_ROW_STORE_H

#include "transfer.h"

err transfer_row_store_insert(struct ctx *c, const struct transfer *t);
err transfer_row_store_get(struct ctx *c, struct uuid id, bool *found, struct transfer *out);
err transfer_row_store_list(struct ctx *c, enum transfer_direction d, struct uuid before, int64_t limit, struct transfer **rows, size_t *n);
/* Those that are not at their end. */
err transfer_row_store_open(struct ctx *c, int64_t *n);
err transfer_row_store_running(struct ctx *c, struct uuid id, struct uuid mark);
err transfer_row_store_finish(struct ctx *c, const struct transfer *t);
err transfer_row_store_delete(struct ctx *c, struct uuid id, int64_t *n);
err transfer_row_store_old(struct ctx *c, struct instant before, int64_t limit, struct uuid *ids, size_t *n);
err transfer_row_store_due(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
