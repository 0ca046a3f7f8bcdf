/* Workflow runs and their context pools; see workflow.h. */
#include "workflow.h"

#include <string.h>

#include "audit.h"
#include "db.h"
#include "grant.h"
#include "workflow_store.h"

static err workflow_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such workflow run");
}

static err check_run_id(struct ctx *c, const char *run_id)
{
    for (const char *p = run_id; *p; p++)
        if (*p <= 0x20 || *p > 0x7e)
            return fail_field(c, "/run_id", "run_id must be 1 to %d visible ASCII characters", POOL_REFERENCE);
    return ERR_OK;
}

static bool is_starter(const struct ctx *c, const struct workflow *w)
{
    return uuid_eq(c->who->id, w->started_by) &&
           str_eq(w->started_by_kind, enumx_name(&principal_kind_enumx, (int)c->who->kind));
}

static bool takes_part(const struct ctx *c, const struct workflow *w)
{
    for (size_t i = 0; c->who->kind == PRINCIPAL_AGENT && i < w->participants.n; i++)
        if (uuid_eq(w->participants.v[i], c->who->id))
            return true;
    return is_starter(c, w);
}

/* The run, for one who takes part; `leads`: for who started it. */
static err workflow_lock(struct ctx *c, const char *run_id, bool leads, struct workflow *w)
{
    bool found;

    TRY(workflow_store_lock(c, run_id, &found, w));
    if (!found || !takes_part(c, w))
        return workflow_missing(c);
    if (leads && !is_starter(c, w))
        return fail(c, ERR_FORBIDDEN, "only the creator of the run may do this");
    if (w->finished_at.us)
        return fail_reason(c, ERR_CONFLICT, "finished", "the run is finished");
    return ERR_OK;
}

static err workflow_record(struct ctx *c, const char *kind, const struct workflow *w, const char *member, const char *value)
{
    struct json *said = json_obj(c->arena);

    json_set_str(c->arena, said, "workflow_run_id", w->run_id);
    json_set_str(c->arena, said, member, value);
    return audit_add(c, &(struct audit){.kind = kind, .subject_kind = "workflow_run", .payload = said});
}

/* ---- who may do what with the pools of a run */

/* Nobody has less than before. */
static err raise_grant(struct ctx *c, struct uuid space_id, enum grantee_kind kind, struct uuid id, enum access_level level)
{
    const char *text = arena_strdup(c->arena, UUID_STR(id));
    struct grant *rows, after = {.space_id = space_id, .grantee_kind = kind, .grantee_id = text, .level = level};
    size_t n;

    TRY(grants_of(c, space_id, &rows, &n));
    for (size_t i = 0; i < n; i++)
        if (rows[i].grantee_kind == kind && str_eq(rows[i].grantee_id, text)) {
            if (rows[i].level >= level && !rows[i].expires_at.us)
                return ERR_OK;
            after = rows[i];
            after.level = after.level > level ? after.level : level;
            after.expires_at = (struct instant){0};
            return grant_replace(c, &rows[i], &after);
        }
    return grant_replace(c, NULL, &after);
}

static err open_to_run(struct ctx *c, struct uuid space_id, const struct workflow *w)
{
    enum grantee_kind starter = str_eq(w->started_by_kind, "user") ? GRANTEE_USER : GRANTEE_AGENT;

    for (size_t i = 0; i < w->participants.n; i++)
        TRY(raise_grant(c, space_id, GRANTEE_AGENT, w->participants.v[i], ACCESS_WRITE));
    return is_starter(c, w) ? ERR_OK : raise_grant(c, space_id, starter, w->started_by, ACCESS_MANAGE);
}

/* ---- pools */

struct making {
    const struct pool_new *in;
    struct pool *out;
};

static err workflow_create_body(struct ctx *c, void *arg)
{
    const struct making *m = arg;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, WORKFLOW_POOLS);
    struct workflow w;
    size_t n;

    TRY(workflow_store_start(c, m->in->workflow_run_id));
    TRY(workflow_lock(c, m->in->workflow_run_id, false, &w));
    TRY(workflow_store_pools(c, w.run_id, ids, WORKFLOW_POOLS, &n));
    if (n == WORKFLOW_POOLS)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "a run can have at most %d pools", WORKFLOW_POOLS);
    TRY(pool_create(c, m->in, m->out));
    return open_to_run(c, m->out->id, &w);
}

err workflow_pool_create(struct ctx *c, const struct pool_new *in, struct pool *out)
{
    struct making m = {in, out};

    TRY(check_run_id(c, in->workflow_run_id));
    if (in->pool_type < POOL_SHARED_MEMORY)
        return fail_field(c, "/pool_type", "pool_type of a run must be shared_memory, tool_cache, blackboard or result_cache");
    return db_tx(c, workflow_create_body, &m);
}

