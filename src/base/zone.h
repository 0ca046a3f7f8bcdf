/* Time zones: offsets, and names of the system's tz database ("Europe/Vienna"), read without the process's own TZ. */
#ifndef LOCI_ZONE_H
#define LOCI_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define ZONE_NAME 64 /* bytes of a name, at most */

/* A day of the year on which clocks change, every year the same: the week-th weekday of the month (5: the last). */
struct zone_change {
    int month, week, weekday;
    int seconds; /* of local time, since that day began; may be another day */
};

/* {.offset = …} is a zone that never changes. */
struct zone {
    int offset;          /* seconds east of UTC before the first change */
    const int64_t *at;   /* changes, seconds since 1970, ascending … */
    const int32_t *then; /* … and the offset from each on */
    size_t n;
    /* After the last of them. */
    bool repeats;
    int standard, summer;
    struct zone_change to_summer, to_standard;
};

/* "+02:00", "-0330", "Z", "UTC", NULL and "" (UTC), or a name; what it points to is in the arena. false: no such zone. */
bool zone_find(struct arena *a, const char *name, struct zone *out);
/* Seconds east of UTC at an instant, and the instant of a local time, both in microseconds. A time that clocks skip is as far
 * after the change as it says; one they show twice is one of the two. */
int zone_offset(const struct zone *z, int64_t us);
int64_t zone_instant(const struct zone *z, int64_t local);

#endif
