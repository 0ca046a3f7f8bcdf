/* What lies around a node, and the shortest way from one to another: level by level, through what the caller may read. */
#ifndef LOCI_AROUND_H
#define LOCI_AROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"
#include "uuid.h"

#define AROUND_DEPTH 4
#define AROUND_NODES 150 /* that one picture shows */
#define AROUND_EDGES 600
#define AROUND_STEPS 3000 /* edges that are looked at for one level, on either side */
#define AROUND_SEEN 4000  /* nodes that the search for a way may see */
#define AROUND_WAY 8      /* steps of a way at most */

struct around_node {
    struct uuid id, from; /* from: through which it was found; nil for the first */
    const char *kind, *title;
    int depth;
};

struct around_edge {
    struct uuid source, target;
    const char *relation;
    double weight;
    bool bidirectional;
};

struct around {
    struct around_node *nodes; /* the one in the middle first, then by depth */
    size_t n;
    size_t known;              /* nodes that were found, shown or not */
    bool has_more;             /* there may be further ones */
    struct around_edge *edges; /* between those that are shown */
    size_t n_edges;
};

struct around_wish {
    struct uuid id;
    int depth;                   /* 1 to AROUND_DEPTH */
    const char *relation, *kind; /* NULL: any; the node in the middle may be of any kind */
    size_t max;                  /* nodes, up to AROUND_NODES */
};

/* ERR_NOT_FOUND where the node is not there for the caller. */
err around_find(struct ctx *c, const struct around_wish *w, struct around *out);
/* The shortest way, edges taken in either direction: its nodes from one end to the other, with the edges between them; n is 0
 * where none was found, has_more then says that the search gave up. */
err around_way(struct ctx *c, struct uuid from, struct uuid to, const char *relation, struct around *out);

#endif
