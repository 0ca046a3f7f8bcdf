/* How much a memory counts by itself: importance now, and how sure its author was. */
#ifndef LOCI_RELEVANCE_H
#define LOCI_RELEVANCE_H

#include "node.h"

/* importance · confidence · e^(−decay_rate · days since decayed_at), with the floor and the pin of its kind, 4 digits. */
double relevance_score(const struct ctx *c, const struct node *n);

#endif
