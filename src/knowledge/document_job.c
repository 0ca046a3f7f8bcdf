/* Documents are processed by task: {"id"}. A sweep promises what was lost. */
#include "document_job.h"

#include "base_model.h"
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

/* {"id"} of the base. A turn gives way to others' work after a second. */
struct reembed_turn {
    const struct task_work *work;
    int64_t ends;
};

static bool reembed_should_stop(void *arg)
{
    const struct reembed_turn *t = arg;

    return clock_monotonic_us() >= t->ends || task_should_stop(t->work);
}

static err reembed_base(struct ctx *c, struct task_work *w)
{
    struct reembed_turn turn = {w, clock_monotonic_us() + SECOND_US};
    const char *document = json_get_str(w->tasks[0].payload, "document_id");
    struct base_part of = {0};
    bool more;
    err e;

    TRY(document_of_task(c, &w->tasks[0], &of.knowledge_base_id));
    if (document && !uuid_parse(document, &of.document_id))
        return fail(c, ERR_INVALID, "the task names no document");
    e = base_model_work(c, &of, reembed_should_stop, &turn, &more);
    if (e == ERR_UNAVAILABLE && !task_should_stop(w)) { /* it was told to stop, by the turn's end */
        ctx_forgive(c);
        e = ERR_OK;
        more = true;
    }
    if (e == ERR_OK && more)
        w->outcome = TASK_BEHIND;
    return e;
}

static err reembed_base_died(struct ctx *c, const struct task *t, const char *why)
{
    struct uuid id;

    TRY(document_of_task(c, t, &id));
    return base_model_gave_up(c, id, why);
}

const struct task_kind reembed_base_kind = {
    .name = "reembed_base", .priority = 7, .lease_s = 120, .max_attempts = 8, .parallel = 1, .batch = 1, .flags = TASK_SWEPT,
    .run = reembed_base, .died = reembed_base_died,
};

static err document_sweep_step(struct ctx *c, struct slice *s)
{
    int64_t n, bases;

    TRY(document_sweep(c, s->limit, &n));
    TRY(base_model_sweep(c, SWEEP_AFTER_US, s->limit, &bases));
    s->scanned = s->changed = n + bases;
    if (n + bases)
        slice_count(s, "promised", n + bases);
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
    .name = "document_sweep",
    .description = "documents and bases that have waited ten minutes without a task get one: to be processed, or for their vectors",
    .schedule = "*/10 * * * *", .bound = 10000, .batch = 1000, .flags = JOB_DRY_RUN, .due = document_sweep_due, .step = document_sweep_step,
};
