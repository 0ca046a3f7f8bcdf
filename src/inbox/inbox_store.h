/* SQL of the inbox; only inbox.c includes this. */
#ifndef LOCI_INBOX_STORE_H
#define LOCI_INBOX_STORE_H

#include "inbox.h"

/* Of these sources; rows holds up to limit + 1. */
err inbox_store_list(struct ctx *c, const struct inbox_source *const *sources, size_t n, const struct inbox_filter *f, const char *after,
                     struct inbox_item *rows, size_t *n_rows);
err inbox_store_count(struct ctx *c, const struct inbox_source *const *sources, size_t n, int64_t *count);
/* The beginnings of the texts of these nodes, where the viewer may read them; NULL in the others. */
err inbox_store_texts(struct ctx *c, const struct uuid *ids, size_t n, const char **texts);

#endif
