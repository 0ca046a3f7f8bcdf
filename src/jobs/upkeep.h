/* Keeping the tables of this room small and true: for its own jobs. */
#ifndef LOCI_UPKEEP_H
#define LOCI_UPKEEP_H

#include "job.h"

/* Tasks whose lease is over are ready again, or dead after the third time; *n of them. */
err upkeep_take_back(struct ctx *c, int64_t *n);
/* Tasks that ended long enough ago, at most limit of each status. */
err upkeep_tasks(struct ctx *c, int64_t limit, int64_t *n);
/* Schedulers that have not been heard of for a minute. */
err upkeep_schedulers(struct ctx *c, int64_t *n);
/* The counters of what waits: for the limit on queues and for /metrics. */
err upkeep_count(struct ctx *c);

/* Runs older than that many days, at most limit rows. */
err upkeep_history(struct ctx *c, int64_t days, int64_t limit, int64_t *n);
/* Runs that found nothing, of jobs that fire more often than hourly: of each day older than a week only the last is kept. */
err upkeep_thin_history(struct ctx *c, int64_t *n);

#endif
