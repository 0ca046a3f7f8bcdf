/* The job that packs the recall index of accounts that are not small; src/jobs_list.c lists it. */
#ifndef LOCI_PACK_JOB_H
#define LOCI_PACK_JOB_H

#include "job.h"

extern const struct job recall_warmup_job;

#endif
