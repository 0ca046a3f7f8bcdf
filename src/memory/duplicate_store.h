/* The rows of pairs for review; only duplicate.c includes this. */
#ifndef LOCI_DUPLICATE_STORE_H
#define LOCI_DUPLICATE_STORE_H

#include "duplicate.h"

#define DUPLICATE_TEXT 300 /* characters shown of each text */

/* Open ones, in one statement; a pair that is there, or of which a node is gone, is left out. */
err duplicate_store_add(struct ctx *c, const struct duplicate *rows, size_t n);
/* Inserted; one that is there gets reason and state of this one. */
err duplicate_store_decided(struct ctx *c, const struct duplicate *d);
/* In any order: which of the pairs are there. */
err duplicate_store_known(struct ctx *c, const struct uuid *a, const struct uuid *b, size_t n, bool *known);
err duplicate_store_list(struct ctx *c, struct uuid before, int64_t limit, struct duplicate **rows, size_t *n);
err duplicate_store_get(struct ctx *c, struct uuid id, bool *found, struct duplicate *out);
/* *done false: it was not open any more. */
err duplicate_store_decide(struct ctx *c, struct uuid id, enum duplicate_state state, bool *done);

#endif
