/* The job that deletes the log of what went into prompts after 90 days. */
#include "brief_job.h"

#include "brief.h"

static err injection_job_purge(struct ctx *c, struct slice *s)
{
    return slice_batch(c, s, injection_purge, "deleted");
}

const struct job injection_cleanup_job = {
    .name = "injection_cleanup", .description = "deletes the log of what went into which context after 90 days",
    .schedule = "20 3 * * *", .bound = 1000000, .batch = 2000, .flags = JOB_DRY_RUN, .due = injection_due, .purge = injection_job_purge,
};
