/* SQL of edits of core blocks and of votes; only core_block.c includes this. */
#ifndef LOCI_CORE_BLOCK_STORE_H
#define LOCI_CORE_BLOCK_STORE_H

#include "core_block.h"

err core_edit_store_add(struct ctx *c, const struct core_edit *e);
err core_edit_store_get(struct ctx *c, struct uuid id, bool *found, struct core_edit *out); /* locked */
err core_edit_store_resolve(struct ctx *c, struct uuid id, enum core_edit_state state);
/* Others of the block that wait are overtaken. */
err core_edit_store_overtake(struct ctx *c, struct uuid block_id);
err core_edit_store_waiting(struct ctx *c, struct list *out);
/* persons: how many of them are users. */
err core_vote_store_add(struct ctx *c, struct uuid edit_id);
err core_vote_store_count(struct ctx *c, struct uuid edit_id, int64_t *votes, int64_t *persons);

#endif
