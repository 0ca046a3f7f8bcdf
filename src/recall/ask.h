/* Asking a person: what recall hands over when nothing it found answers the query (struct app.ask_human). */
#ifndef LOCI_ASK_H
#define LOCI_ASK_H

#include "ctx.h"
#include "list.h"

#define QUESTION_HITS 10

struct question {
    const char *query, *verdict;
    double best;             /* grade of the best hit; −1: there was none */
    const struct uuid *hits; /* the best that were found all the same */
    size_t n_hits;
    struct uuids spaces; /* that were asked; none: all that the caller may read */
};

struct question_state {
    const char *status; /* queued, already_queued, no_answer, queue_full */
    struct uuid id;     /* of the escalation; nil: there is none */
    int64_t seen_count;
    bool is_open; /* a person will see it */
};

#endif
