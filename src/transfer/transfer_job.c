/* Exports and imports by task, and the end of their files. The task is {"id"}. */
#include "transfer_job.h"

#include "transfer.h"

static err transfer_job_id_of(struct ctx *c, const struct task *t, struct uuid *id)
{
    const char *text = json_get_str(t->payload, "id");

    return text && uuid_parse(text, id) ? ERR_OK : fail(c, ERR_INVALID, "the task names no row");
}

static bool transfer_job_should_stop(void *arg)
{
    return task_should_stop(arg);
}

static err transfer_job_run(struct ctx *c, struct task_work *w)
{
    struct uuid id;

    TRY(transfer_job_id_of(c, &w->tasks[0], &id));
    return transfer_work(c, id, &(struct transfer_turn){transfer_job_should_stop, w});
}

static err transfer_job_died(struct ctx *c, const struct task *t, const char *why)
{
    struct uuid id;

    TRY(transfer_job_id_of(c, t, &id));
    return transfer_gave_up(c, id, why);
}

const struct task_kind export_kind = {
    .name = "export", .priority = 6, .lease_s = 300, .max_attempts = 5, .parallel = 1, .batch = 1, .run = transfer_job_run, .died = transfer_job_died,
};

const struct task_kind import_kind = {
    .name = "import", .priority = 6, .lease_s = 300, .max_attempts = 5, .parallel = 1, .batch = 1, .run = transfer_job_run, .died = transfer_job_died,
};

static err transfer_job_purge(struct ctx *c, struct slice *s)
{
    int64_t n;

    if (s->dry) /* files do not come back */
        return ERR_OK;
    TRY(transfer_expire(c, s->limit, &n));
    s->scanned = s->changed = n;
    s->more = n == s->limit;
    return ERR_OK;
}

const struct job transfer_cleanup_job = {
    .name = "transfer_cleanup", .description = "deletes exports and imports with their files after transfer.keep_days",
    .schedule = "20 * * * *", .bound = 1000, .batch = 50, .flags = JOB_SUSPENDED_TOO, .due = transfer_expired_due, .purge = transfer_job_purge,
};
