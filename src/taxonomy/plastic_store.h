/* The rows of weights that learn, and the weights of their edges; only this room includes it. */
#ifndef LOCI_PLASTIC_STORE_H
#define LOCI_PLASTIC_STORE_H

#include "edge.h"
#include "plastic.h"

struct plastic_row {
    struct uuid edge_id;
    double weight, decay_rate;
    struct instant weighted_at, decays_at;
    int64_t hits, hits_day; /* hits_day: of today */
};
/* The live edge; ERR_INTERNAL when there is none. */
err plastic_store_edge(struct ctx *c, struct uuid source, struct uuid target, const char *relation, struct uuid *id);
err plastic_store_lock(struct ctx *c, struct uuid subject, struct uuid tag, bool *found, struct plastic_row *out);
/* Rows as they are now, and their edges with them. */
err plastic_store_write(struct ctx *c, const char *relation, const struct plastic_row *rows, size_t n);
/* The edges are there; their weights grow. */
err plastic_store_together(struct ctx *c, const struct plastic_pair *pairs, size_t n, double share);
err plastic_store_boost(struct ctx *c, int64_t limit, int64_t *n);
err plastic_store_decay(struct ctx *c, int64_t limit, int64_t *n);
/* Pairs below their floor: their edges are retired. */
err plastic_store_part(struct ctx *c, int64_t limit, int64_t *n);
/* What ends at a tag: struct edge, at most PLASTIC_ENDS. */
#define PLASTIC_ENDS 20000
err plastic_store_ends(struct ctx *c, struct uuid tag, struct list *out);
/* Edges `activates` at the one have twins at the other now: these learn on from where the first ones stand. */
err plastic_store_copy(struct ctx *c, struct uuid from, struct uuid to);
/* What a subject met: struct plastic_held, the strongest first. */
err plastic_store_of_subject(struct ctx *c, struct uuid subject, int64_t limit, struct list *out);

#endif
