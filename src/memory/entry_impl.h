/* What the files of the entry service share; nobody else includes this. */
#ifndef LOCI_ENTRY_IMPL_H
#define LOCI_ENTRY_IMPL_H

#include "access_log.h"
#include "context_impl.h"
#include "entry_store.h"
#include "fact.h"

#define ENTRIES_AT_ONCE 100             /* entries of one portion, which is one transaction … */
#define ENTRIES_BYTES (2 * 1024 * 1024) /* … or as many as hold these bytes of content */

/* The entry by id or key; of an old state's id the entry as it is now. What is forgotten or expired is not there. */
err entry_find(struct ctx *c, const struct context *x, const char *ref, struct entry_row *out);
/* The same, of an entry that is to be changed: ERR_CONFLICT (merged) where it was merged into another. */
err entry_find_to_change(struct ctx *c, const struct context *x, const char *ref, struct entry_row *out);
err entry_missing(struct ctx *c);
bool entry_is_there(const struct ctx *c, const struct entry_row *e);
/* Fills the scores as they are now. */
void entry_present(const struct ctx *c, struct entry_row *e);

/* ---- entry_check.c: what is said becomes what is stored, or ERR_INVALID naming the member */

/* Content with its text, hash and size. */
err entry_take_content(struct ctx *c, const struct json *content, const char *text, struct entry_row *out);
err entry_check_object(struct ctx *c, const char *pointer, const struct json *j);
/* The labels by which recall finds it: its types, tags and outcome. */
struct json *entry_labels(struct ctx *c, const struct entry *e);

/* Inside a transaction that changes entries of this context: its row is locked, and the caller may write. */
err entry_lock_context(struct ctx *c, const char *ref, struct context *out);
/* The same while a snapshot is being restored, which keeps all others out. */
err entry_lock_for_restore(struct ctx *c, const char *ref, struct context *out);
/* Who holds the key; one who has expired or went behind its back leaves it. */
err entry_free_key(struct ctx *c, const struct context *x, const char *key, bool *found, struct entry_row *out);

/* Inside such a transaction: an entry that is there becomes what the patch says. */
err entry_apply(struct ctx *c, const struct context *x, const struct entry_row *before, const struct entry_patch *p, struct entry *out);
/* Back from the archive, or from being forgotten, under its key. *e is read again. */
err entry_revive(struct ctx *c, const struct context *x, struct entry_row *e);

/* ---- entry_many.c: inside such a transaction, many entries by a few statements */

/* One entry that is written: made, or changed from `before` by the patch. */
struct entry_write {
    struct entry_row before, after;
    struct entry_patch patch;
    bool is_new, is_content; /* is_content: it has other content than before, which makes a version */
    bool is_same_fact;       /* of a fact: only its text is another */
};
/* Of different keys. Fills after.entry.id and .version; what goes to make room is named. */
err entry_write_many(struct ctx *c, const struct context *x, struct entry_write *w, size_t n, struct strs *evicted);

struct entry_merged {
    struct uuid id;
    bool is_created, is_changed;
};
/* entry_merge for each of in[], which have different keys, at most ENTRIES_AT_ONCE. */
err entry_merge_many(struct ctx *c, const struct context *x, const struct entry_new *in, size_t n, enum entry_merging how,
                     struct entry_merged *out);

/* It is neither expired nor put away behind the back of its key. */
bool entry_holds(const struct ctx *c, const struct entry_row *e);
/* Holders of keys that no longer do (entry_holds) leave them. */
err entry_leave_stale(struct ctx *c, const struct context *x, const struct entry_row *rows, size_t n);
/* The rows hold their keys or leave them, and are counted. */
err entry_hold_many(struct ctx *c, const struct context *x, const struct entry_row *rows, size_t n, bool holds);
/* Live entries are archived or forgotten; counters and access log follow. No more than ENTRIES_AT_ONCE. */
err entry_leave_many(struct ctx *c, const struct context *x, const struct entry_row *rows, size_t n, bool archived);
/* Those of the ids that hold their keys are archived. */
err entry_leave_by_id(struct ctx *c, const struct context *x, const struct uuid *ids, size_t n);
/* entry_revive for entries that hold no key, of different keys that nobody holds, at most ENTRIES_AT_ONCE. */
err entry_revive_many(struct ctx *c, const struct context *x, const struct entry_row *rows, size_t n);

/* What the files share of one entry's change. */
struct node_new entry_node_of(struct ctx *c, const struct context *x, const struct entry *e);
struct fact_new entry_fact_of(struct ctx *c, const struct context *x, const struct entry *e);
struct node_patch entry_node_patch(struct ctx *c, const struct entry_write *w);
/* Bits of node_patch that the patch's members but content stand for. */
unsigned entry_node_bits(unsigned set);
/* What is said of an entry that is to be, checked, as its row; of one that is there, in `after`. */
err entry_plan_new(struct ctx *c, const struct context *x, const struct entry_new *in, struct entry_write *out);
err entry_plan_change(struct ctx *c, const struct entry_row *before, const struct entry_patch *p, struct entry_write *out);
/* What is said to an entry that is there already. */
struct entry_patch entry_patch_of(struct ctx *c, const struct entry_new *in, enum entry_merging how);

/* How many of the first of these make one portion: ENTRIES_AT_ONCE and ENTRIES_BYTES at most, and at least one. */
size_t entry_portion(const struct entry_row *rows, size_t n);

/* What was done with the entry, for the access log; before, after: NULL where there was, or is, nothing. */
struct access_change entry_log_of(enum access_action action, const struct entry_row *before, const struct entry_row *after);
err entry_log(struct ctx *c, enum access_action action, const struct entry_row *before, const struct entry_row *after);

/* ---- entry_evict.c; inside the transaction of the change */

/* So many entries and bytes there would be: others than the one written go as the retention policy says, and their keys are
 * named; ERR_CONFLICT (quota_exceeded) where it refuses, or nothing more may go. */
err entry_make_room(struct ctx *c, const struct context *x, struct uuid written, int64_t entries, int64_t bytes, struct strs *evicted);

#endif
