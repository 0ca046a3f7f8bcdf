/* The rows of patterns, and what they are mined from; only this room includes it. */
#ifndef LOCI_TAG_PATTERN_STORE_H
#define LOCI_TAG_PATTERN_STORE_H

#include "tag_pattern.h"

/* A subject holds a tag. */
struct tag_held {
    struct uuid owner, subject;
    const char *name; /* type:slug */
};
/* By owner and subject, without owners that are left out. */
err tag_pattern_store_held(struct ctx *c, struct list *out);
err tag_pattern_store_opt(struct ctx *c, struct uuid owner, bool out);
err tag_pattern_store_list(struct ctx *c, const struct tag_pattern_filter *f, bool reviewer, struct uuid before, struct page *out);
err tag_pattern_store_all(struct ctx *c, struct list *out);
/* A night begins: each one is missed until it is put. */
err tag_pattern_store_begin(struct ctx *c);
err tag_pattern_store_put(struct ctx *c, const struct tag_pattern *rows, size_t n);
err tag_pattern_store_tier(struct ctx *c, struct uuid id, enum tag_tier tier);
/* Those that nobody sees and the last night did not find. */
err tag_pattern_store_sweep(struct ctx *c);

#endif
