/* The job of contexts; src/jobs_list.c lists it. */
#ifndef LOCI_CONTEXT_JOB_H
#define LOCI_CONTEXT_JOB_H

#include "job.h"

extern const struct job context_cleanup_job;

#endif
