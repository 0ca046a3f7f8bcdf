/* SQL of the graph of names. */
#ifndef LOCI_NAME_GRAPH_STORE_H
#define LOCI_NAME_GRAPH_STORE_H

#include "name_graph.h"

/* Of struct name_use, by chunk; of struct name_tie. */
err name_graph_store_uses(struct ctx *c, const struct uuid *spaces, size_t n, int64_t max, struct list *out);
err name_graph_store_ties(struct ctx *c, const struct uuid *spaces, size_t n, int64_t max, struct list *out);

#endif
