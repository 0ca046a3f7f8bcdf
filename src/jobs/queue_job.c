/* This room's own jobs: the janitor of the queue, and the end of old history. */
#include "app.h"
#include "config.h"
#include "jobs_own.h"
#include "upkeep.h"

static void queue_job_count(struct slice *s, const char *name, int64_t n)
{
    if (n)
        slice_count(s, name, n);
    s->changed += n;
}

static err janitor_step(struct ctx *c, struct slice *s)
{
    int64_t reclaimed, ended, schedulers;

    TRY(upkeep_take_back(c, &reclaimed));
    TRY(upkeep_tasks(c, s->limit, &ended));
    TRY(upkeep_schedulers(c, &schedulers));
    TRY(upkeep_count(c));
    queue_job_count(s, "reclaimed", reclaimed);
    queue_job_count(s, "ended_tasks", ended);
    queue_job_count(s, "dead_schedulers", schedulers);
    s->scanned = s->changed;
    s->more = ended >= s->limit;
    return ERR_OK;
}

/* Each of its statements stands for itself, so none of them holds its rows while the others run. */
const struct job queue_janitor_job = {
    .name = "queue_janitor", .description = "requeues lapsed tasks, deletes finished ones, updates the queue's counters",
    .schedule = "@every 30s", .bound = 100000, .batch = 5000, .flags = JOB_INSTALLATION | JOB_ESSENTIAL | JOB_OUTSIDE,
    .step = janitor_step,
};

static err history_step(struct ctx *c, struct slice *s)
{
    int64_t runs, thinned = 0;

    TRY(upkeep_history(c, c->app->conf->job_run_days, s->limit, &runs));
    s->more = runs == s->limit;
    if (!s->more)
        TRY(upkeep_thin_history(c, &thinned));
    queue_job_count(s, "runs", runs);
    queue_job_count(s, "empty_runs", thinned);
    s->scanned = s->changed;
    return ERR_OK;
}

const struct job history_cleanup_job = {
    .name = "history_cleanup", .description = "deletes old job runs", .schedule = "10 1 * * *",
    .bound = 500000, .batch = 5000, .flags = JOB_INSTALLATION | JOB_OUTSIDE, .step = history_step,
};
