/* Vectors of live nodes as rows; only near_pairs.c includes this. */
#ifndef LOCI_NEAR_PAIRS_STORE_H
#define LOCI_NEAR_PAIRS_STORE_H

#include "near_pairs.h"

struct near_node {
    struct uuid id, space_id;
    const char *kind;
    struct instant at; /* of its vector */
    struct bytes blob;
};
/* Live nodes of the kinds whose vectors came after `since` and behind (at, id), oldest first. rows has room for limit. */
err near_pairs_store_new(struct ctx *c, struct uuid model_id, const struct near_sweep *s, struct instant at, struct uuid id,
                         struct near_node *rows, size_t *n);
/* All live nodes of a space and kind with an id above `above`, ascending: id and blob. */
err near_pairs_store_all(struct ctx *c, struct uuid model_id, struct uuid space_id, const char *kind, struct uuid above, int64_t limit,
                         struct near_node *rows, size_t *n);
/* Where the newest `of` nodes of a space begin: behind that id; nil: there are no more. */
err near_pairs_store_begin(struct ctx *c, struct uuid space_id, int64_t of, struct uuid *behind);
/* Live nodes there, newer than `above`, that have no vector of their text, the newest first. */
err near_pairs_store_bare(struct ctx *c, struct uuid model_id, struct uuid space_id, const char *kind, struct uuid above, size_t max,
                          struct uuid *ids, size_t *n);
/* id and blob of those that are live, in any order; rows has room for n. */
err near_pairs_store_some(struct ctx *c, struct uuid model_id, const struct uuid *ids, size_t n, struct near_node *rows, size_t *found);
/* What they say without their titles, of those that are live and say something; texts in the order of *found ids. */
err near_pairs_store_bodies(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *of, const char **bodies, size_t *found);
err near_pairs_store_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
