/* The models of accounts as they were a moment ago, so that a recall need not ask for them. */
#ifndef LOCI_VECTOR_MODELS_CACHE_H
#define LOCI_VECTOR_MODELS_CACHE_H

#include "vector_models.h"

struct model_cache; /* struct app.model_cache */

struct model_cache *model_cache_new(void);
void model_cache_free(struct model_cache *m);

/* As vector_models_read, up to 5 s old. known: the answer has this model, or is read anew (nil: any will do). */
err model_cache_get(struct ctx *c, struct uuid known, struct vector_models *out);

#endif
