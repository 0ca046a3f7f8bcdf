/* The job of scratchpads, for jobs_list.c. */
#ifndef LOCI_SCRATCHPAD_JOB_H
#define LOCI_SCRATCHPAD_JOB_H

#include "job.h"

extern const struct job scratchpad_trim_job;

#endif
