/* The tokens that accounts have used today; only llm.c includes this. */
#ifndef LOCI_LLM_STORE_H
#define LOCI_LLM_STORE_H

#include "llm.h"

/* settings: of the account under "llm", an object, or NULL. used: tokens of that day. */
err llm_store_read(struct ctx *c, int64_t day, const struct json **settings, int64_t *used);
/* Adds tokens, if that leaves the sum at most limit. */
err llm_store_reserve(struct ctx *c, int64_t day, int64_t tokens, int64_t limit, bool *done);
/* delta: what it was more, or less, than reserved. Of the hour it is known how many questions failed. */
err llm_store_settle(struct ctx *c, int64_t day, int64_t delta, bool failed);

#endif
