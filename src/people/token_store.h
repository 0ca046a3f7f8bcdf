/* The rows of tokens; only token.c includes this. */
#ifndef LOCI_TOKEN_STORE_H
#define LOCI_TOKEN_STORE_H

#include "token.h"

err token_store_insert(struct ctx *c, const struct token *t);
err token_store_get(struct ctx *c, struct uuid id, bool *found, struct token *out);
err token_store_list(struct ctx *c, const struct token_filter *f, struct uuid before, struct page *out);
err token_store_revoke(struct ctx *c, struct uuid id, int64_t *changed);

#endif
