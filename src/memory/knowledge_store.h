/* Rows of shared knowledge; only knowledge*.c include this. */
#ifndef LOCI_KNOWLEDGE_STORE_H
#define LOCI_KNOWLEDGE_STORE_H

#include "knowledge.h"
#include "str.h"

/* Whatever its space and state, but no forgotten or expired one: the service judges. `content` up to `chars`. */
err knowledge_store_get(struct ctx *c, struct uuid id, int64_t chars, bool *found, struct knowledge *out);
/* Locks the row until the transaction ends. */
err knowledge_store_lock(struct ctx *c, struct uuid id, bool *found);
/* Takes the live key from a row that is archived or gone. */
err knowledge_store_release(struct ctx *c, struct bytes live_key);
/* A live one with that text in one of the spaces; nil: none. */
err knowledge_store_equal(struct ctx *c, struct bytes text_hash, const struct uuid *spaces, size_t n, struct uuid *id);
/* See knowledge_by_title. */
err knowledge_store_by_title(struct ctx *c, const char *title, bool *found, struct uuid *id);
/* Live rows of the spaces below `before`, newest first. */
err knowledge_store_list(struct ctx *c, const struct knowledge_filter *f, struct uuid before, const struct uuid *spaces, size_t n_spaces,
                         struct page *out);
/* Live rows of these ids, in any order. */
err knowledge_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);
/* The principal's rating so far, 0: none; and the new one. */
err knowledge_store_rating(struct ctx *c, struct uuid id, struct uuid principal_id, int64_t *rating);
err knowledge_store_rate(struct ctx *c, struct uuid id, struct uuid principal_id, int64_t rating);
err knowledge_store_health(struct ctx *c, const struct uuid *spaces, size_t n, struct knowledge_health *out);

#endif
