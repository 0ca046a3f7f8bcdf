/* The job that shares with everyone what a team learned and used, in accounts that want it. */
#include "learning_job.h"

#include "decay.h"
#include "learning.h"

static err learning_job_select_learnings(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n)
{
    struct learning *found;

    TRY(learning_promotable(c, slice_behind(s), (size_t)s->limit, &found, n));
    for (size_t i = 0; i < *n; i++)
        rows[i] = slice_row_of(c, &found[i].id, &found[i]);
    return ERR_OK;
}

static err learning_job_apply(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    struct learning_promoted done;

    TRY(learning_auto_promote(c, rows[0].data, n, &done)); /* what select found lies in one piece */
    s->changed += done.promoted;
    slice_count(s, "promoted", done.promoted);
    if (done.duplicates)
        slice_count(s, "duplicates", done.duplicates);
    return ERR_OK;
}

const struct job learning_promotion_job = {
    .name = "learning_promotion",
    .description = "copies important, used learnings of teams to the account, if learning.auto_global is set",
    .schedule = "55 3 * * *", .after = "learning_decay", .bound = 1000, .batch = 100, .flags = JOB_DRY_RUN,
    .due = decay_due_learnings, .select = learning_job_select_learnings, .apply = learning_job_apply,
};
