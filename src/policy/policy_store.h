/* SQL of policies; only policy.c includes this. */
#ifndef LOCI_POLICY_STORE_H
#define LOCI_POLICY_STORE_H

#include "policy.h"

err policy_store_get(struct ctx *c, struct uuid id, bool *found, struct policy *out);
err policy_store_lock(struct ctx *c, struct uuid id, bool *found, struct policy *out);
err policy_store_list(struct ctx *c, const struct policy_filter *f, struct uuids spaces, struct uuid before, struct page *out);
err policy_store_count(struct ctx *c, struct uuid space_id, int64_t *n);
/* Active ones of these spaces, the most urgent first. */
err policy_store_active(struct ctx *c, struct uuids spaces, size_t max, struct list *out);
err policy_store_suggestions(struct ctx *c, struct uuids spaces, size_t max, struct list *out);

#endif
