/* What a knowledge base is asked, and where it fails: for who manages it. */
#ifndef LOCI_INSIGHT_H
#define LOCI_INSIGHT_H

#include "ctx.h"
#include "list.h"

#define INSIGHT_DAYS 90
#define INSIGHT_ROWS 20 /* of each list */

struct insight_day {
    const char *day; /* in UTC */
    int64_t n, empty;
};
struct insight_question {
    const char *question;
    int64_t n, unanswered;
    double most_ms;
    struct instant last_at;
};
struct insight_document {
    struct uuid id;
    const char *name;
    struct instant created_at;
};
struct insight {
    struct uuid knowledge_base_id;
    struct list days;                            /* of struct insight_day, the oldest first */
    struct list most_asked, unanswered, slowest; /* of struct insight_question */
    struct list never_found;                     /* of struct insight_document: served, and in no result yet; the oldest first */
};
struct insight_in {
    struct uuid knowledge_base_id;
    int64_t days;
};
/* ERR_NOT_FOUND without the base, ERR_FORBIDDEN for who does not manage it: the words are other people's. */
err insight_get(struct ctx *c, const struct insight_in *in, struct insight *out);

#endif
