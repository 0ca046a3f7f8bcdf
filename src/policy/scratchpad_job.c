/* The job that shortens scratchpads that nobody touched for two weeks. */
#include "scratchpad_job.h"

#include "scratchpad.h"

static err scratchpad_trim_step(struct ctx *c, struct slice *s)
{
    int64_t n;

    TRY(scratchpad_trim(c, s->limit, s->dry, &n));
    s->scanned += n;
    s->changed += n;
    s->more = n == s->limit && !s->dry;
    if (n)
        slice_count(s, "trimmed", n);
    return ERR_OK;
}

const struct job scratchpad_trim_job = {
    .name = "scratchpad_trim", .description = "keeps the newest notes of long scratchpads that were not touched for 14 days; the rest "
    "becomes a memory of the agent", .schedule = "*/10 * * * *",
    .bound = 1000, .batch = 20, .flags = JOB_DRY_RUN, .due = scratchpad_due, .step = scratchpad_trim_step,
};
