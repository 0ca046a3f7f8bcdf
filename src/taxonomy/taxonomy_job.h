/* Jobs of tags. */
#ifndef LOCI_TAXONOMY_JOB_H
#define LOCI_TAXONOMY_JOB_H

#include "job.h"

extern const struct job node_decay_job, taxonomy_hebbian_job, taxonomy_reconcile_job, fp_growth_job, pattern_promote_job;

#endif
