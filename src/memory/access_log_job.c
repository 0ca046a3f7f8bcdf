/* The job of the access log; see access_log_job.h. */
#include "access_log_job.h"

#include "access_log.h"

static err access_log_job_purge(struct ctx *c, struct slice *s)
{
    int64_t n;

    TRY(access_log_purge(c, s->limit, &n));
    s->scanned = s->changed = n;
    s->more = n == s->limit;
    return ERR_OK;
}

const struct job access_log_cleanup_job = {
    .name = "access_log_cleanup", .description = "deletes entries of the access log of contexts after 90 days",
    .schedule = "10 3 * * *", .bound = 1000000, .batch = 2000, .flags = JOB_DRY_RUN, .due = access_log_due, .purge = access_log_job_purge,
};
