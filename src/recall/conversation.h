/* Conversation structure: a turn is worth more when its neighbours and its session match, too. */
#ifndef LOCI_CONVERSATION_H
#define LOCI_CONVERSATION_H

#include "filter.h"

struct conversation_options {
    double before, after; /* share of what was found of the turn before, and of the one after */
    double session;       /* share of the session's best, for turns that match themselves */
    size_t best;          /* how many make the session's best */
};
/* What is asked for is often said in the turn before: measured on three families of chats. */
#define CONVERSATION_DEFAULTS {.before = 0.3, .after = 0.3, .session = 0.4, .best = 3}

struct turn {
    uint32_t row;
    double found;   /* what is known of the turn by itself; not negative */
    bool is_quoted; /* by the query: that it was found says nothing of its neighbours */
    double score;   /* and with its context: what conversation_judge() finds, in the same unit */
    /* Its place; see conversation_turn(). */
    uint64_t session;
    uint32_t sequence;
    int64_t created;
    struct uuid id;
};

/* The row with its place; session is 0 for a row that is no turn. */
struct turn conversation_turn(const struct snapshot *s, uint32_t row);
/* Adds the turns of row's session that the filter lets through to rows, of which there are *n; none beyond max. */
void conversation_rows(const struct snapshot *s, const struct filter *f, uint32_t row, uint32_t *rows, size_t max, size_t *n);
/* Sets the scores of turns, which it sorts by session and place. Turns that are not among them do not exist. */
void conversation_judge(struct turn *turns, size_t n, const struct conversation_options *o);

#endif
