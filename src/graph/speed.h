/* How often an account is asked and told, and how fast it is answered: the last day, of all processes together. */
#ifndef LOCI_SPEED_H
#define LOCI_SPEED_H

#include "ctx.h"
#include "pace.h"

#define SPEED_STEP_US (1800 * SECOND_US)
#define SPEED_STEPS 48 /* a day */

struct speed_part {
    int64_t n;
    double half, most; /* seconds within which half of them were answered, and 95 of 100; NAN: there was none */
};

struct speed {
    struct instant first; /* begin of the first step; the last one is under way */
    struct speed_part step[SPEED_STEPS][PACE_KINDS];
    struct speed_part hour[PACE_KINDS]; /* the last one, and what has gone by of the quarter after it */
    double hour_minutes;
};

/* The caller's account. ERR_UNAVAILABLE without Redis, which holds it and may lose it: it is nobody's truth. */
err speed_read(struct ctx *c, struct speed *out);

/* Brings to Redis what this process has counted (struct app.pace) since the last time; behind the requests, by one thread.
 * What Redis does not take is not counted. */
void speed_flush(struct ctx *c);

#endif
