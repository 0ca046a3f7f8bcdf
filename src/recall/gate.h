/* The gate: what of an answer fits a budget of tokens, by relevance and entropy, with a report of all that was cut. */
#ifndef LOCI_GATE_H
#define LOCI_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "entropy.h"
#include "enumx.h"
#include "uuid.h"

#define GATE_SIMHASH 3    /* bits in which near-duplicates differ at most … */
#define GATE_COSINE 0.95  /* … or how alike their vectors are at least; their numbers are equal in any case */
#define GATE_RELEVANT 0.5 /* of the best: what counts as a relevant hit */

#define EVICT_REASON(X)                                                                                      \
    X(EVICT_LOW_ENTROPY, "low_entropy") X(EVICT_NEAR_DUPLICATE, "near_duplicate")                            \
    X(EVICT_OVER_BUDGET, "over_budget") X(EVICT_BELOW_MIN, "below_min_score")
ENUMX_DECLARE(evict_reason, EVICT_REASON);

/* A hit on its way through the gate, in the order of ranks. */
struct gate_item {
    struct uuid id;
    const char *kind;
    const char *text;     /* inert, as it would be served; cut when nothing of it fits otherwise */
    int64_t extra_tokens; /* that come with it: its title, its tag and attributes */
    double relevance;
    uint64_t simhash; /* 0: none */
    bool below_min;   /* its score is below what the caller wants */

    /* what the gate found */
    struct entropy entropy;
    int64_t tokens; /* of the text as it came, and extra_tokens */
    bool is_evicted, is_cut;
    enum evict_reason reason;
    size_t near_of; /* the place of the better hit that it repeats; its own: none */
};

struct gate_result {
    int64_t used_tokens; /* of what is kept, as it is kept */
    size_t n_kept;
};

/* How alike items i and j are in meaning: a cosine, below 0 when that is not known. */
struct gate_likeness {
    double (*of)(const void *arg, size_t i, size_t j);
    const void *arg;
};

/* Judges all items. budget 0: nothing is evicted but what is below the minimum. Else, while the items are worth more than
 * budget: near-duplicates first, then by relevance × (0.5 + 0.5 · entropy), lowest first, of equals the later. The last
 * relevant item stays, cut if need be; only where not even a beginning of it fits it goes, too.
 * likeness may be NULL. */
struct gate_result gate_run(struct arena *a, struct gate_item *items, size_t n, int64_t budget,
                            const struct gate_likeness *likeness);

#endif
