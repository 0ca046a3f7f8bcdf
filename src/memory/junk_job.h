/* The job of the junk audit; src/jobs_list.c lists it. */
#ifndef LOCI_JUNK_JOB_H
#define LOCI_JUNK_JOB_H

#include "job.h"

extern const struct job junk_audit_job;

#endif
