/* The nightly job of archival memory, for jobs_list.c. */
#ifndef LOCI_ARCHIVAL_JOB_H
#define LOCI_ARCHIVAL_JOB_H

#include "job.h"

extern const struct job archival_refresh_job;

#endif
