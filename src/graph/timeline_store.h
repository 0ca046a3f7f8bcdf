/* The rows of a timeline; only timeline.c includes this. */
#ifndef LOCI_TIMELINE_STORE_H
#define LOCI_TIMELINE_STORE_H

#include "timeline.h"
#include "uuid.h"

err timeline_store_kinds(struct ctx *c, struct instant first, int n, struct list *kinds);
/* Those of the ids that are derived: at most n. */
err timeline_store_derived(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *those, size_t *k);

#endif
