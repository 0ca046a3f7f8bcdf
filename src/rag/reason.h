/* Ways of thought: paths over the graph that bear on a question, each hop with what says so. */
#ifndef LOCI_REASON_H
#define LOCI_REASON_H

#include "graph_walk.h"

#define REASON_PATHS 20

struct reason_in {
    const char *query;
    int64_t max_hops, top_k;
    struct instant as_of;
    struct uuid knowledge_base_id;
};

struct reason_hop {
    const char *source, *relation, *target;
    struct walk_edge edge;
    const char *quote; /* NULL: nothing says it in words */
};

struct reason_path {
    double score;
    struct list nodes; /* of struct walk_node */
    struct list hops;  /* of struct reason_hop */
};

struct reason_out {
    bool found;
    struct list paths;  /* of struct reason_path, best first */
    const char *answer; /* the best path in words; NULL: none */
    double confidence;
};
err graph_reason(struct ctx *c, const struct reason_in *in, struct reason_out *out);

#endif
