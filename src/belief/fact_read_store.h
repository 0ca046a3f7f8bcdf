/* SQL that reads facts; only fact_read.c includes this. */
#ifndef LOCI_FACT_READ_STORE_H
#define LOCI_FACT_READ_STORE_H

#include "fact_read.h"

err fact_read_store_get(struct ctx *c, struct uuid id, bool *found, struct fact *out);
/* Sources of a fact that are no memories. */
err fact_read_store_refs(struct ctx *c, struct uuid id, const struct json *refs);
err fact_read_store_list(struct ctx *c, const struct fact_filter *f, struct uuids spaces, struct uuid before, struct page *out);
err fact_read_store_windows(struct ctx *c, struct uuid id, struct list *out);
err fact_read_store_diff(struct ctx *c, const struct fact_diff_filter *f, struct uuids spaces, struct list *out);

err fact_read_store_marks(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);

#endif
