/* The jobs of the graph of skills; src/jobs_list.c lists them. */
#ifndef LOCI_SKILLGRAPH_JOB_H
#define LOCI_SKILLGRAPH_JOB_H

#include "job.h"

extern const struct job skill_conflict_scan_job, skill_proposal_expiry_job, skill_stale_decay_job, skill_gap_detection_job,
    skill_refinement_job;

#endif
