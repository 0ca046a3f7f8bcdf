/* Looks of connectors as tasks: {"id", "prune_all"}; see connector_job.h. */
#include "connector_job.h"

#include "connector.h"

static bool connector_should_stop(void *w)
{
    return task_should_stop(w);
}

static err connector_of_task(struct ctx *c, const struct task *t, struct connector_ask *out)
{
    const char *id = json_get_str(t->payload, "id");

    out->prune_all = json_get_bool(t->payload, "prune_all", false);
    return id && uuid_parse(id, &out->id) ? ERR_OK : fail(c, ERR_INVALID, "the task names no connector");
}

static err sync_connector(struct ctx *c, struct task_work *w)
{
    struct connector_ask ask;

    TRY(connector_of_task(c, &w->tasks[0], &ask));
    return connector_work(c, &ask, connector_should_stop, w);
}

static err sync_connector_died(struct ctx *c, const struct task *t, const char *why)
{
    struct connector_ask ask;

    TRY(connector_of_task(c, t, &ask));
    return connector_gave_up(c, ask.id, why);
}

const struct task_kind sync_connector_kind = {
    .name = "sync_connector", .priority = 6, .lease_s = 60, .max_attempts = 5, .parallel = 1, .batch = 1, .run = sync_connector,
    .died = sync_connector_died,
};

static err connector_sync_step(struct ctx *c, struct slice *s)
{
    int64_t n;

    TRY(connector_sweep(c, s->limit, &n));
    s->scanned = s->changed = n;
    if (n)
        slice_count(s, "promised", n);
    return ERR_OK;
}

const struct job connector_sync_job = {
    .name = "connector_sync", .description = "lets connectors look that are due by their frequency",
    .schedule = "*/15 * * * *", .bound = 1000, .batch = 100, .flags = JOB_DRY_RUN, .due = connector_sweep_due, .step = connector_sync_step,
};
