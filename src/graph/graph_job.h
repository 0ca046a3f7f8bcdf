/* The jobs of the five words; src/jobs_list.c lists them. */
#ifndef LOCI_GRAPH_JOB_H
#define LOCI_GRAPH_JOB_H

#include "job.h"

extern const struct job expired_cleanup_job; /* tokens, grants, nodes */
extern const struct job replay_cleanup_job;  /* idempotency keys */
extern const struct job session_cleanup_job; /* lists of browser sessions in Redis */
extern const struct job retention_job;       /* audit trail, outbox */
extern const struct job version_cleanup_job; /* old states of nodes */

#endif
