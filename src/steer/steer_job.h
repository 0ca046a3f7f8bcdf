/* The jobs of the room. */
#ifndef LOCI_STEER_JOB_H
#define LOCI_STEER_JOB_H

#include "job.h"

extern const struct job proposal_expiry_job, intervention_policy_tuning_job;

#endif
