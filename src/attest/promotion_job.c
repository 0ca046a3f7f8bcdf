/* Promotions are decided by task, as the system: {"fact_id"}. A sweep finds those whose fact changed. */
#include "promotion_job.h"

#include <string.h>

#include "promotion.h"

static err promotion_task(struct ctx *c, struct task_work *w)
{
    const char *text = json_get_str(w->tasks[0].payload, "fact_id");
    struct uuid id;

    if (!text || !uuid_parse(text, &id))
        return fail(c, ERR_INVALID, "the task names no fact");
    return promotion_evaluate(c, id);
}

const struct task_kind promotion_kind = {
    .name = "promotion", .priority = 5, .lease_s = 60, .max_attempts = 5, .batch = 1, .flags = TASK_SWEPT | TASK_FORGET,
    .run = promotion_task,
};

static err promotion_sweep_step(struct ctx *c, struct slice *s)
{
    struct uuid behind = {{0}};
    int64_t seen = s->limit;

    while (seen == s->limit) {
        TRY(promotion_sweep(c, &behind, s->limit, &seen, &s->changed));
        s->scanned += seen;
    }
    return ERR_OK;
}

const struct job promotion_sweep_job = {
    .name = "promotion_sweep", .description = "promotes facts that enough agents vouch for, demotes those that lost it",
    .schedule = "25 * * * *", .bound = 10000, .batch = 100, .flags = JOB_OUTSIDE, .due = promotion_due, .step = promotion_sweep_step,
};
