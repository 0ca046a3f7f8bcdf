/* The jobs of notifications: events of those that were held back, and their end after 90 days. */
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

static err notification_job_tell(struct ctx *c, struct slice *s)
{
    return slice_batch(c, s, notification_tell, "delivered");
}

const struct job notification_delivery_job = {
    .name = "notification_delivery", .description = "tells webhooks and event streams of notifications whose quiet hours are over",
    .schedule = "@every 1m", .bound = 10000, .batch = 500, .flags = JOB_DRY_RUN,
    .due = notification_tell_due, .step = notification_job_tell,
};
