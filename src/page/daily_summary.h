/* What happened in an account on one day, as a page: made by a job each night, never readable without login. */
#ifndef LOCI_DAILY_SUMMARY_H
#define LOCI_DAILY_SUMMARY_H

#include <stdbool.h>

#include "ctx.h"

struct daily_summary {
    struct uuid page_id; /* nil: nothing happened, and there is no page */
    const char *slug;
    bool created, changed;
};

/* The day that begins then, UTC. Done again it is the same page, with a version only where the text differs; a page that a person has
 * edited stays as it is. Titles are named only of what everyone in the account may read. */
err daily_summary_make(struct ctx *c, struct instant day, struct daily_summary *out);
/* The same of a date such as 2026-11-19; ERR_INVALID for one that is not over. */
err daily_summary_of_date(struct ctx *c, const char *date, struct daily_summary *out);
/* The beginning of the day before this instant. */
struct instant daily_summary_yesterday(struct instant now);

#endif
