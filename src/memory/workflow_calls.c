/* The operations of workflow runs: their pools, who takes part, and their end. */
#include "memory_calls.h"
#include "pool_calls.h"
#include "workflow.h"

#define TAG .tag = "pools"
#define P "/api/v1/ai/workflow_runs/:run_id"
#define RUN(s, m) F_STR(s, m, FIELD_REQUIRED, 1, POOL_REFERENCE, "name of the run: visible ASCII")

/* ---- pools */

struct list_in {
    const char *run_id, *cursor;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    RUN(struct list_in, run_id),
    F_PAGE(struct list_in),
    F_END
};

OP_CALL(WORKFLOW_LIST_POOLS, struct list_in, struct page, workflow_pools(c, in->run_id, in->limit, in->cursor, out),
        .name = "workflow.list_pools", .method = "GET", .path = P "/pools", TAG,
        .summary = "Lists the pools of a workflow run that the caller can read, newest first.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct list_in), OP_OUT(pool_fields, struct pool));

static const struct field CREATE_IN[] = {
    F_STR_AS("run_id", struct pool_new, workflow_run_id, FIELD_REQUIRED, 1, POOL_REFERENCE, "name of the run: visible ASCII"),
    F_STR(struct pool_new, pool_id, FIELD_SLUG, 1, LIMIT_SLUG, "slug; default: generated"),
    F_STR(struct pool_new, name, FIELD_REQUIRED, 1, LIMIT_NAME, "display name"),
    F_STR(struct pool_new, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose"),
    F_ENUM(struct pool_new, pool_type, 0, pool_type, POOL_SHARED_MEMORY, "shared_memory, tool_cache, blackboard or result_cache; in caches "
                                                                          "the first write wins"),
    F_ENUM(struct pool_new, scope, FIELD_NULLABLE, pool_scope, -1, "workflow (default), agent_group, global or temporary"),
    F_OBJECT(struct pool_new, retention_policy, FIELD_NULLABLE, LIMIT_SETTINGS, "{ttl_seconds, max_size_bytes, max_entries, eviction}"),
    F_OBJECT(struct pool_new, metadata, FIELD_NULLABLE, POOL_METADATA, "metadata"),
    F_BOOL(struct pool_new, persist_across_executions, 0, false, "outlives the run"),
    F_END
};

OP_CALL(WORKFLOW_CREATE_POOL, struct pool_new, struct pool, workflow_pool_create(c, in, out),
        .name = "workflow.create_pool", .method = "POST", .path = P "/pools", TAG,
        .summary = "Creates a pool for the participants of a workflow run.",
        .help = "The first pool starts the run: its creator manages all pools and participants of the run. Participants can write.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_CREATES | OP_ETAG, .made_at = "/api/v1/ai/memory_pools",
        OP_IN(CREATE_IN, struct pool_new), OP_OUT(pool_fields, struct pool));

/* ---- participants and the end */

static const struct field RUN_OUT[] = {
    F_STR(struct workflow, run_id, 0, 0, POOL_REFERENCE, "name of the run"),
    F_STR(struct workflow, started_by_kind, 0, 0, 8, "user, agent or system"),
    F_UUID(struct workflow, started_by, 0, "creator of its first pool"),
    F_TIME(struct workflow, started_at, 0, "when"),
    F_TIME(struct workflow, finished_at, FIELD_NULLABLE, "when it was finished"),
    F_UUIDS(struct workflow, participants, 0, WORKFLOW_PARTICIPANTS, "further participants"),
    F_END
};

struct join_in {
    const char *run_id;
    struct uuid agent_id;
};

static const struct field JOIN_IN[] = {
    RUN(struct join_in, run_id),
    F_UUID(struct join_in, agent_id, FIELD_REQUIRED, "id of the agent"),
    F_END
};

OP_CALL(WORKFLOW_JOIN, struct join_in, struct workflow, workflow_join(c, in->run_id, in->agent_id, out),
        .name = "workflow.join", .method = "POST", .path = P "/participants", TAG,
        .summary = "Adds an agent to a workflow run: it can write to all its pools.", .help = "Only for the creator of the run.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT,
        OP_IN(JOIN_IN, struct join_in), OP_OUT(RUN_OUT, struct workflow));

struct finish_in {
    const char *run_id;
    bool keep;
};

static const struct field FINISH_IN[] = {
    RUN(struct finish_in, run_id),
    F_BOOL(struct finish_in, keep, 0, false, "its pools stay"),
    F_END
};

OP_CALL(WORKFLOW_FINISH, struct finish_in, struct workflow, workflow_finish(c, in->run_id, in->keep, out),
        .name = "workflow.finish", .method = "POST", .path = P "/finish", TAG,
        .summary = "Finishes a workflow run: its pools expire a day later, unless they are persistent.", .help = "Only for the creator of the run.",
        .perm = PERM_MEMORY_WRITE,
        OP_IN(FINISH_IN, struct finish_in), OP_OUT(RUN_OUT, struct workflow));

/* ---- tasks */

struct finish_task_in {
    const char *task_execution_id;
};

static const struct field FINISH_TASK_IN[] = {
    F_STR(struct finish_task_in, task_execution_id, FIELD_REQUIRED, 1, POOL_REFERENCE, "task_execution_id of its pools"),
    F_END
};

static const struct field TASK_OUT[] = {
    F_STR(struct task_finished, task_execution_id, 0, 0, POOL_REFERENCE, "id of the task"),
    F_TIME(struct task_finished, finished_at, 0, "when it was finished"),
    F_INT(struct task_finished, pools, 0, 0, 9e15, 0, "number of pools that expire a day later"),
    F_END
};

OP_CALL(TASK_FINISH, struct finish_task_in, struct task_finished, task_finish(c, in->task_execution_id, out),
        .name = "task.finish", .method = "POST", .path = "/api/v1/ai/task_executions/:task_execution_id/finish", TAG,
        .summary = "Finishes a task: pools with its task_execution_id expire a day later, unless they are persistent.",
        .help = "Applies to pools that the caller manages. Pools that expire earlier and archived ones stay unchanged.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT,
        OP_IN(FINISH_TASK_IN, struct finish_task_in), OP_OUT(TASK_OUT, struct task_finished));

const struct op *const workflow_calls_table[] = {&WORKFLOW_LIST_POOLS, &WORKFLOW_CREATE_POOL, &WORKFLOW_JOIN, &WORKFLOW_FINISH,
                                                 &TASK_FINISH, NULL};
