/* What the tables know of jobs and queue, as Prometheus text; without labels that an account could be told by. */
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "job_store.h"
#include "stats_store.h"
#include "task_store.h"

#define ALIVE_US (20 * SECOND_US)

/* One family: a counter of the tables, and how it is called outside. */
struct family {
    const char *stat, *name, *type, *help;
    const char *subject, *detail; /* names of the labels; detail NULL: none */
};

static const struct family FAMILIES[] = {
    {STAT_RUNS, "loci_job_runs_total", "counter", "runs of jobs by how they ended", "job", "status"},
    {STAT_RUN_SECONDS, "loci_job_duration_seconds_sum", NULL, NULL, "job", NULL},
    {STAT_RUN_COUNT, "loci_job_duration_seconds_count", NULL, NULL, "job", NULL},
    {STAT_LAST_SUCCESS, "loci_job_last_success_timestamp_seconds", "gauge", "time of the last successful run", "job", NULL},
    {STAT_ROWS, "loci_job_rows_total", "counter", "rows processed by jobs", "job", "what"},
    {"queue", "loci_queue_tasks", "gauge", "tasks in the queue, counted every 30 seconds", "kind", "status"},
    {STAT_TASK_SECONDS, "loci_task_duration_seconds_sum", NULL, NULL, "kind", NULL},
    {STAT_TASK_COUNT, "loci_task_duration_seconds_count", NULL, NULL, "kind", NULL},
    {STAT_RETRIES, "loci_task_retries_total", "counter", "failed tries of tasks that are retried", "kind", NULL},
    {STAT_DEAD, "loci_task_dead_total", "counter", "tasks that finally failed", "kind", NULL},
};

static void head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_family(struct buf *out, const struct family *f, const struct metric_row *rows, size_t n)
{
    if (f->type)
        head(out, f->name, f->type, f->help);
    else if (strcmp(f->stat, STAT_RUN_SECONDS) == 0)
        head(out, "loci_job_duration_seconds", "summary", "how long runs of jobs took");
    else if (strcmp(f->stat, STAT_TASK_SECONDS) == 0)
        head(out, "loci_task_duration_seconds", "summary", "how long tasks took");
    for (size_t i = 0; i < n; i++) {
        if (strcmp(rows[i].name, f->stat) != 0)
            continue;
        buf_printf(out, "%s{%s=\"%s\"", f->name, f->subject, rows[i].subject);
        if (f->detail)
            buf_printf(out, ",%s=\"%s\"", f->detail, rows[i].detail);
        buf_printf(out, "} %.15g\n", rows[i].value);
    }
}

static err put_counters(struct ctx *c, struct buf *out)
{
    struct metric_row *rows;
    size_t n;

    TRY(stats_store_all(c, &rows, &n));
    for (size_t f = 0; f < sizeof FAMILIES / sizeof *FAMILIES; f++)
        put_family(out, &FAMILIES[f], rows, n);
    return ERR_OK;
}

static err put_oldest(struct ctx *c, struct buf *out, struct instant now)
{
    struct task_group *groups;
    size_t n;

    TRY(task_store_map(c, now, &groups, &n));
    head(out, "loci_queue_oldest_seconds", "gauge", "how long the oldest waiting task has been due");
    for (size_t i = 0; i < n; i++) {
        struct instant oldest = groups[i].oldest;
        bool first = true;

        for (size_t k = 0; k < n; k++) {
            if (strcmp(groups[k].kind, groups[i].kind) != 0)
                continue;
            first = first && k >= i;
            if (groups[k].oldest.us < oldest.us)
                oldest = groups[k].oldest;
        }
        if (first)
            buf_printf(out, "loci_queue_oldest_seconds{kind=\"%s\"} %.3f\n", groups[i].kind,
                       (double)(now.us - oldest.us) / SECOND_US);
    }
    return ERR_OK;
}

static err put_schedulers(struct ctx *c, struct buf *out, struct instant now)
{
    struct scheduler_row *rows;
    int64_t skew = 0;
    size_t n, up = 0;

    TRY(scheduler_store_list(c, &rows, &n));
    for (size_t i = 0; i < n; i++) {
        if (now.us - rows[i].heartbeat_at.us > ALIVE_US)
            continue;
        up++;
        if (llabs(rows[i].skew_us) > llabs(skew))
            skew = rows[i].skew_us;
    }
    head(out, "loci_scheduler_up", "gauge", "schedulers alive");
    buf_printf(out, "loci_scheduler_up %zu\n", up);
    head(out, "loci_scheduler_clock_skew_seconds", "gauge", "largest clock difference between a scheduler and the database");
    buf_printf(out, "loci_scheduler_clock_skew_seconds %.6f\n", (double)skew / SECOND_US);
    return ERR_OK;
}

void jobs_metrics(struct ctx *c, struct buf *out)
{
    struct job_poll poll;
    size_t before = out->len;

    if (job_store_poll(c, &poll) == ERR_OK && put_counters(c, out) == ERR_OK && put_oldest(c, out, poll.now) == ERR_OK &&
        put_schedulers(c, out, poll.now) == ERR_OK)
        return;
    out->len = before; /* half a text is none */
    ctx_forgive(c);
}
