/* The job that writes the registry as Markdown, for jobs_list.c. */
#ifndef LOCI_SKILLMD_JOB_H
#define LOCI_SKILLMD_JOB_H

#include "job.h"

extern const struct job docs_sync_job;

#endif
