/* SQL of entries changed many at a time; only archive_many.c includes this. */
#ifndef LOCI_ENTRY_MANY_STORE_H
#define LOCI_ENTRY_MANY_STORE_H

#include "ctx.h"

/* Locks the contexts in which these nodes hold keys. */
err entry_many_store_lock(struct ctx *c, const struct uuid *ids, size_t n);
/* Takes the live entries among them out of the counters of their contexts … */
err entry_many_store_uncount(struct ctx *c, const struct uuid *ids, size_t n);
/* … and their keys from them. */
err entry_many_store_leave(struct ctx *c, const struct uuid *ids, size_t n);

#endif
