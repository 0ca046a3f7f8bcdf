/* Operations on the queue, its dead letters, and the schedulers that work on it. */
#include "job_scope.h"
#include "job_service.h"
#include "jobs_calls.h"
#include "task_service.h"

#define TAG .tag = "jobs"

static const struct field TASK_OUT[] = {
    F_UUID(struct task_row, id, 0, "id of the task"),
    F_UUID(struct task_row, account_id, FIELD_NULLABLE, "account; null: the installation"),
    F_UUID(struct task_row, run_id, FIELD_NULLABLE, "run of a job it belongs to"),
    F_STR(struct task_row, kind, 0, 0, 0, "kind of task"),
    F_STR(struct task_row, idem_key, 0, 0, 0, "key of the work; the same work has the same key"),
    F_INT(struct task_row, priority, 0, 0, 9, 0, "priority; 0 is first"),
    F_ENUM(struct task_row, status, 0, task_status, 0, "state"),
    F_OBJECT(struct task_row, payload, 0, LIMIT_TASK_PAYLOAD, "payload, with secrets masked"),
    F_INT(struct task_row, attempts, 0, 0, 0, 0, "tries so far"),
    F_INT(struct task_row, max_attempts, 0, 0, 0, 0, "maximum number of tries"),
    F_BOOL(struct task_row, again, 0, 0, "requested again while running: it runs once more"),
    F_STR(struct task_row, last_error, FIELD_NULLABLE, 0, 0, "why the last try failed"),
    F_JSON(struct task_row, tries, 0, 1e9, "times and errors of failed tries"),
    F_TIME(struct task_row, run_at, 0, "earliest time to run"),
    F_TIME(struct task_row, created_at, 0, "time when it was requested"),
    F_TIME(struct task_row, started_at, FIELD_NULLABLE, "start of the last try"),
    F_TIME(struct task_row, finished_at, FIELD_NULLABLE, "time when it was done, failed or discarded"),
    F_TIME(struct task_row, lease_until, FIELD_NULLABLE, "end of the worker's lease"),
    F_END
};

/* ---- list and get */

struct list_in {
    const char *kind, *cursor;
    int status, scope;
    struct instant older_than;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    F_ENUM(struct list_in, status, FIELD_NULLABLE, task_status, -1, "only tasks with this status"),
    F_STR(struct list_in, kind, FIELD_SLUG, 1, 32, "only tasks of this kind"),
    F_TIME(struct list_in, older_than, FIELD_NULLABLE, "only tasks requested before this time"),
    F_SCOPE(struct list_in),
    F_PAGE(struct list_in),
    F_END
};

static err task_call_list(struct ctx *c, const void *in, void *out)
{
    const struct list_in *i = in;
    struct task_query q = {.status = i->status, .kind = i->kind, .older_than = i->older_than, .limit = i->limit,
                           .cursor = i->cursor};

    TRY(job_scope_of(c, i->scope, &q.everywhere));
    return task_page(c, &q, out);
}

static const struct op LIST = {
    .name = "task.list", .method = "GET", .path = "/api/v1/tasks", TAG,
    .summary = "Lists queued tasks, newest first.",
    .perm = PERM_JOBS_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct list_in), OP_OUT(TASK_OUT, struct task_row), .run = task_call_list,
};

struct id_in {
    struct uuid id;
};

static const struct field ID_IN[] = {
    F_UUID(struct id_in, id, FIELD_REQUIRED, "id of the task"),
    F_END
};

static err task_call_get(struct ctx *c, const void *in, void *out)
{
    bool everywhere;

    TRY(job_scope_of(c, -1, &everywhere));
    return task_get(c, ((const struct id_in *)in)->id, everywhere, out);
}

static const struct op GET = {
    .name = "task.get", .method = "GET", .path = "/api/v1/tasks/:id", TAG,
    .summary = "Returns one queued task.",
    .perm = PERM_JOBS_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT,
    OP_IN(ID_IN, struct id_in), OP_OUT(TASK_OUT, struct task_row), .run = task_call_get,
};

/* ---- dead letters */

static err task_call_retry(struct ctx *c, const void *in, void *out)
{
    struct uuid id = ((const struct id_in *)in)->id;
    struct instant now;
    bool everywhere;

    TRY(job_scope_of(c, -1, &everywhere));
    TRY(jobs_now(c, &now));
    TRY(task_retry(c, id, everywhere, now));
    return task_get(c, id, everywhere, out);
}

static const struct op RETRY = {
    .name = "task.retry", .method = "POST", .path = "/api/v1/tasks/:id/retry", TAG,
    .summary = "Retries a failed task.",
    .perm = PERM_JOBS_MANAGE, OP_IN(ID_IN, struct id_in), OP_OUT(TASK_OUT, struct task_row), .run = task_call_retry,
};

struct discard_in {
    struct uuid id;
    const char *reason;
};

static const struct field DISCARD_IN[] = {
    F_UUID(struct discard_in, id, FIELD_REQUIRED, "id of the task"),
    F_STR(struct discard_in, reason, FIELD_REQUIRED, 1, LIMIT_REASON, "reason"),
    F_END
};

static err task_call_discard(struct ctx *c, const void *in, void *out)
{
    const struct discard_in *i = in;
    struct instant now;
    bool everywhere;

    TRY(job_scope_of(c, -1, &everywhere));
    TRY(jobs_now(c, &now));
    TRY(task_discard(c, i->id, everywhere, i->reason, now));
    return task_get(c, i->id, everywhere, out);
}

