/* The job that lowers the trust in agents without an evaluation for more than a week. */
#include "trust_job.h"

#include "trust_decay.h"

static err trust_decay_step(struct ctx *c, struct slice *s)
{
    struct trust_decayed done;

    TRY(trust_decay(c, s->limit, s->dry, &done));
    s->scanned += done.scanned;
    s->changed += done.decayed;
    s->more = done.scanned == s->limit && !s->dry;
    slice_count(s, "decayed", done.decayed);
    slice_count(s, "demoted", done.demoted);
    return ERR_OK;
}

const struct job trust_decay_job = {
    .name = "trust_decay", .description = "lowers the trust in agents without an evaluation for more than a week; it heals nothing",
    .schedule = "0 2 * * *", .bound = 10000, .flags = JOB_DRY_RUN, .due = trust_decay_due, .step = trust_decay_step,
};
