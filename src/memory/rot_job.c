/* The job that archives what rots, and lists what begins to. */
#include "rot_job.h"

#include "rot.h"

static err rot_job_select_entries(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n)
{
    struct rot_row *found = ARENA_ARRAY(c->arena, struct rot_row, (size_t)s->limit + 1);

    TRY(rot_scan(c, slice_behind(s), (size_t)s->limit, found, n));
    for (size_t i = 0; i < *n; i++)
        rows[i] = slice_row_of(c, &found[i].id, &found[i]);
    return ERR_OK;
}

static err rot_job_apply(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    const struct rot_row *first = rows[0].data; /* what select found lies in one piece */
    struct rot_done done;

    TRY(rot_apply(c, first, n, &done));
    for (size_t i = 0; s->dry && i < done.n_archived; i++)
        slice_would(s, UUID_STR(done.archived[i]), "be archived: rot");
    for (size_t i = 0; s->dry && i < done.n_too_old; i++)
        slice_would(s, UUID_STR(done.too_old[i]), "be removed: older than max_age_days");
    s->changed += (int64_t)(done.n_archived + done.n_too_old);
    if (done.n_too_old)
        slice_count(s, "too_old", (int64_t)done.n_too_old);
    if (done.n_archived)
        slice_count(s, "archived", (int64_t)done.n_archived);
    if (done.n_review)
        slice_count(s, "review", (int64_t)done.n_review);
    return ERR_OK;
}

const struct job rot_detection_job = {
    .name = "rot_detection", .description = "archives stale entries and lists those close to it",
    .schedule = "0 4 * * *", .after = "memory_dedup", .bound = 50000, .batch = 1000, .flags = JOB_DRY_RUN, .due = rot_due,
    .select = rot_job_select_entries, .apply = rot_job_apply,
};
