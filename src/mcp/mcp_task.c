/* Runs of jobs as tasks of the tasks extension: what was begun goes on without the client, which asks how far it is. */
#include <string.h>
#include <time.h>

#include "mcp_impl.h"

#define POLL_MS 1000
#define KEPT_MS 86400000 /* a run is kept for longer: retention.job_run_days */
#define LOOK_US (250 * 1000)
#define ROOM_S 3 /* of the request's time, left for the answer */

bool mcp_takes_tasks(const struct mcp *m)
{
    return json_get(json_get(m->caps, "extensions"), MCP_TASKS) != NULL;
}

const struct op *mcp_answer_op(const struct app *app, const struct op *op)
{
    return op->flags & OP_ACCEPTED ? op_find(app->ops, "job_run.get") : op;
}

static err read_run(struct ctx *c, const char *id, struct call_result *r)
{
    struct json *args = json_obj(c->arena);

    json_set_str(c->arena, args, "id", id);
    return mcp_run(c, "job_run.get", args, r);
}

static bool has_ended(const struct json *run)
{
    const char *status = json_get_str(run, "status");

    return !str_eq(status, "waiting") && !str_eq(status, "running");
}

/* A run that failed is a task that is complete: it has an answer, which says so. */
static const char *task_status(const struct json *run)
{
    if (!has_ended(run))
        return "working";
    return str_eq(json_get_str(run, "status"), "cancelled") ? "cancelled" : "completed";
}

static void set_task(struct ctx *c, struct json *o, const struct json *run)
{
    const char *changed = json_get_str(run, "finished_at");

    json_set_str(c->arena, o, "taskId", json_get_str(run, "id"));
    json_set_str(c->arena, o, "status", task_status(run));
    json_set_str(c->arena, o, "statusMessage", arena_printf(c->arena, "%s is %s", json_get_str(run, "job"), json_get_str(run, "status")));
    json_set_str(c->arena, o, "createdAt", json_get_str(run, "created_at"));
    if (!changed)
        changed = json_get_str(run, "heartbeat_at");
    json_set_str(c->arena, o, "lastUpdatedAt", changed ? changed : json_get_str(run, "created_at"));
    json_set_int(c->arena, o, "ttlMs", KEPT_MS);
    json_set_int(c->arena, o, "pollIntervalMs", POLL_MS);
}

err mcp_task_begun(struct ctx *c, struct uuid run_id, struct json **result)
{
    struct call_result r;

    TRY(read_run(c, arena_strdup(c->arena, UUID_STR(run_id)), &r));
    *result = json_obj(c->arena);
    json_set_str(c->arena, *result, "resultType", "task");
    set_task(c, *result, json_get(r.data, "run"));
    return ERR_OK;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = LOOK_US * 1000}, NULL);
}

static bool is_awaited(struct ctx *c, struct mcp *m)
{
    return !m->peer || !m->peer->is_there || m->peer->is_there(c, m);
}

err mcp_task_wait(struct ctx *c, struct mcp *m, struct uuid run_id, struct call_result *r)
{
    const char *id = arena_strdup(c->arena, UUID_STR(run_id));
    int64_t told = -1;

    for (;;) {
        const struct json *run;
        int64_t done, total;

        TRY(read_run(c, id, r));
        run = json_get(r->data, "run");
        done = json_get_int(run, "progress_done", 0);
        total = json_get_int(run, "progress_total", 0);
        if (total == 0) { /* of one account: it is done, or not */
            total = 1;
            done = has_ended(run);
        }
        if (done > told)
            mcp_progress(c, m, (double)done, (double)total);
        told = done > told ? done : told;
        if (!m->progress || has_ended(run) || !is_awaited(c, m) || (c->deadline_us && ctx_seconds_left(c) <= ROOM_S))
            return ERR_OK;
        nap();
    }
}

/* ---- the methods */

static err no_task(struct ctx *c, struct mcp *m, err e)
{
    if (e != ERR_NOT_FOUND && e != ERR_INVALID && e != ERR_FORBIDDEN)
        return e;
    ctx_forgive(c);
    return mcp_refuse(c, m, MCP_PARAMS, 200, "no such task");
}

/* The run that the message is about, of a client that knows tasks. */
static err asked_run(struct ctx *c, struct mcp *m, struct call_result *r)
{
    const char *id = mcp_param_str(m, "taskId");
    struct json *data;
    err e;

    if (!mcp_takes_tasks(m)) {
        data = json_obj(c->arena);
        json_set(c->arena, json_set(c->arena, json_set(c->arena, data, "requiredCapabilities", json_obj(c->arena)), "extensions",
                                    json_obj(c->arena)), MCP_TASKS, json_obj(c->arena));
        m->fault.data = data;
        return mcp_refuse(c, m, MCP_NO_CAPABILITY, 400, "the client must declare the extension %s", MCP_TASKS);
    }
    if (!id)
        return mcp_refuse(c, m, MCP_PARAMS, 200, "taskId is missing");
    e = read_run(c, id, r);
    return e == ERR_OK ? ERR_OK : no_task(c, m, e);
}

err mcp_tasks_get(struct ctx *c, struct mcp *m, struct json **result)
{
    const struct json *run;
    struct call_result r;
    struct json *structured;

    TRY(asked_run(c, m, &r));
    run = json_get(r.data, "run");
    *result = json_obj(c->arena);
    set_task(c, *result, run);
    if (!str_eq(task_status(run), "completed"))
        return ERR_OK;
    structured = mcp_structured(c, op_find(c->app->ops, "job_run.get"), &r);
    json_set(c->arena, *result, "result", mcp_tool_result(c, mcp_fenced(c->arena, structured), structured,
             str_eq(json_get_str(run, "status"), "failed") || str_eq(json_get_str(run, "status"), "lost")));
    return ERR_OK;
}

err mcp_tasks_cancel(struct ctx *c, struct mcp *m, struct json **result)
{
    struct json *args = json_obj(c->arena);
    struct call_result r;
    err e;

    TRY(asked_run(c, m, &r));
    *result = json_obj(c->arena);
    if (has_ended(json_get(r.data, "run")))
        return ERR_OK;
    json_set_str(c->arena, args, "id", mcp_param_str(m, "taskId"));
    e = mcp_run(c, "job_run.cancel", args, &r);
    if (e != ERR_CONFLICT)
        return e;
    ctx_forgive(c); /* it has ended meanwhile */
    return ERR_OK;
}

/* Our tasks ask nothing of anybody: an answer is taken and has no effect. */
err mcp_tasks_update(struct ctx *c, struct mcp *m, struct json **result)
{
    struct call_result r;

    TRY(asked_run(c, m, &r));
    *result = json_obj(c->arena);
    return ERR_OK;
}
