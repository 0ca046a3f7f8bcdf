/* Entries that say what a row says, which is about to be promoted; only promote.c includes this. */
#ifndef LOCI_PROMOTE_ALIKE_H
#define LOCI_PROMOTE_ALIKE_H

#include "promote.h"

/* The entry that says the same and is there now; *found false: none. In the transaction of the promotion. */
err promote_alike_now(struct ctx *c, const struct promote_look *l, const char *context, bool *found, struct entry *out);

#endif
