/* May the graph take part? Only for queries that name something rare that it knows; see graph_gate.c. */
#ifndef LOCI_GRAPH_GATE_H
#define LOCI_GRAPH_GATE_H

#include "mention_net.h"
#include "mentions.h"

struct gate_options {
    double rare;         /* in at most this share of the texts … */
    uint32_t rare_least; /* … or in so few */
    double hub;          /* names in more than this share lead nowhere … */
    uint32_t hub_least;  /* … unless these are so few */
};
#define GATE_DEFAULTS {.rare = 0.005, .rare_least = 5, .hub = 0.03, .hub_least = 5}

/* A name of the query that stands in texts. */
struct named {
    const char *name; /* folded */
    uint64_t key;
    unsigned flags; /* of mention_flag */
    uint32_t df;
    double idf;
    bool is_titled; /* some text has it in its title */
};

struct graph_gate {
    bool is_open;
    struct named *names; /* that lead somewhere, in the order of the query */
    size_t n;
};

void graph_gate(struct arena *a, const struct snapshot *s, const struct filter *f, const char *query,
                const struct gate_options *o, struct graph_gate *out);

#endif
