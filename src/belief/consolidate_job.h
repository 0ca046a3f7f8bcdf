/* The task and the sweep of consolidation. */
#ifndef LOCI_CONSOLIDATE_JOB_H
#define LOCI_CONSOLIDATE_JOB_H

#include "job.h"

extern const struct task_kind consolidate_kind;
extern const struct job consolidate_sweep_job;

#endif
