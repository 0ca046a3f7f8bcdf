/* What learnings are worth: their importance with what came of them, and how all of them together do. */
#ifndef LOCI_LEARNING_SCORE_H
#define LOCI_LEARNING_SCORE_H

#include <stdint.h>

#include "clock.h"

#define LEARNING_JUDGED 5 /* injections from which on outcomes count */

/* importance_now below 5 injections; from then on outcomes count for more. 4 digits, as the others. */
double learning_effective_importance(double importance_now, int64_t injections, int64_t positive);
/* Share of good outcomes; NaN below 3 injections. */
double learning_effectiveness(int64_t injections, int64_t positive);
/* fresh, aging or stale. */
const char *learning_freshness(struct instant since, struct instant now);
/* 0 to 100; effectiveness NaN: not known. */
double learning_compound_score(int64_t categories, double effectiveness, int64_t active);

#endif
