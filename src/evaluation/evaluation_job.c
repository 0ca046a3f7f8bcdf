/* Runs of evaluation sets as tasks: {"id"}; see evaluation_job.h. */
#include "evaluation_job.h"

#include "evaluation.h"

static bool evaluation_should_stop(void *w)
{
    return task_should_stop(w);
}

static err evaluation_of_task(struct ctx *c, const struct task *t, struct uuid *id)
{
    const char *text = json_get_str(t->payload, "id");

    return text && uuid_parse(text, id) ? ERR_OK : fail(c, ERR_INVALID, "the task names no run");
}

static err run_evaluation(struct ctx *c, struct task_work *w)
{
    struct uuid id;

    TRY(evaluation_of_task(c, &w->tasks[0], &id));
    return evaluation_work(c, id, evaluation_should_stop, w);
}

static err run_evaluation_died(struct ctx *c, const struct task *t, const char *why)
{
    struct uuid id;

    TRY(evaluation_of_task(c, t, &id));
    return evaluation_gave_up(c, id, why);
}

const struct task_kind run_evaluation_kind = {
    .name = "run_evaluation", .priority = 6, .lease_s = 120, .max_attempts = 3, .parallel = 1, .batch = 1, .run = run_evaluation,
    .died = run_evaluation_died,
};
