/* SQL of skills. */
#ifndef LOCI_SKILL_STORE_H
#define LOCI_SKILL_STORE_H

#include "skill.h"

err skill_store_get(struct ctx *c, struct uuid id, bool *found, struct skill *out);
err skill_store_lock(struct ctx *c, struct uuid id, bool *found, struct skill *out);
/* The newest of that slug in the spaces. */
err skill_store_by_slug(struct ctx *c, const char *slug, struct uuids spaces, bool *found, struct uuid *id);
err skill_store_list(struct ctx *c, const struct skill_filter *f, struct uuids spaces, struct uuid before, struct page *out);
err skill_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct uuids spaces, struct list *out);
err skill_store_count(struct ctx *c, int64_t *n);
/* Of struct skill_category_row; active ones of the spaces. */
err skill_store_categories(struct ctx *c, struct uuids spaces, struct list *out);
err skill_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
