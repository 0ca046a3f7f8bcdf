/* SQL of what follows from what; only derived.c includes this. */
#ifndef LOCI_DERIVED_STORE_H
#define LOCI_DERIVED_STORE_H

#include "derived.h"

struct derived_pair {
    struct uuid child, source; /* source nil: said directly */
};

/* At most DERIVED_AT_ONCE ids each. Lists are of struct uuid … */
err derived_store_children(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);
err derived_store_parts(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);
err derived_store_entities(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);
/* … and of struct derived_pair. */
err derived_store_sources(struct ctx *c, const struct uuid *ids, size_t n, bool even_forgotten, struct list *out);
err derived_store_mentions(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);
/* Of struct derived_node. */
err derived_store_nodes(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);

#endif
