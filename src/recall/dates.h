/* Words about time in a query ("yesterday", "in May 2023", "2023-05-08"): which span of time they mean. */
#ifndef LOCI_DATES_H
#define LOCI_DATES_H

#include <stdbool.h>
#include <stdint.h>

#include "zone.h"

struct time_span {
    int64_t from, to; /* microseconds; [from, to); 0: open */
};

/* now: microseconds; zone: in whose days the words are meant. Weeks begin on Monday. What lies ahead in this year is of last
 * year, where the year is not said. Several dates: from the first to the last of them. false: the query says nothing of
 * time. */
bool dates_find(const char *query, int64_t now, const struct zone *zone, struct time_span *out);

#endif
