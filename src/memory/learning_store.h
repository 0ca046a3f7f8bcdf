/* Rows of learnings; only learning*.c include this. */
#ifndef LOCI_LEARNING_STORE_H
#define LOCI_LEARNING_STORE_H

#include "learning.h"
#include "str.h"

struct learning_key {
    struct bytes text_hash, live_key;
};

/* Beside a node that was made in this transaction; ERR_CONFLICT with db_was_duplicate(): the text is there. */
err learning_store_insert(struct ctx *c, const struct learning *l, const struct learning_key *key);
/* Whatever its space, but no forgotten or expired one: the service judges. */
err learning_store_get(struct ctx *c, struct uuid id, bool *found, struct learning *out);
err learning_store_lock(struct ctx *c, struct uuid id, bool *found);
/* Writes everything that is not the node's. */
err learning_store_update(struct ctx *c, const struct learning *l);
/* One that is in use, with that text in that space; nil: none. Takes the key from one that is not. */
err learning_store_equal(struct ctx *c, const struct learning_key *key, struct uuid space_id, struct uuid *id);
err learning_store_release(struct ctx *c, struct bytes live_key);
/* The key of its text; ERR_CONFLICT with db_was_duplicate(): another has it. */
err learning_store_claim(struct ctx *c, struct uuid id, const struct learning_key *key);
/* Rows of the spaces below `before`, newest first, up to f->limit + 1. */
err learning_store_list(struct ctx *c, const struct learning_filter *f, struct uuid before, const struct uuid *spaces, size_t n_spaces,
                        struct learning **rows, size_t *n);
err learning_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct learning **rows, size_t *found);
/* The newest failures in use, at most max. */
err learning_store_failures(struct ctx *c, const struct uuid *spaces, size_t n_spaces, size_t max, struct learning **rows, size_t *n);
/* Of teams, not promoted, in use, behind `after`: importance as stored, which only fades, or with enough outcomes to judge by. */
err learning_store_promotable(struct ctx *c, struct uuid after, double importance, int64_t accesses, size_t max, struct learning **rows,
                              size_t *n);
/* Counts and averages; in_use: how many, and of how many categories. */
err learning_store_metrics(struct ctx *c, const struct uuid *spaces, size_t n, struct learning_metrics *out, int64_t *in_use,
                           int64_t *categories);
/* Those in use that were not imported yet, the most important by themselves first; without those that cannot be worth it. */
err learning_store_importable(struct ctx *c, size_t max, struct learning **rows, size_t *n);
err learning_store_importable_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err learning_store_imported(struct ctx *c, struct uuid id);

#endif
