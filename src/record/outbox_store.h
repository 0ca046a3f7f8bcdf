/* The rows of the outbox; only outbox.c includes this. */
#ifndef LOCI_OUTBOX_STORE_H
#define LOCI_OUTBOX_STORE_H

#include "outbox.h"

err outbox_store_insert(struct ctx *c, const char *kind, struct uuid space_id, const struct outbox_event *events, size_t n);
err outbox_store_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n);

#endif
