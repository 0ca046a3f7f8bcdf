/* The staleness formula; see staleness.h. */
#include "staleness.h"

#include <math.h>

#define AGE_HALF_DAYS 45 /* content is half as fresh after this */
#define IDLE_DAYS 90     /* unused so long counts full */

static double staleness_days(struct instant from, struct instant to)
{
    return fmax(0, (double)(to.us - from.us) / (double)DAY_US);
}

double staleness(const struct stale_facts *f, struct instant now)
{
    double age = 1 - exp2(-staleness_days(f->content_at, now) / AGE_HALF_DAYS);
    double idle = fmin(staleness_days(f->used_at, now) / IDLE_DAYS, 1);
    double low = fmin(1, 2 * (1 - lifecycle_now(&f->life, now)));

    return lifecycle_round(0.4 * age + 0.3 * idle + 0.3 * low);
}
