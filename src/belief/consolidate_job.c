/* A space is consolidated by task: {"space_id"}; one lane each. A sweep promises what was lost. */
#include "consolidate_job.h"

#include "consolidate.h"

static err consolidate_task(struct ctx *c, struct task_work *w)
{
    const char *text = json_get_str(w->tasks[0].payload, "space_id");
    struct consolidated done;
    struct uuid space_id;
    bool more = true;

    if (!text || !uuid_parse(text, &space_id))
        return fail(c, ERR_INVALID, "the task names no space");
    while (more) {
        if (task_should_stop(w))
            return fail(c, ERR_UNAVAILABLE, "the scheduler is stopping");
        err e = consolidate_space(c, space_id, &done, &more);

        if (e == ERR_NOT_FOUND || e == ERR_FORBIDDEN) { /* deleted or archived meanwhile */
            ctx_forgive(c);
            return ERR_OK;
        }
        TRY(e);
        more &= done.items > 0;
    }
    return ERR_OK;
}

const struct task_kind consolidate_kind = {
    .name = "consolidate", .priority = 4, .lease_s = 120, .max_attempts = 5, .batch = 1, .flags = TASK_SWEPT | TASK_FORGET,
        .run = consolidate_task,
};

static err consolidate_sweep_step(struct ctx *c, struct slice *s)
{
    int64_t n;

    TRY(consolidate_sweep(c, s->limit, &n));
    s->scanned = s->changed = n;
    if (n)
        slice_count(s, "promised", n);
    return ERR_OK;
}

const struct job consolidate_sweep_job = {
    .name = "consolidate_sweep", .description = "promises the reading of facts out of episodes that wait without a task",
        .schedule = "*/5 * * * *",
    .bound = 1000, .batch = 1000, .flags = JOB_DRY_RUN, .due = consolidate_due, .step = consolidate_sweep_step,
};
