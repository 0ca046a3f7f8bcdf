/* SQL of the tables job_metric and scheduler. */
#ifndef LOCI_STATS_STORE_H
#define LOCI_STATS_STORE_H

#include "engine.h"
#include "task_row.h"

#define STAT_RUNS "runs"                 /* by job, status */
#define STAT_RUN_SECONDS "run_seconds"   /* by job: sum */
#define STAT_RUN_COUNT "run_count"       /* … and of how many */
#define STAT_LAST_SUCCESS "last_success" /* by job: seconds since 1970 */
#define STAT_ROWS "rows"                 /* by job, what */
#define STAT_TASK_SECONDS "task_seconds" /* by kind: sum */
#define STAT_TASK_COUNT "task_count"
#define STAT_RETRIES "retries" /* by kind */
#define STAT_DEAD "dead"       /* by kind */

err stats_store_add(struct ctx *c, const struct stat *stats, size_t n);

struct metric_row {
    const char *name, *subject, *detail;
    double value;
};
err stats_store_all(struct ctx *c, struct metric_row **out, size_t *n);

/* The queue's depth by kind and status; the janitor keeps it for /metrics. */
err stats_store_count_queue(struct ctx *c);

err scheduler_store_put(struct ctx *c, const struct scheduler_row *s); /* insert or heartbeat */
err scheduler_store_remove(struct ctx *c, struct uuid id);
err scheduler_store_list(struct ctx *c, struct scheduler_row **out, size_t *n);
err scheduler_store_bury(struct ctx *c, struct instant silent_since, int64_t *n);

#endif
