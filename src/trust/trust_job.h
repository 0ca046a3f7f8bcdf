/* The job of trust, for jobs_list.c. */
#ifndef LOCI_TRUST_JOB_H
#define LOCI_TRUST_JOB_H

#include "job.h"

extern const struct job trust_decay_job;

#endif
