/* The fold: which facts the claims of one slot amount to, and when each holds. A pure function of the claims, whatever the order in which
 * they arrived. */
#ifndef LOCI_FACT_FOLD_H
#define LOCI_FACT_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define FOLD_KEY 16       /* bytes of an object's key */
#define FOLD_MARGIN 0.20  /* trust by which a newcomer may fall short of the incumbent */
#define FOLD_DECIDED 0.10 /* difference of trust from which the weaker of two at one instant is wrong */
#define FOLD_TRUST_MAX 0.95

enum fold_modality { FOLD_ASSERTED, FOLD_PAST, FOLD_PLANNED };

/* One thing said once. */
struct fold_claim {
    uint8_t object[FOLD_KEY];
    bool negative;
    enum fold_modality modality;
    int64_t at, until; /* microseconds; until 0: open */
    uint8_t author[16];
    int voice; /* rank: the user's word is the highest */
    double trust;
    bool accepted;  /* by a person, or a direct record: it takes over */
    bool withdrawn; /* as if it had never been */
    size_t run;     /* out: which run it belongs to; FOLD_NONE */
};
#define FOLD_NONE SIZE_MAX

enum fold_state { FOLD_ACTIVE, FOLD_SUPERSEDED, FOLD_HELD, FOLD_CONTRADICTED };

/* A fact: one value over one span of time. */
struct fold_run {
    uint8_t object[FOLD_KEY];
    bool negative;
    enum fold_modality modality;
    int64_t from, to; /* half-open; to 0: open */
    enum fold_state state;
    bool contested;
    size_t successor; /* superseded: by which run; held, contradicted: against which; FOLD_NONE */
    double trust;     /* pooled over distinct authors */
    size_t authors, claims;
};

struct fold {
    struct fold_run *runs;
    size_t n;
};

/* single: one value at a time. Fills run of each claim; their order in the array does not matter and is kept. */
struct fold fact_fold(struct arena *a, struct fold_claim *claims, size_t n, bool single);

#endif
