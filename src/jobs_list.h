/* All jobs and kinds of task of the house. */
#ifndef LOCI_JOBS_LIST_H
#define LOCI_JOBS_LIST_H

#include "job.h"

extern const struct job_list JOBS_ALL;

#endif
