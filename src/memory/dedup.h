/* Finding memories that say the same, and what becomes of them: merged, listed for people, or left alone. */
#ifndef LOCI_DEDUP_H
#define LOCI_DEDUP_H

#include "duplicate.h"
#include "merge.h"
#include "str.h"

enum dedup_verdict { DEDUP_LEAVE, DEDUP_SAME, DEDUP_DOUBT };

struct dedup_pair {
    struct uuid a, b; /* a: the older one */
    double similarity;
    enum dedup_verdict verdict;
    enum duplicate_reason reason; /* with DEDUP_DOUBT */
    struct uuid space_id;
    const char *kind, *text_a, *text_b;
};

/* A portion of a sweep over what is new. */
struct dedup_portion {
    struct instant since;  /* vectors newer than this */
    struct bytes position; /* as a job's cursor: where the last portion ended, and then where this one does */
    int64_t limit;         /* nodes looked at */
    /* Answers. */
    const struct near_pair *near; /* the nearest first */
    size_t n;
    int64_t looked;
    bool more, crowded;   /* crowded: merging may let others show, which a second look finds */
    struct instant began; /* when the first portion was asked for */
};

#define DEDUP_AT_ONCE 64 /* pairs whose texts are in memory */

/* What is near; reads no text, changes nothing. Not inside a transaction. */
err dedup_find(struct ctx *c, struct dedup_portion *d);
/* What the rules say of those from `from` on, at most DEDUP_AT_ONCE, by their texts, which stay in the arena; without what is to be
 * left alone. */
err dedup_judge(struct ctx *c, const struct dedup_portion *d, size_t from, struct dedup_pair *out, size_t *n_out);
/* Two that are the same. *done false: they are not as they were any more, and left alone. Passing failures are the caller's. */
err dedup_merge(struct ctx *c, const struct dedup_pair *p, bool *done);
/* Those in doubt among them. */
err dedup_note(struct ctx *c, const struct dedup_pair *pairs, size_t n);
err dedup_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
