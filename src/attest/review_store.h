/* SQL of what waits for a decision; only review.c includes this. */
#ifndef LOCI_REVIEW_STORE_H
#define LOCI_REVIEW_STORE_H

#include "list.h"
#include "review.h"

err review_store_list(struct ctx *c, const struct review_filter *f, struct uuids spaces, struct uuid before, struct list *out);
/* Which sort of thing it is; found false: neither a fact nor an episode. */
err review_store_sort(struct ctx *c, struct uuid id, struct uuid *space_id, bool *is_fact, bool *found);

#endif
