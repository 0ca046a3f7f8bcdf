/* The operations of the graph of skills. */
#ifndef LOCI_SKILLGRAPH_CALLS_H
#define LOCI_SKILLGRAPH_CALLS_H

#include "op.h"

extern const struct op *const skill_proposal_calls_table[], *const skill_conflict_calls_table[], *const skill_service_calls_table[];

/* Starts a run of the job for the caller's account. */
err skill_job_start(struct ctx *c, const char *job, struct uuid *id);

#endif
