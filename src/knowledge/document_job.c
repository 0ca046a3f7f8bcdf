/* Documents are processed by task: {"id"}. A sweep promises what was lost. */
#include "document_job.h"

#include "document.h"
#include "knowledge_tidy.h"

static err document_of_task(struct ctx *c, const struct task *t, struct uuid *id)
{
    const char *text = json_get_str(t->payload, "id");

    return text && uuid_parse(text, id) ? ERR_OK : fail(c, ERR_INVALID, "the task names no document");
}

static err process_document(struct ctx *c, struct task_work *w)
{
    struct uuid id;

    TRY(document_of_task(c, &w->tasks[0], &id));
    return document_work(c, id);
}

static err process_document_died(struct ctx *c, const struct task *t, const char *why)
{
    struct uuid id;

    TRY(document_of_task(c, t, &id));
    return document_gave_up(c, id, why);
}

const struct task_kind process_document_kind = {
    .name = "process_document", .priority = 5, .lease_s = 60, .max_attempts = 5, .parallel = 2, .batch = 1, .flags = TASK_SWEPT,
    .run = process_document, .died = process_document_died,
};

static err document_sweep_step(struct ctx *c, struct slice *s)
{
    int64_t n;

    TRY(document_sweep(c, s->limit, &n));
    s->scanned = s->changed = n;
    if (n)
        slice_count(s, "promised", n);
    return ERR_OK;
}

static err knowledge_purge(struct ctx *c, struct slice *s)
{
    int64_t n;

    TRY(knowledge_tidy(c, s->limit, &n));
    s->scanned = s->changed = n;
    s->more = n > 0; /* another base or document may be over */
    if (n)
        slice_count(s, "deleted", n);
    return ERR_OK;
}

const struct job knowledge_cleanup_job = {
    .name = "knowledge_cleanup",
    .description = "purges knowledge bases and documents 30 days after they were deleted, and replaced chunks after a day",
    .schedule = "@hourly", .bound = 20000, .batch = 1000, .flags = JOB_DRY_RUN, .due = knowledge_tidy_due, .purge = knowledge_purge,
};

const struct job document_sweep_job = {
    .name = "document_sweep", .description = "processes documents again that have waited for ten minutes without a task",
    .schedule = "*/10 * * * *", .bound = 10000, .batch = 1000, .flags = JOB_DRY_RUN, .due = document_sweep_due, .step = document_sweep_step,
};
