/* The task that decides a promotion, and the sweep over all. */
#ifndef LOCI_PROMOTION_JOB_H
#define LOCI_PROMOTION_JOB_H

#include "job.h"

extern const struct task_kind promotion_kind;
extern const struct job promotion_sweep_job;

#endif
