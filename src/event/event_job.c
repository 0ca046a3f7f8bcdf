/* event_relay: what no process has relayed right after its commit; event_cleanup: numbers of events that are no longer kept. */
#include "event_job.h"

#include "relay.h"

static err relay_step(struct ctx *c, struct slice *s)
{
    struct relay_done done;

    TRY(relay_turn(c, (struct instant){0}, &done));
    s->scanned = done.numbered;
    s->changed = done.numbered;
    s->more = done.more;
    if (done.published)
        slice_count(s, "published", done.published);
    return ERR_OK;
}

const struct job event_relay_job = {
    .name = "event_relay", .description = "relays events that were not relayed right after their commit", .schedule = "@every 5s",
    .bound = 10000, .batch = RELAY_BATCH, .flags = JOB_OUTSIDE, .due = relay_due, .step = relay_step,
};

static err event_job_cleanup_purge(struct ctx *c, struct slice *s)
{
    TRY(relay_purge(c, s->limit, &s->changed));
    s->scanned = s->changed;
    s->more = s->changed == s->limit;
    return ERR_OK;
}

const struct job event_cleanup_job = {
    .name = "event_cleanup", .description = "deletes the numbers of expired events", .schedule = "10 1 * * *",
    .bound = 500000, .batch = 5000, .flags = JOB_SUSPENDED_TOO | JOB_DRY_RUN, .due = relay_purge_due, .purge = event_job_cleanup_purge,
};
