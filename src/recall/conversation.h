/* Conversation structure: a turn is worth more when its neighbours and its session match, too. */
#ifndef LOCI_CONVERSATION_H
#define LOCI_CONVERSATION_H

#include "filter.h"

struct conversation_options {
    double before, after;        /* share of the score of the turn before, and of the one after */
    double session;              /* share of the session's best, for turns that match themselves */
    size_t best;                 /* how many make the session's best */
};
#define CONVERSATION_DEFAULTS {.before = 0.3, .after = 0.2, .session = 0.4, .best = 3}

/* in: rows and their scores, not negative, each once. out: the same rows and their sessions' neighbours, best first; rows
 * without a session as they were. Only rows of the filter are turns. */
size_t conversation_smooth(struct arena *a, const struct snapshot *s, const struct filter *f, const struct scored *in, size_t n,
                           const struct conversation_options *o, struct scored **out);

/* Adds the turns of row's session that the filter lets through to rows, of which there are *n; none beyond max. */
void conversation_rows(struct arena *a, const struct snapshot *s, const struct filter *f, uint32_t row, uint32_t *rows, size_t max,
                       size_t *n);

#endif