static const struct op DISCARD = {
    .name = "task.discard", .method = "POST", .path = "/api/v1/tasks/:id/discard", TAG,
    .summary = "Discards a failed task.",
    .perm = PERM_JOBS_MANAGE, .flags = OP_DESTRUCTIVE,
    OP_IN(DISCARD_IN, struct discard_in), OP_OUT(TASK_OUT, struct task_row), .run = task_call_discard,
};

struct bulk_in {
    const char *kind, *reason;
    struct instant older_than;
    int64_t limit;
    int scope;
};

#define F_BULK \
    F_STR(struct bulk_in, kind, FIELD_REQUIRED | FIELD_SLUG, 1, 32, "kind of the tasks"), \
    F_TIME(struct bulk_in, older_than, FIELD_NULLABLE, "only tasks requested before this time"), \
    F_INT(struct bulk_in, limit, 0, 1, LIMIT_TASK_BULK, LIMIT_TASK_BULK, "maximum number"), \
    F_SCOPE(struct bulk_in)

static const struct field BULK_RETRY_IN[] = {F_BULK, F_END};
static const struct field BULK_DISCARD_IN[] = {
    F_BULK,
    F_STR(struct bulk_in, reason, FIELD_REQUIRED, 1, LIMIT_REASON, "reason"),
    F_END
};

struct bulk_out {
    int64_t tasks;
};

static const struct field BULK_OUT[] = {
    F_INT(struct bulk_out, tasks, 0, 0, 0, 0, "number of tasks"),
    F_END
};

static err task_call_bulk(struct ctx *c, const void *in, void *out)
{
    const struct bulk_in *i = in;
    struct task_query q = {.status = TASK_DEAD, .kind = i->kind, .older_than = i->older_than, .limit = i->limit};
    struct instant now;

    TRY(job_scope_of(c, i->scope, &q.everywhere));
    TRY(jobs_now(c, &now));
    return task_bulk(c, &q, i->reason, now, &((struct bulk_out *)out)->tasks);
}

static const struct op BULK_RETRY = {
    .name = "task.retry_all", .method = "POST", .path = "/api/v1/tasks/retry", TAG,
    .summary = "Retries all failed tasks of a kind.",
    .perm = PERM_JOBS_MANAGE, OP_IN(BULK_RETRY_IN, struct bulk_in), OP_OUT(BULK_OUT, struct bulk_out), .run = task_call_bulk,
};

static const struct op BULK_DISCARD = {
    .name = "task.discard_all", .method = "POST", .path = "/api/v1/tasks/discard", TAG,
    .summary = "Discards all failed tasks of a kind.",
    .perm = PERM_JOBS_MANAGE, .flags = OP_DESTRUCTIVE,
    OP_IN(BULK_DISCARD_IN, struct bulk_in), OP_OUT(BULK_OUT, struct bulk_out), .run = task_call_bulk,
};

/* ---- schedulers */

struct scheduler_out {
    struct uuid id;
    const char *host, *program;
    int64_t pid, threads, running;
    double heartbeat_age_s, clock_skew_s;
    bool stopping;
    struct instant started_at, heartbeat_at;
};

static const struct field SCHEDULER_OUT[] = {
    F_UUID(struct scheduler_out, id, 0, "id of the process"),
    F_STR(struct scheduler_out, host, 0, 0, 0, "host"),
    F_INT(struct scheduler_out, pid, 0, 0, 0, 0, "process id"),
    F_STR(struct scheduler_out, program, 0, 0, 0, "version of Loci"),
    F_INT(struct scheduler_out, threads, 0, 0, 0, 0, "tasks it can run at once"),
    F_INT(struct scheduler_out, running, 0, 0, 0, 0, "tasks in progress"),
    F_NUM(struct scheduler_out, heartbeat_age_s, 0, 0, 0, 0, "seconds since its last heartbeat"),
    F_NUM(struct scheduler_out, clock_skew_s, 0, 0, 0, 0, "clock difference to the database in seconds"),
    F_BOOL(struct scheduler_out, stopping, 0, 0, "draining: takes no new work"),
    F_TIME(struct scheduler_out, started_at, 0, "start time"),
    F_TIME(struct scheduler_out, heartbeat_at, 0, "time of its last heartbeat"),
    F_END
};

static err task_call_schedulers(struct ctx *c, const void *in, void *out)
{
    struct scheduler_row *rows;
    struct scheduler_out *items;
    struct instant now;
    size_t n;

    (void)in;
    TRY(jobs_now(c, &now));
    TRY(scheduler_list(c, &rows, &n));
    items = ARENA_ARRAY(c->arena, struct scheduler_out, n + 1);
    for (size_t i = 0; i < n; i++)
        items[i] = (struct scheduler_out){
            .id = rows[i].id, .host = rows[i].host, .program = rows[i].version, .pid = rows[i].pid,
            .threads = rows[i].threads, .running = rows[i].running, .stopping = rows[i].stopping,
            .heartbeat_age_s = (double)(now.us - rows[i].heartbeat_at.us) / SECOND_US,
            .clock_skew_s = (double)rows[i].skew_us / SECOND_US, .started_at = rows[i].started_at,
            .heartbeat_at = rows[i].heartbeat_at};
    *(struct page *)out = (struct page){.items = items, .n = n};
    return ERR_OK;
}

static const struct op SCHEDULERS = {
    .name = "scheduler.list", .method = "GET", .path = "/api/v1/schedulers", TAG,
    .summary = "Lists the processes that run jobs and tasks.",
    .perm = PERM_JOBS_READ, .flags = OP_OPERATOR | OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_OUT(SCHEDULER_OUT, struct scheduler_out), .run = task_call_schedulers,
};

const struct op *const task_calls_table[] = {&LIST, &GET, &RETRY, &DISCARD, &BULK_RETRY, &BULK_DISCARD, &SCHEDULERS, NULL};
