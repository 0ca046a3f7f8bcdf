/* Personalised PageRank over texts and the names in them: what is near to where a query begins. */
#ifndef LOCI_PPR_H
#define LOCI_PPR_H

#include "mention_net.h"

struct ppr_options {
    struct net_options net;
    double damping; /* what goes on; the rest begins again */
    unsigned rounds;
    double least; /* a node with less does not pass it on; 0: all do */
    double thin;  /* likewise a name with less for each of its texts; 0: all do */
};
#define PPR_DEFAULTS {.net = {.title = 1, .hub = 0.03, .hub_least = 5}, .damping = 0.8, .rounds = 15, .least = 1e-4, .thin = 1e-5}

/* Where a walk begins: a text or a name, and its share of all beginnings. */
struct ppr_start {
    bool is_name;
    uint64_t key; /* a row, or the key of a name */
    double share;
};

/* Rows of the filter and their part of all mass, best first; it is the same however rows are spread over segments. */
size_t ppr_rank(struct arena *a, const struct snapshot *s, const struct filter *f, const struct ppr_start *starts, size_t n,
                const struct ppr_options *o, struct scored **out);

#endif
