/* The span of time a query speaks of: as a filter, or as a reason to prefer what happened in it. */
#ifndef LOCI_TIME_WINDOW_H
#define LOCI_TIME_WINDOW_H

#include "dates.h"
#include "filter.h"

/* When it happened, as far as is known: since when it holds, else when it was written. */
bool window_has(const struct time_span *span, struct row_at at);
/* Leaves in f only the rows that are in it. */
void window_filter(struct arena *a, const struct snapshot *s, const struct time_span *span, struct filter *f);

#endif
