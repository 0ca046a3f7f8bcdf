/* Spreading activation: charge flows along edges, leaks on its way, and lights what it gathers in (leaky
 * integrate-and-fire). */
#ifndef LOCI_SPREAD_H
#define LOCI_SPREAD_H

#include "filter.h"

struct spread_options {
    double keep;      /* share of the charge that a hop leaves */
    double least;     /* weaker signals die */
    double threshold; /* a node whose potential reaches it fires, once */
    unsigned hops;
    int64_t as_of; /* over edges true then; 0: whenever */
};
#define SPREAD_DEFAULTS {.keep = 0.85, .least = 0.02, .threshold = 0.5, .hops = 3}

/* A node that fired. Its path is by, by->by … up to a seed, whose by is NULL. */
struct lit {
    uint32_t row;
    double potential;     /* all that reached it before it fired; what it sends on */
    unsigned hop;         /* 0: a seed */
    const struct lit *by; /* who sent the strongest signal … */
    const char *relation; /* … and over which edge */
    double signal;        /* its strength */
};

/* seeds: rows and their charge. Charge flows along edges from both ends, through rows of the filter only. out: what fired
 * besides the seeds, the highest potential first. */
size_t spread(struct arena *a, const struct snapshot *s, const struct filter *f, const struct scored *seeds, size_t n,
              const struct spread_options *o, const struct lit ***out);

#endif
