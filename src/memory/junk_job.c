/* The job that looks for junk. */
#include "junk_job.h"

#include <string.h>

#include "junk.h"

static err junk_job_step(struct ctx *c, struct slice *s)
{
    struct junk_position *p = ARENA_NEW(c->arena, struct junk_position);
    struct junk_counts found;

    *p = (struct junk_position){0};
    if (s->cursor.n == sizeof *p)
        memcpy(p, s->cursor.p, sizeof *p);
    TRY(junk_audit(c, p, (size_t)s->limit, &found, &s->more));
    if (!s->more)
        TRY(junk_advise(c));
    s->scanned = found.covered;
    s->cursor = (struct bytes){p, sizeof *p};
    for (int i = 0; i < FINDING_CLASSES; i++)
        if (found.found[i])
            slice_count(s, enumx_name(&finding_class_enumx, i), found.found[i]);
    return ERR_OK;
}

const struct job junk_audit_job = {
    .name = "junk_audit", .description = "audits data quality: copies, echoes, too short, stale …; changes nothing",
    .schedule = "40 4 * * *", .after = "rot_detection", .bound = 200000, .batch = 500, .flags = JOB_STATE | JOB_DRY_RUN, .due = junk_due,
    .step = junk_job_step,
};
