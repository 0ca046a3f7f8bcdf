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
    struct node node;                    /* scores, times and status; neither attrs nor hash */
    struct uuid head_id;                 /* of an old state */
    bool live;
    int64_t row_version;                 /* at which its content came; entry.version of the entry as it is now may be higher */
    struct bytes content_hash;
    int64_t size_bytes;
};

err entry_store_insert(struct ctx *c, const struct entry_row *e);
err entry_store_by_id(struct ctx *c, struct uuid space_id, struct uuid id, bool *found, struct entry_row *out);
/* Whoever holds the key, also when its node has expired or was archived behind its back. */
err entry_store_by_key(struct ctx *c, struct uuid space_id, const char *key, bool *found, struct entry_row *out);
/* Heads among these ids, in any order. */
err entry_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct entry_row **rows, size_t *found);
/* Content, tags and what else stands in the row. */
err entry_store_update(struct ctx *c, const struct entry_row *e);
/* Whether it holds its key. */
err entry_store_hold(struct ctx *c, struct uuid id, bool live);
/* For each of the ids that is a live entry: the oldest live one of its context with the same content, facts apart from others. Two
 * ids in a row are a pair, the older one first; pairs has room for 2 * n. */
err entry_store_equals(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *pairs, size_t *n_pairs);
/* The oldest live entry there with this content. */
err entry_store_equal(struct ctx *c, struct uuid space_id, struct bytes content_hash, bool is_fact, bool *found, struct uuid *id);
/* Copies the row as it is now to the node that keeps the state. */
err entry_store_keep(struct ctx *c, struct uuid id, struct uuid state_id);
/* The entry is another node from now on: this row and all old states of it are that one's states. */
err entry_store_succeed(struct ctx *c, struct uuid old_head, struct uuid new_head);
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
    struct strs entry_types;             /* none: all */
    double min_importance;
    const char *after;
};
err entry_store_by_keys(struct ctx *c, const struct entry_wanted *w, int64_t limit, struct entry_row **rows, size_t *n);

/* Live entries that are not pinned, nor this one, the first to go first. */
err entry_store_least(struct ctx *c, struct uuid space_id, struct uuid but, enum eviction by, int64_t limit,
                      struct entry_row **rows, size_t *n);

#endif
