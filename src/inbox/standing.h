/* How things stand with agents: what is open, overdue, exhausted, and how far agents are trusted. */
#ifndef LOCI_STANDING_H
#define LOCI_STANDING_H

#include "ctx.h"
#include "list.h"

#define STANDING_FIGURES 64

struct standing_figure {
    const char *what; /* escalations, overdue, exhausted, proposals, proposals_overdue, recommendations, goals, observations, tiers */
    const char *which;
    int64_t n;
};
struct standing {
    struct list figures; /* of struct standing_figure, by what */
};
/* Agents see what is their own. One statement. */
err standing_get(struct ctx *c, struct standing *out);

#endif
