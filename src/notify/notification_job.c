/* The job that deletes notifications after 90 days. */
#include "notification_job.h"

#include "notification.h"

static err notification_job_purge(struct ctx *c, struct slice *s)
{
    return slice_batch(c, s, notification_purge, "deleted");
}

const struct job notification_cleanup_job = {
    .name = "notification_cleanup", .description = "deletes notifications after 90 days", .schedule = "50 4 * * *", .bound = 1000000,
    .batch = 2000, .flags = JOB_DRY_RUN, .due = notification_due, .purge = notification_job_purge,
};
