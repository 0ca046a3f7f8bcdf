/* The jobs of goals and observations; see watch_job.h. */
#include "watch_job.h"

#include "goal.h"
#include "observation.h"
#include "sensor.h"

static void watch_count(struct slice *s, const char *name, int64_t n)
{
    if (n)
        slice_count(s, name, n);
}

/* ---- goals */

static err goal_maintenance_select(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n)
{
    struct list list;
    struct goal *g;

    TRY(goal_due(c, slice_behind(s), s->limit, &list));
    g = list.v;
    for (size_t i = 0; i < list.n; i++)
        rows[i] = slice_row_of(c, &g[i].id, &g[i]);
    *n = list.n;
    return ERR_OK;
}

static err goal_maintenance_apply(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    struct goals_kept kept = {0};

    TRY(goal_keep(c, rows[0].data, n, &kept)); /* what select found lies in one piece */
    s->changed += kept.abandoned + kept.warned + kept.achieved + kept.moved;
    watch_count(s, "abandoned", kept.abandoned);
    watch_count(s, "warned", kept.warned);
    watch_count(s, "achieved", kept.achieved);
    return ERR_OK;
}

const struct job goal_maintenance_job = {
    .name = "goal_maintenance", .description = "goals without activity for 30 days (paused: 90) are abandoned, a week before that it is "
    "said; those whose check is met are achieved", .schedule = "0 */6 * * *",
    .bound = 5000, .batch = 100, .flags = JOB_DRY_RUN, .due = goal_due_accounts, .select = goal_maintenance_select,
    .apply = goal_maintenance_apply,
};

/* ---- sensors */

static err observation_pipeline_step(struct ctx *c, struct slice *s)
{
    struct sensing done;

    TRY(sensor_pass(c, slice_behind(s), s->limit, &done));
    for (size_t i = 0; i < done.n_failed; i++) {
        slice_failed(s, done.failed[i], "its question failed; the log says why");
        slice_count(s, "sensor_errors", 1);
    }
    s->scanned = done.agents + done.asked;
    s->changed = done.created + done.closed + done.capped;
    s->more = done.agents == s->limit;
    if (s->more)
        slice_go_on(c, s, done.last);
    watch_count(s, "agents", done.agents);
    watch_count(s, "created", done.created);
    watch_count(s, "seen_again", done.seen);
    watch_count(s, "closed", done.closed);
    watch_count(s, "capped", done.capped);
    return ERR_OK;
}

const struct job observation_pipeline_job = {
    .name = "observation_pipeline", .description = "sensors look after agents that are watched: knowledge, jobs, goals, teammates, "
    "refusals",
    .schedule = "*/30 * * * *", .bound = 1000, .batch = 1000, .flags = JOB_DRY_RUN | JOB_STATE,
    .due = sensor_due_accounts, .step = observation_pipeline_step,
};

/* ---- what is over */

static err observation_cleanup_step(struct ctx *c, struct slice *s)
{
    return slice_batch(c, s, observation_expire, "expired");
}

static err observation_cleanup_purge(struct ctx *c, struct slice *s)
{
    return slice_batch(c, s, observation_purge, "deleted");
}

const struct job observation_cleanup_job = {
    .name = "observation_cleanup", .description = "observations whose time is over expire; they are deleted a day later, processed ones "
    "after 7 days",
    .schedule = "45 4 * * *", .bound = 50000, .batch = 1000, .flags = JOB_DRY_RUN, .due = observation_due_accounts,
    .step = observation_cleanup_step, .purge = observation_cleanup_purge,
};
