/* How far a memory has rotted: by the age of its content, how long nobody used it, and how little it matters. */
#ifndef LOCI_STALENESS_H
#define LOCI_STALENESS_H

#include "lifecycle.h"

#define STALE_REVIEW 0.7  /* from here on a person should look at it */
#define STALE_ARCHIVE 0.9 /* from here on it goes out of the way */

struct stale_facts {
    struct instant content_at; /* when its content became what it is */
    struct instant used_at;    /* last use, or when it was made */
    struct lifecycle life;
};

/* 0 to 1, 4 digits. */
double staleness(const struct stale_facts *f, struct instant now);

#endif
