/* The rows of merges; only merge.c includes this. */
#ifndef LOCI_MERGE_STORE_H
#define LOCI_MERGE_STORE_H

#include "merge.h"

/* A merge with what undoing it takes. */
struct merge_row {
    struct merge merge;
    int64_t nth;
    double keeper_importance, keeper_confidence;
    struct instant keeper_decayed_at;
    bool importance_set, confidence_set;
    double set_importance, set_confidence;
    const char *loser_status;
    int64_t given_uses, given_named;
    struct strs given_tags;
};

/* Locks both nodes until the transaction ends. */
err merge_store_lock_nodes(struct ctx *c, struct uuid a, struct uuid b);
/* Numbers it behind all merges of the two. */
err merge_store_insert(struct ctx *c, const struct merge_row *m);
err merge_store_get(struct ctx *c, struct uuid id, bool *found, struct merge *out);
err merge_store_lock(struct ctx *c, struct uuid id, bool *found, struct merge_row *out);
/* Is there a later merge of the keeper that stands? */
err merge_store_is_covered(struct ctx *c, const struct merge_row *m, bool *covered);
err merge_store_follow(struct ctx *c, const struct uuid *old_ids, const struct uuid *new_ids, size_t n);
err merge_store_undone(struct ctx *c, struct uuid id);
err merge_store_list(struct ctx *c, bool include_undone, struct uuid before, int64_t limit, struct merge **rows, size_t *n);
/* Of the last merge that stands; nil: none. */
err merge_store_keeper(struct ctx *c, struct uuid loser_id, struct uuid *keeper);
err merge_store_keeper_of_key(struct ctx *c, struct uuid space_id, const char *key, struct uuid *loser, struct uuid *keeper);

#endif
