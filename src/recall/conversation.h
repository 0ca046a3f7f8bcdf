/* Conversation structure: a turn is worth more when its neighbours and its session match, too. */
#ifndef LOCI_CONVERSATION_H
#define LOCI_CONVERSATION_H

#include "filter.h"

struct conversation_options {
    double meaning;                 /* share of what turns mean, the rest is their words */
    double mean_before, mean_after; /* meaning: how much the neighbours count in the mean with the turn itself */
    double before, after;           /* words: share of the score of the turn before, and of the one after */
    double session;                 /* share of the session's best, for turns that match themselves */
    size_t best;                    /* how many make the session's best */
};
/* Measured on LoCoMo. What a turn means is often said in the one before: its vector alone knows too little. */
#define CONVERSATION_DEFAULTS \
    {.meaning = 0.5, .mean_before = 1, .mean_after = 0.5, .before = 0.3, .after = 0.2, .session = 0.6, .best = 3}

struct turn {
    uint32_t row;
    double dense, sparse; /* what each arm says of it; not negative */
    double score;         /* what conversation_judge() finds: 0 to 1 + session */
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
