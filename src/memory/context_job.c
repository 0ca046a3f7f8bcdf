/* The job that tidies up behind contexts. */
#include "context_job.h"

#include "context_upkeep.h"

static err context_job_purge(struct ctx *c, struct slice *s)
{
    int64_t n;

    TRY(context_upkeep(c, s->limit, &n));
    s->scanned = s->changed = n;
    s->more = n > 0; /* another one may be over */
    if (n)
        slice_count(s, "deleted", n);
    return ERR_OK;
}

const struct job context_cleanup_job = {
    .name = "context_cleanup", .description = "purges contexts 30 days after they were deleted or expired",
    .schedule = "@hourly", .bound = 20000, .batch = 1000, .flags = JOB_DRY_RUN, .due = context_upkeep_due, .purge = context_job_purge,
};