err workflow_pools(struct ctx *c, const char *run_id, int64_t limit, const char *cursor, struct page *out)
{
    TRY(check_run_id(c, run_id));
    return pool_list(c, &(struct pool_filter){ .pool_type = -1, .scope = -1, .workflow_run_id = run_id, .limit = limit,
                                               .cursor = cursor }, out);
}

/* ---- participants and the end */

struct changing {
    const char *run_id;
    struct uuid agent_id;
    bool keep;
    struct workflow *out;
};

static err join_body(struct ctx *c, void *arg)
{
    const struct changing *h = arg;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, WORKFLOW_POOLS);
    const char *text = arena_strdup(c->arena, UUID_STR(h->agent_id));
    struct workflow *w = h->out;
    bool yes;
    size_t n;

    TRY(workflow_lock(c, h->run_id, true, w));
    TRY(grant_can_be_to(c, GRANTEE_AGENT, text, &yes));
    if (!yes)
        return fail_field(c, "/agent_id", "no such agent in this account");
    if (w->participants.n == WORKFLOW_PARTICIPANTS)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "a run can have at most %d participants", WORKFLOW_PARTICIPANTS);
    TRY(workflow_store_join(c, h->run_id, h->agent_id));
    TRY(workflow_store_pools(c, h->run_id, ids, WORKFLOW_POOLS, &n));
    for (size_t i = 0; i < n; i++)
        TRY(raise_grant(c, ids[i], GRANTEE_AGENT, h->agent_id, ACCESS_WRITE));
    TRY(workflow_record(c, "workflow_run.join", w, "agent_id", text));
    return workflow_lock(c, h->run_id, true, w);
}

err workflow_join(struct ctx *c, const char *run_id, struct uuid agent_id, struct workflow *out)
{
    struct changing h = {.run_id = run_id, .agent_id = agent_id, .out = out};

    TRY(check_run_id(c, run_id));
    return db_tx(c, join_body, &h);
}

static err end_pools(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct instant end = {c->now.us + WORKFLOW_END_US};
    struct space s;

    for (size_t i = 0; i < n; i++)
        TRY(space_update(c, CHANGE_OF(struct space_change, ids[i], expires_at, end, .by_room = true), &s));
    return ERR_OK;
}

static err finish_body(struct ctx *c, void *arg)
{
    const struct changing *h = arg;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, WORKFLOW_POOLS);
    size_t n = 0;

    TRY(workflow_lock(c, h->run_id, true, h->out));
    TRY(workflow_store_finish(c, h->run_id));
    if (!h->keep)
        TRY(workflow_store_ending_of_run(c, h->run_id, ids, WORKFLOW_POOLS, &n));
    TRY(end_pools(c, ids, n));
    h->out->finished_at = c->now;
    return workflow_record(c, "workflow_run.finish", h->out, "keep", h->keep ? "true" : "false");
}

err workflow_finish(struct ctx *c, const char *run_id, bool keep, struct workflow *out)
{
    struct changing h = {.run_id = run_id, .keep = keep, .out = out};

    TRY(check_run_id(c, run_id));
    return db_tx(c, finish_body, &h);
}

/* ---- tasks */

static err finish_task_body(struct ctx *c, void *arg)
{
    struct task_finished *out = arg;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, WORKFLOW_POOLS), after = {{0}};
    size_t n, managed;

    out->pools = 0;
    do {
        TRY(workflow_store_ending_of_task(c, out->task_execution_id, after, ids, WORKFLOW_POOLS, &n));
        after = n ? ids[n - 1] : after;
        managed = 0;
        for (size_t i = 0; i < n; i++)
            if (access_level(c->access, ids[i]) == ACCESS_MANAGE)
                ids[managed++] = ids[i];
        TRY(end_pools(c, ids, managed));
        out->pools += (int64_t)managed;
    } while (n == WORKFLOW_POOLS);
    return ERR_OK;
}

err task_finish(struct ctx *c, const char *task_execution_id, struct task_finished *out)
{
    struct pool_filter of_task = {.pool_type = -1, .scope = -1, .task_execution_id = task_execution_id, .limit = 1};
    struct page page;

    *out = (struct task_finished){.task_execution_id = task_execution_id, .finished_at = c->now};
    TRY(pool_list(c, &of_task, &page));
    return page.n ? db_tx(c, finish_task_body, out) : fail(c, ERR_NOT_FOUND, "no pool of this task");
}
