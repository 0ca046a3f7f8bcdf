/* The rows of the outbox; only outbox.c includes this. */
#ifndef LOCI_OUTBOX_STORE_H
#define LOCI_OUTBOX_STORE_H

#include "outbox.h"

err outbox_store_insert(struct ctx *c, const struct outbox *o);
err outbox_store_insert_many(struct ctx *c, const struct outbox *o, size_t n);
err outbox_store_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n);

#endif
