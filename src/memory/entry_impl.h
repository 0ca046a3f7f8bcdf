/* What the files of the entry service share; nobody else includes this. */
#ifndef LOCI_ENTRY_IMPL_H
#define LOCI_ENTRY_IMPL_H

#include "access_log.h"
#include "context_impl.h"
#include "entry_store.h"

/* The entry by id or key; of an old state's id the entry as it is now. What is forgotten or expired is not there. */
err entry_find(struct ctx *c, const struct context *x, const char *ref, struct entry_row *out);
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
/* Who holds the key; one who has expired or went behind its back leaves it. */
err entry_free_key(struct ctx *c, const struct context *x, const char *key, bool *found, struct entry_row *out);

/* Inside such a transaction: an entry that is there becomes what the patch says. */
err entry_apply(struct ctx *c, const struct context *x, const struct entry_row *before, const struct entry_patch *p, struct entry *out);
/* Inside such a transaction: the entry is made, or what is said here meets the one that holds the key. */
err entry_merge(struct ctx *c, struct context *x, const struct entry_new *in, enum entry_merging how, struct entry *out);
/* Archived; or back from there, or from being forgotten, under its key. *e is read again. */
err entry_put_away(struct ctx *c, const struct context *x, struct uuid id);
err entry_revive(struct ctx *c, const struct context *x, struct entry_row *e);

/* What was done with the entry, for the access log; before, after: NULL where there was, or is, nothing. */
err entry_log(struct ctx *c, enum access_action action, const struct entry_row *before, const struct entry_row *after);

/* ---- entry_evict.c; inside the transaction of the change */

/* It leaves its key, and answers nothing any more. */
err entry_withdraw(struct ctx *c, const struct entry_row *e);
/* So many entries and bytes there would be: others than the one written go as the retention policy says, and their keys are
 * named; ERR_CONFLICT (quota_exceeded) where it refuses, or nothing more may go. */
err entry_make_room(struct ctx *c, const struct context *x, struct uuid written, int64_t entries, int64_t bytes, struct strs *evicted);

#endif
