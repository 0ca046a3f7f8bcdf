/* The engine's own kinds of task, which every list of kinds must hold, and this room's own jobs. */
#ifndef LOCI_JOBS_OWN_H
#define LOCI_JOBS_OWN_H

#include "job.h"

extern const struct task_kind run_kind;   /* finds the accounts of a run and gives each a slice */
extern const struct task_kind slice_kind; /* one account's part */

extern const struct job queue_janitor_job;   /* lapsed leases, ended tasks, counters, dead schedulers */
extern const struct job history_cleanup_job; /* old runs */

#endif
