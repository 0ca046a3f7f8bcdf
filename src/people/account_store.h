/* The rows of accounts. */
#ifndef LOCI_ACCOUNT_STORE_H
#define LOCI_ACCOUNT_STORE_H

#include "account.h"

err account_store_insert(struct ctx *c, const struct account *a);
err account_store_get(struct ctx *c, struct uuid id, bool *found, struct account *out);
err account_store_by_slug(struct ctx *c, const char *slug, bool *found, struct account *out);
err account_store_list(struct ctx *c, struct account **out, size_t *n);
/* Writes name, status and settings; *changed 0: the version was not a->version. */
err account_store_update(struct ctx *c, const struct account *a, int64_t *changed);
/* Holds the caller's account until the transaction ends: what moves in a tree is moved one at a time, so that no two moves
 * close a circle. */
err account_store_hold(struct ctx *c);

#endif
