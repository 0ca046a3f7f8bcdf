/* The job that merges what says the same; src/jobs_list.c lists it. */
#ifndef LOCI_MERGE_JOB_H
#define LOCI_MERGE_JOB_H

#include "job.h"

extern const struct job memory_dedup_job;

#endif
