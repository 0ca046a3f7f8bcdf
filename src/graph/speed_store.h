/* Counts of calls in Redis: a hash for each account and hour, gone after a day. */
#ifndef LOCI_SPEED_STORE_H
#define LOCI_SPEED_STORE_H

#include "ctx.h"
#include "pace.h"

typedef int64_t speed_counts[PACE_KINDS][PACE_BUCKETS];

/* A step is a quarter of an hour, counted from 1970. Redis is told; whether it heard nobody waits for. */
err speed_store_add(struct ctx *c, const struct pace_row *row, int64_t step);
/* Adds what there is of the caller's account to out, which has n steps. */
err speed_store_read(struct ctx *c, int64_t first, int n, speed_counts *out);

#endif
