/* Looking for nodes that lack a vector: what changed lately, or all of them; and for accounts where that is due. */
#ifndef LOCI_VECTOR_SWEEP_H
#define LOCI_VECTOR_SWEEP_H

#include "ctx.h"
#include "str.h"

/* A portion of a sweep. Position: where it stands, to be kept between portions; p NULL: at the beginning. */
struct vector_sweep {
    struct bytes position;
    struct instant since; /* only nodes changed after; 0: all */
    int64_t limit;        /* nodes to look at */
    /* What it found. */
    struct uuid *missing; /* newest first */
    uint64_t *hashes;     /* of each: id, content and model */
    size_t n;
    int64_t looked;
    bool more;
    struct instant began;   /* when its first portion did */
    int64_t missing_before; /* found by the portions before this one */
};

/* Nodes without a current vector of the model the account wants. Nothing is found where it wants none. */
err vector_sweep_changed(struct ctx *c, struct vector_sweep *s);
/* The same over all nodes, for the model that is being built; *building false: there is none. */
err vector_sweep_building(struct ctx *c, struct vector_sweep *s, bool *building);
/* A whole sweep found nothing missing: the model that was built serves from now on. */
err vector_sweep_complete(struct ctx *c);
/* Removes at most limit vectors of models that were retired a week ago. */
err vector_sweep_drop(struct ctx *c, int64_t limit, int64_t *n);

/* Accounts where something is due; see struct job. */
err vector_sweep_changed_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err vector_sweep_moving_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
