/* The rows of tags; only this room includes it. */
#ifndef LOCI_TAG_STORE_H
#define LOCI_TAG_STORE_H

#include "tag.h"

err tag_store_get(struct ctx *c, struct uuid id, bool lock, bool *found, struct tag *out);
err tag_store_list(struct ctx *c, const struct tag_filter *f, bool reviewer, struct uuid before, struct page *out);
err tag_store_count(struct ctx *c, int64_t *n);
/* May everybody of the account read that space? */
err tag_store_is_open(struct ctx *c, struct uuid space_id, bool *open);
/* Those of the two spaces that have one of the slugs as their name or alias. */
err tag_store_named(struct ctx *c, const struct uuid spaces[2], enum tag_type type, struct strs slugs, struct list *out);
err tag_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);
/* Shared active ones of the type category, by slug. */
err tag_store_categories(struct ctx *c, struct list *out);
/* Shared ones that wait for a review. */
err tag_store_pending(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);
/* Counters of n tags, each once: more uses, more holders. */
err tag_store_use(struct ctx *c, const struct uuid *ids, size_t n, bool holders);
/* In the taxonomy: by type and slug, of tiers transitional and universe. */
err tag_store_shared(struct ctx *c, struct uuid taxonomy, enum tag_type type, const char *slug, bool *found, struct tag *out);
err tag_store_set_tier(struct ctx *c, struct uuid id, enum tag_tier tier);

#endif
