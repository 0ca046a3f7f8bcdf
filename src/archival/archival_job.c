/* Every night the texts about agents, and about what has texts already, are made again. */
#include "archival_job.h"

#include "archival.h"
#include "arena.h"

static err archival_job_select(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n)
{
    const struct uuid *ids;
    struct list list;

    TRY(archival_subjects(c, slice_behind(s), s->limit, &list));
    ids = list.v;
    for (size_t i = 0; i < list.n; i++)
        rows[i] = slice_row_of(c, &ids[i], (void *)(uintptr_t)&ids[i]);
    *n = list.n;
    return ERR_OK;
}

/* A subject that is gone meanwhile has no texts any more. */
static err archival_job_apply(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    struct archival_refreshed done;

    for (size_t i = 0; i < n; i++) {
        err e = archival_refresh(c, &(struct archival_ref){*(const struct uuid *)rows[i].data}, &done);

        if (e == ERR_NOT_FOUND || e == ERR_FORBIDDEN) {
            ctx_forgive(c);
            continue;
        }
        TRY(e);
        s->changed += done.published + done.drafts;
    }
    return ERR_OK;
}

const struct job archival_refresh_job = {
    .name = "archival_refresh", .description = "makes the short texts about agents and entities again, of what is known now",
    .schedule = "45 3 * * *", .bound = 20000, .batch = 20, .flags = JOB_DRY_RUN, .due = archival_accounts, .select = archival_job_select,
    .apply = archival_job_apply,
};
