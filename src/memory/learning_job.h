/* The job of learnings; src/jobs_list.c lists it. */
#ifndef LOCI_LEARNING_JOB_H
#define LOCI_LEARNING_JOB_H

#include "job.h"

extern const struct job learning_promotion_job;

#endif
