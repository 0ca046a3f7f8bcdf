/* The rows of models of bases. */
#ifndef LOCI_BASE_MODEL_STORE_H
#define LOCI_BASE_MODEL_STORE_H

#include "base_model.h"

err base_model_store_get(struct ctx *c, struct uuid base, bool *found, struct base_model *out);
/* The same, until the transaction ends. */
err base_model_store_lock(struct ctx *c, struct uuid base, bool *found, struct base_model *out);
err base_model_store_put(struct ctx *c, const struct base_model *m);
/* Rows (base, model) of those among ids that have a model which is not the account's. */
err base_model_store_own(struct ctx *c, struct uuids bases, struct uuid *base, struct uuid *model, size_t *n);
/* The model that serves the account; nil: none. */
err base_model_store_account(struct ctx *c, struct uuid *id);
/* Which chunks of the base lack a vector of the model; nil: of the account's. */
err base_model_store_missing(struct ctx *c, const struct base_part *of, struct uuid model, struct uuid *ids, size_t max, size_t *n);
/* Bases that are moving to another model since before then, or lack vectors of their own model for documents processed between from and
 * before, and have no task that would make them. */
err base_model_store_lost(struct ctx *c, struct instant from, struct instant before, struct uuid *ids, size_t max, size_t *n);
err base_model_store_count(struct ctx *c, struct uuid base, struct uuid model, int64_t *chunks, int64_t *left);
/* Its vectors stay while a base uses it; from now on they go after a week, unless one does. */
err base_model_store_use(struct ctx *c, struct uuid model, bool is_used);
err base_model_store_exists(struct ctx *c, struct uuid model, bool *yes);

#endif
