/* Workflow runs and the context pools that their participants share. */
#ifndef LOCI_WORKFLOW_H
#define LOCI_WORKFLOW_H

#include "ctx.h"
#include "list.h"
#include "pool.h"

#define WORKFLOW_POOLS 100 /* of one run */
#define WORKFLOW_PARTICIPANTS 500
#define WORKFLOW_END_US DAY_US /* pools of a finished run end so much later */

struct workflow {
    const char *run_id;
    const char *started_by_kind;
    struct uuid started_by;
    struct instant started_at, finished_at;
    struct uuids participants; /* agents, besides who started it */
};

/* The first pool of a run starts it: whoever makes it manages all pools of the run, and says who takes part. Participants make
 * pools, too, and write to all of them. To everybody else the run is not there. */
err workflow_pool_create(struct ctx *c, const struct pool_new *in, struct pool *out);
/* Those that the caller can read. */
err workflow_pools(struct ctx *c, const char *run_id, int64_t limit, const char *cursor, struct page *out);
err workflow_join(struct ctx *c, const char *run_id, struct uuid agent_id, struct workflow *out);
/* Its pools end a day later, unless they are persistent, or keep. */
err workflow_finish(struct ctx *c, const char *run_id, bool keep, struct workflow *out);

struct task_finished {
    const char *task_execution_id;
    struct instant finished_at;
    int64_t pools; /* how many end */
};

/* A task is known only by the pools made with its task_execution_id; ERR_NOT_FOUND where the caller can read none. Those that the
 * caller manages end as the pools of a run do; the others, and those that end earlier, stay as they are. */
err task_finish(struct ctx *c, const char *task_execution_id, struct task_finished *out);

#endif
