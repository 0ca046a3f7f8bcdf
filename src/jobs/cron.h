/* Schedules: five cron fields, @hourly and its like, and @every; all in UTC. */
#ifndef LOCI_CRON_H
#define LOCI_CRON_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

#define CRON_TEXT_MAX 200    /* characters of a schedule */
#define CRON_HORIZON_YEARS 5 /* a schedule that does not fire within these is refused */

struct cron {
    int64_t every_us; /* @every: the period, counted from 1970 so that all hosts agree; else 0 */
    uint64_t minutes; /* bit n: minute n … */
    uint32_t hours, days, months;
    uint32_t weekdays; /* bit 0: Sunday */
    bool either_day;   /* both day fields are restricted: one match is enough */
};

struct cron_fault {
    int position;        /* of the first wrong character, counted from 1 */
    const char *message; /* a literal */
};

/* from: firings are looked for after this instant when it is asked whether there is one at all. A day field that begins
 * with '*' is not restricted, as in Vixie's cron. */
bool cron_parse(const char *text, struct instant from, struct cron *out, struct cron_fault *why);

/* The first firing strictly after t; false: none within the horizon. */
bool cron_next(const struct cron *cron, struct instant t, struct instant *next);

#endif
