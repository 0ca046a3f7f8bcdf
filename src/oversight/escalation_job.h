/* The job of escalations. */
#ifndef LOCI_ESCALATION_JOB_H
#define LOCI_ESCALATION_JOB_H

#include "job.h"

extern const struct job escalation_timeout_job;

#endif
