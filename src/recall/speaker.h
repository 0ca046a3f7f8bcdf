/* Who speaks: a query that names one of the speakers asks more for what they said than for what they were told. */
#ifndef LOCI_SPEAKER_H
#define LOCI_SPEAKER_H

#include "conversation.h"

#define SPEAKER_FAVOUR 1.1 /* measured on LoCoMo: 1.1 to 1.2 are equally good */

/* Multiplies the scores of that speaker's turns; does nothing when the query names no speaker of turns, or several. */
void speaker_favour(struct arena *a, const struct snapshot *s, const char *query, struct turn *turns, size_t n, double by);

#endif
