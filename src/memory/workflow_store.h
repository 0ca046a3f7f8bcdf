/* The rows of workflow runs; only workflow.c includes this. */
#ifndef LOCI_WORKFLOW_STORE_H
#define LOCI_WORKFLOW_STORE_H

#include "workflow.h"

/* Starts it, unless it is there. */
err workflow_store_start(struct ctx *c, const char *run_id);
/* Locked until the transaction ends; with its participants. */
err workflow_store_lock(struct ctx *c, const char *run_id, bool *found, struct workflow *out);
err workflow_store_join(struct ctx *c, const char *run_id, struct uuid agent_id);
err workflow_store_finish(struct ctx *c, const char *run_id);
/* Its pools. */
err workflow_store_pools(struct ctx *c, const char *run_id, struct uuid *ids, size_t max, size_t *n);
/* Pools that end because their run or task does. */
err workflow_store_ending_of_run(struct ctx *c, const char *run_id, struct uuid *ids, size_t max, size_t *n);
err workflow_store_ending_of_task(struct ctx *c, const char *task_id, struct uuid after, struct uuid *ids, size_t max, size_t *n);

#endif
