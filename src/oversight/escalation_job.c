/* The job that asks the next person where nobody reacted. */
#include "escalation_job.h"

#include "escalation_climb.h"

static err escalation_timeout_step(struct ctx *c, struct slice *s)
{
    int64_t seen, reminded = 0;

    TRY(escalation_climb(c, s->limit, &seen));
    s->scanned += seen;
    s->changed += seen;
    s->more = seen == s->limit;
    if (!s->more)
        TRY(escalation_remind(c, &reminded));
    if (reminded)
        slice_count(s, "reminded", reminded);
    return ERR_OK;
}

const struct job escalation_timeout_job = {
    .name = "escalation_timeout", .description = "asks the next person about escalations that no person took on in time",
    .schedule = "*/15 * * * *", .bound = 1000, .batch = 100, .due = escalation_due, .step = escalation_timeout_step,
};
