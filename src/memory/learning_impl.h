/* What the files of learnings share; nobody else includes this. */
#ifndef LOCI_LEARNING_IMPL_H
#define LOCI_LEARNING_IMPL_H

#include "learning.h"
#include "learning_store.h"

/* Importance and confidence that being seen again adds. */
#define SEEN_AGAIN 0.03
#define SEEN_AGAIN_CONFIDENCE 0.02

struct learning_key learning_key(struct ctx *c, struct uuid space_id, const char *content);
/* ERR_NOT_FOUND for what is not there or not for this caller. */
err learning_read(struct ctx *c, struct uuid id, struct learning *out);
/* From one that was merged away to the one that stayed; *from: which it was, else nil. */
err learning_follow(struct ctx *c, struct uuid *id, struct uuid *from);
/* In the space, unless one that says the same is there, which is then seen again. Not inside a transaction. */
err learning_write(struct ctx *c, const struct learning_new *in, struct uuid space_id, struct learning_made *out);
/* In the space, without asking whether it is there; ERR_CONFLICT with db_was_duplicate(): the same text is. */
err learning_insert(struct ctx *c, const struct learning_new *in, struct uuid space_id, double echo_ratio, struct uuid *id);
/* The one that is alike in the space, nil: none. */
err learning_alike(struct ctx *c, const char *title, const char *content, struct uuid space_id, struct uuid *id);
/* ERR_CONFLICT for what is superseded, disproven or deprecated. */
err learning_must_be_in_use(struct ctx *c, const struct learning *l);
/* Inside the transaction that copies it. */
err learning_mark_promoted(struct ctx *c, struct uuid id);
err learning_seen_again(struct ctx *c, struct uuid id, struct learning *out);

#endif
