/* The job of the log of what went into prompts, for jobs_list.c. */
#ifndef LOCI_BRIEF_JOB_H
#define LOCI_BRIEF_JOB_H

#include "job.h"

extern const struct job injection_cleanup_job;

#endif
