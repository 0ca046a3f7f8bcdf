/* What was served: sentences of memory that a principal was shown are known for a day, so that a later write can be told
 * apart from an echo of them. */
#ifndef LOCI_SERVED_H
#define LOCI_SERVED_H

#include "ctx.h"

#define SERVED_SECONDS 86400
#define SERVED_MAX 20000    /* sentences of a principal; the oldest leave */
#define SERVED_AT_ONCE 1000 /* sentences of one answer; what comes later is left out */
#define SERVED_WORDS 3      /* a shorter sentence says too little to be anybody's */

/* Of the words of a sentence, whatever their case and what stands between them; escaped and plain text are the same. 0:
 * less than SERVED_WORDS words. */
uint64_t sentence_hash(const char *sentence, size_t n);

struct served_text {
    struct uuid node_id;
    const char *text;
};
/* Never fails: without Redis there is no guard. */
void served_remember(struct ctx *c, const struct served_text *texts, size_t n);

/* A sentence of a text, and the node it was served from to somebody within a day; nil: from none. */
struct served_sentence {
    struct uuid node_id;
    size_t chars;
};
/* At most SERVED_AT_ONCE; sentences of few words are not known by anybody, but counted. Never fails either: *n is 0 then. */
void served_find(struct ctx *c, struct uuid principal_id, const char *text, struct served_sentence **out, size_t *n);

#endif
