/* One lifecycle for all that is remembered: a stored score is true at an instant and fades from there. */
#ifndef LOCI_LIFECYCLE_H
#define LOCI_LIFECYCLE_H

#include <stdbool.h>

#include "clock.h"

#define LIFECYCLE_TOUCH 0.05 /* share of what is missing to 1 that a day's first use gives back */

struct lifecycle {
    double score;      /* true at decayed_at */
    double decay_rate; /* per day; 0: does not fade */
    double floor;      /* never below; by kind */
    struct instant decayed_at, last_access_at;
    bool is_pinned; /* does not fade */
};

/* max(floor, score · e^(−decay_rate · days since decayed_at)). Before decayed_at it is the score itself. */
double lifecycle_now(const struct lifecycle *s, struct instant t);
/* Writes the value of t down, with its instant. The curve stays the same: twice is once, and never is the same too. */
void lifecycle_settle(struct lifecycle *s, struct instant t);
/* A use at t: settles, adds at most one small boost a UTC day, and remembers the use. It may be told of late: a score that was
 * set after it stays as it was set. */
void lifecycle_touch(struct lifecycle *s, struct instant t);
/* Settles, then adds amount (may be negative), clamped to 0..1. */
void lifecycle_boost(struct lifecycle *s, double amount, struct instant t);
/* Pins or unpins from t on: what faded before stays faded, and the pinned time does not count afterwards. */
void lifecycle_pin(struct lifecycle *s, bool pinned, struct instant t);
/* ln 2 / days; 0 days: no decay. */
double lifecycle_rate(double half_life_days);
/* For answers: 4 digits behind the point. */
double lifecycle_round(double score);

#endif
