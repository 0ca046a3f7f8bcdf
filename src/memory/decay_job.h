/* Jobs of decay; src/jobs_list.c lists them. */
#ifndef LOCI_DECAY_JOB_H
#define LOCI_DECAY_JOB_H

#include "job.h"

extern const struct job learning_decay_job;
extern const struct job memory_decay_job; /* entries, and keys of pools */

#endif
