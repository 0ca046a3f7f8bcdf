/* The job that lets go of old rows of the access log. */
#ifndef LOCI_ACCESS_LOG_JOB_H
#define LOCI_ACCESS_LOG_JOB_H

#include "job.h"

extern const struct job access_log_cleanup_job;

#endif
