/* The rows that a neighbourhood and a path are made of; only around.c includes this. */
#ifndef LOCI_AROUND_STORE_H
#define LOCI_AROUND_STORE_H

#include "around.h"

/* An edge from one of the nodes asked about to another one. */
struct around_step {
    struct uuid near, far;
    const char *kind, *title; /* of the far end */
};

/* Up to max edges that leave (outward) or reach these nodes, live and in use, strongest first; the far ends are readable and
 * neither forgotten nor expired. relation, kind (of the far end): NULL is any. */
err around_store_steps(struct ctx *c, const struct uuid *ids, size_t n, bool outward, const char *relation, const char *kind, int64_t max,
                       struct around_step **rows, size_t *k);
/* Up to max edges between these nodes. */
err around_store_among(struct ctx *c, const struct uuid *ids, size_t n, const char *relation, int64_t max, struct around_edge **rows,
                       size_t *k);

#endif
