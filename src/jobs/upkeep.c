/* Keeping the tables of this room small and true; see upkeep.h. */
#include "upkeep.h"

#include "app.h"
#include "cron.h"
#include "engine.h"
#include "fold_store.h"
#include "stats_store.h"
#include "task_store.h"

#define DONE_US DAY_US /* as long as a done task's key counts */
#define DEAD_US (30 * DAY_US)
#define SILENT_US (60 * SECOND_US)
#define WHOLE_DAYS 7 /* of empty runs */
#define PAGE 1000

static struct instant upkeep_ago(const struct ctx *c, int64_t us)
{
    return (struct instant){c->now.us - us};
}

err upkeep_take_back(struct ctx *c, int64_t *n)
{
    return queue_take_back(c, c->app->jobs, c->now, n);
}

err upkeep_tasks(struct ctx *c, int64_t limit, int64_t *n)
{
    static const struct {
        enum task_status status;
        int64_t age_us;
    } ENDED[] = {{TASK_DONE, DONE_US}, {TASK_CANCELLED, DONE_US}, {TASK_DEAD, DEAD_US}};

    *n = 0;
    for (size_t i = 0; i < sizeof ENDED / sizeof *ENDED; i++) {
        int64_t gone;

        TRY(task_store_purge(c, ENDED[i].status, upkeep_ago(c, ENDED[i].age_us), limit, &gone));
        *n += gone;
    }
    return ERR_OK;
}

err upkeep_schedulers(struct ctx *c, int64_t *n)
{
    return scheduler_store_bury(c, upkeep_ago(c, SILENT_US), n);
}

err upkeep_count(struct ctx *c)
{
    TRY(task_store_count_groups(c, c->now));
    return stats_store_count_queue(c);
}

/* ---- history */

err upkeep_history(struct ctx *c, int64_t days, int64_t limit, int64_t *n)
{
    return fold_store_purge(c, upkeep_ago(c, days * DAY_US), limit, n);
}

static bool is_frequent(const struct job *job, struct instant now)
{
    struct instant first, second;
    struct cron_fault why;
    struct cron cron;

    return cron_parse(job->schedule, now, &cron, &why) && cron_next(&cron, now, &first) &&
           cron_next(&cron, first, &second) && second.us - first.us < 3600 * SECOND_US;
}

/* Of a page of empty runs in order: those that another one of the same day follows. */
static size_t upkeep_choose(const struct empty_run *rows, size_t n, struct uuid *out)
{
    size_t chosen = 0;

    for (size_t i = 0; i + 1 < n; i++)
        if (rows[i].fire_at.us / DAY_US == rows[i + 1].fire_at.us / DAY_US)
            out[chosen++] = rows[i].id;
    return chosen;
}

static err thin_job(struct ctx *c, const struct job *job, int64_t *n)
{
    struct empty_run *rows = ARENA_ARRAY(c->arena, struct empty_run, PAGE);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, PAGE);
    struct instant after = {0};
    size_t got, chosen;

    do {
        TRY(fold_store_empty_runs(c, job->name, after, upkeep_ago(c, WHOLE_DAYS * DAY_US), rows, PAGE, &got));
        chosen = upkeep_choose(rows, got, ids);
        TRY(fold_store_delete(c, ids, chosen));
        *n += (int64_t)chosen;
        if (got) /* the last one is judged again, beside the first of the next page */
            after.us = rows[got - 1].fire_at.us - 1;
    } while (got == PAGE);
    return ERR_OK;
}

err upkeep_thin_history(struct ctx *c, int64_t *n)
{
    const struct job_list *list = c->app->jobs;

    *n = 0;
    for (size_t i = 0; i < list->n_jobs; i++)
        if (is_frequent(list->jobs[i], c->now))
            TRY(thin_job(c, list->jobs[i], n));
    return ERR_OK;
}
