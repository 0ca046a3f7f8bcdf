/* Archiving memories of any kind many at a time, for jobs: each gives up what it holds (its key in a context). */
#ifndef LOCI_ARCHIVE_MANY_H
#define LOCI_ARCHIVE_MANY_H

#include <stddef.h>

#include "ctx.h"

/* Inside the caller's transaction, past the gate: those of ids that are neither pinned nor away already. The reason stands in
 * the audit trail; done (room for n) gets their ids. */
err memory_archive_many(struct ctx *c, const struct uuid *ids, size_t n, const char *reason, struct uuid *done, size_t *n_done);
/* The same for nodes that are forgotten, by the gate of whoever calls; those that changed meanwhile are left out. */
err memory_forget_many(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *done, size_t *n_done);
/* Those of one space, out of every read without an event each: for what is erased next. By the gate, likewise. */
err memory_drop_many(struct ctx *c, struct uuid space_id, const struct uuid *ids, size_t n);
/* The entries among these nodes leave their keys: they went by another way. Inside the caller's transaction. */
err memory_leave_keys(struct ctx *c, const struct uuid *ids, size_t n);

#endif
