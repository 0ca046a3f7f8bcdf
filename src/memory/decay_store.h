/* SQL of decay; only decay.c includes this. */
#ifndef LOCI_DECAY_STORE_H
#define LOCI_DECAY_STORE_H

#include "decay.h"
#include "lifecycle.h"

/* A row with what says whether it is spent. */
struct decay_facts {
    struct lifecycle life;
    struct instant created_at, used_at;
};

err decay_store_learners(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err decay_store_keepers(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err decay_store_scan(struct ctx *c, enum decay_from from, struct uuid after, struct instant before, size_t max, struct decay_row *rows,
                     struct decay_facts *facts, size_t *n);

#endif
