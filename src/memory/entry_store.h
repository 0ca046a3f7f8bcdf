/* The rows of entries; only the entry services include this. */
#ifndef LOCI_ENTRY_STORE_H
#define LOCI_ENTRY_STORE_H

#include "entry.h"
#include "node.h"
#include "retention.h"
#include "str.h"

/* An entry with what only its service needs. */
struct entry_row {
    struct entry entry;
    struct node node;    /* scores, times and status; neither attrs nor hash */
    struct uuid head_id; /* of an old state */
    bool live;
    struct bytes content_hash;
    int64_t size_bytes;
};

err entry_store_insert(struct ctx *c, const struct entry_row *rows, size_t n);
err entry_store_by_id(struct ctx *c, struct uuid space_id, struct uuid id, bool *found, struct entry_row *out);
/* Whoever holds the key, also when its node has expired or was archived behind its back. */
err entry_store_by_key(struct ctx *c, struct uuid space_id, const char *key, bool *found, struct entry_row *out);
/* Those who hold these keys, likewise, in any order and without their content. */
err entry_store_holders(struct ctx *c, struct uuid space_id, const char *const *keys, size_t n, struct entry_row **rows, size_t *found);
/* What the entries of these ids are now (also of ids of old states), in any order and without their content. */
err entry_store_heads(struct ctx *c, struct uuid space_id, const struct uuid *ids, size_t n, struct entry_row **rows, size_t *found);
/* Heads among these ids, in any order. */
err entry_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct entry_row **rows, size_t *found);
/* For each of the ids that is a live entry: the oldest live one of its context with the same content, facts apart from others. Two
 * ids in a row are a pair, the older one first; pairs has room for 2 * n. */
err entry_store_equals(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *pairs, size_t *n_pairs);
/* The oldest live entry there with this content. */
err entry_store_equal(struct ctx *c, struct uuid space_id, struct bytes content_hash, bool is_fact, bool *found, struct uuid *id);
/* Content, tags and what else stands in the rows, which are there. */
err entry_store_update(struct ctx *c, const struct entry_row *rows, size_t n);
/* Whether they hold their keys. */
err entry_store_hold(struct ctx *c, const struct uuid *ids, size_t n, bool live);
struct entry_kept {
    struct uuid id, state_id;
};
/* Copies each row as it is now to the node that keeps the state. */
err entry_store_keep(struct ctx *c, const struct entry_kept *kept, size_t n);
/* Each entry (id) is another node (state_id) from now on: its row and all old states of it are that one's states. */
err entry_store_succeed(struct ctx *c, const struct entry_kept *moved, size_t n);
/* Up to f->limit + 1 rows after `from` (all-ones: from the beginning). */
err entry_store_list(struct ctx *c, struct uuid space_id, const struct entry_filter *f, struct uuid from,
                     struct entry_row **rows, size_t *n);
/* Up to limit + 1 old states with an id below `before`, newest first. */
err entry_store_states(struct ctx *c, struct uuid id, int64_t limit, struct uuid before, struct entry_row **rows, size_t *n);
/* The state that the entry had at that version. */
err entry_store_state(struct ctx *c, struct uuid id, int64_t version, bool *found, struct entry_row *out);

/* Live entries with keys behind `after`, in their order, at most limit; of those types, and that much importance now. unlike: only
 * those that this context (nil: none) has not with the same content. */
struct entry_wanted {
    struct uuid space_id, unlike;
    struct strs entry_types; /* none: all */
    double min_importance;
    const char *after;
};
/* Without their content. */
err entry_store_by_keys(struct ctx *c, const struct entry_wanted *w, int64_t limit, struct entry_row **rows, size_t *n);
/* The contents of rows that came without. */
err entry_store_contents(struct ctx *c, struct entry_row *rows, size_t n);

/* Those whose content is older than that, the oldest first; without their content. */
err entry_store_aged(struct ctx *c, struct uuid space_id, struct uuid but, struct instant before, int64_t limit, struct entry_row **rows,
                     size_t *n);
/* Live entries that are not pinned, nor this one, the first to go first. */
err entry_store_least(struct ctx *c, struct uuid space_id, struct uuid but, enum eviction by, int64_t limit,
                      struct entry_row **rows, size_t *n);

#endif
