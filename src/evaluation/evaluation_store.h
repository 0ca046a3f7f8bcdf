/* The rows of evaluation sets and their runs. */
#ifndef LOCI_EVALUATION_STORE_H
#define LOCI_EVALUATION_STORE_H

#include "evaluation.h"
#include "list.h"

err evaluation_store_cases(struct ctx *c, const struct evaluation_filter *f, struct uuid before, struct page *out);
err evaluation_store_runs(struct ctx *c, const struct evaluation_filter *f, struct uuid before, struct page *out);
err evaluation_store_count(struct ctx *c, struct uuid base, int64_t *n);
err evaluation_store_all(struct ctx *c, struct uuid base, const char *name, struct list *out);
/* The run of the same set that was done before this one. */
err evaluation_store_before(struct ctx *c, const struct evaluation_run *r, bool *found, struct evaluation_run *out);
/* A live document of the base by its external_id. */
err evaluation_store_document(struct ctx *c, struct uuid base, const char *external_id, bool *found, struct uuid *id);

#endif
