/* Running, pausing and changing jobs on somebody's behalf; see job_service.h. */
#include <string.h>

#include "app.h"
#include "audit.h"
#include "cron.h"
#include "db.h"
#include "engine.h"
#include "job_service.h"
#include "principal.h"
#include "run_store.h"
#include "wake.h"

static const char *caller(struct ctx *c)
{
    if (!c->who)
        return "system";
    return c->who->email ? c->who->email : c->who->name ? c->who->name : "system";
}

static err job_change_record(struct ctx *c, const char *kind, const char *job, struct uuid run, struct json *payload)
{
    struct audit a = {.kind = kind, .subject_kind = "job", .subject_id = run, .payload = payload};

    json_set_str(c->arena, payload, "job", job);
    return audit_add(c, &a);
}

static err job_change_find(struct ctx *c, const char *name, bool lock, struct job_row *row, const struct job **job)
{
    bool found;

    TRY(job_store_get(c, name, lock, row, &found));
    *job = job_find(c->app->jobs, name);
    return found && *job ? ERR_OK : fail(c, ERR_NOT_FOUND, "no job '%s'", name);
}

static err job_change_check_params(struct ctx *c, const struct job *job, const struct json *params)
{
    const char *fault = job_params_fault(c->arena, job, params);

    return fault ? fail_field(c, "/params", "%s", fault) : ERR_OK;
}

/* ---- run now */

struct requesting {
    const struct run_request *r;
    struct instant now;
    struct uuid *id;
};

static err make_run(struct ctx *c, const struct requesting *x, struct run *run)
{
    const char *guard = x->r->everywhere
                            ? arena_printf(c->arena, "%s/manual", x->r->job)
                            : arena_printf(c->arena, "%s/manual/%s", x->r->job, UUID_STR(c->account_id));
    bool made = false;

    *run = (struct run){.id = uuid_new(x->now.us), .job_name = x->r->job, .trigger = TRIGGER_MANUAL,
                        .fire_at = x->now, .dry_run = x->r->dry_run, .params = x->r->params, .status = RUN_RUNNING,
                        .expanded = !x->r->everywhere, .requested_by = caller(c), .created_at = x->now,
                        .started_at = x->now, .heartbeat_at = x->now};
    if (!x->r->everywhere)
        run->only_account = c->account_id;
    /* two accounts may ask in the same microsecond, which is part of a run's key */
    for (int i = 0; i < 10 && !made; i++, run->fire_at.us++)
        TRY(run_store_insert(c, run, guard, &made));
    return made ? ERR_OK : fail(c, ERR_CONFLICT, "a requested run of %s is already in progress", x->r->job);
}

static err job_change_request_body(struct ctx *c, void *arg)
{
    struct requesting *x = arg;
    const struct job *job;
    struct json *payload;
    struct job_row row;
    struct run run;
    bool open;

    TRY(job_change_find(c, x->r->job, true, &row, &job));
    if (x->r->dry_run && !(job->flags & JOB_DRY_RUN))
        return fail_field(c, "/dry_run", "%s does not support dry runs", job->name);
    if (!x->r->everywhere && job->flags & JOB_INSTALLATION)
        return fail(c, ERR_FORBIDDEN, "%s concerns the whole installation: only operators may run it", job->name);
    TRY(job_change_check_params(c, job, x->r->params));
    TRY(run_store_manual_open(c, job->name, x->r->everywhere ? (struct uuid){0} : c->account_id, &open));
    if (open)
        return fail(c, ERR_CONFLICT, "a requested run of %s is already in progress", job->name);
    TRY(make_run(c, x, &run));
    *x->id = run.id;
    if (x->r->everywhere) {
        TRY(run_launch(c, &run, x->now));
    } else {
        *x->id = uuid_new(x->now.us);
        TRY(run_store_add_slices(c, &run, &c->account_id, x->id, 1, x->now));
        TRY(slice_launch(c, &run, &c->account_id, x->id, 1, x->now));
    }
    wake_after_tx(c);
    payload = json_obj(c->arena);
    json_set_bool(c->arena, payload, "dry_run", x->r->dry_run);
    return job_change_record(c, "job.run", job->name, *x->id, payload);
}

err job_run_request(struct ctx *c, const struct run_request *r, struct instant now, struct uuid *id)
{
    struct uuid made;
    struct requesting x = {r, now, &made};

    TRY(db_tx(c, job_change_request_body, &x));
    *id = made;
    return ERR_OK;
}

/* ---- cancel */

struct cancelling {
    struct uuid id;
    bool everywhere;
    struct instant now;
};

static err cancel_body(struct ctx *c, void *arg)
{
    struct cancelling *x = arg;
    struct run run;

    TRY(run_get(c, x->id, x->everywhere, &run));
    if (run_has_ended(run.status))
        return fail(c, ERR_CONFLICT, "the run has ended: %s", enumx_name(&run_status_enumx, (int)run.status));
    TRY(run_store_cancel(c, x->id, x->now));
    TRY(task_store_cancel_run(c, x->id, x->now));
    TRY(run_store_cancel_idle_slices(c, x->id, x->now));
    return job_change_record(c, "job.cancel", run.job_name, x->id, json_obj(c->arena));
}

err run_cancel(struct ctx *c, struct uuid id, bool everywhere, struct instant now)
{
    struct cancelling x = {id, everywhere, now};

    return db_tx(c, cancel_body, &x);
}

/* ---- pause and resume */

struct pausing {
    const char *name, *reason;
    bool everywhere, pause;
    struct instant now;
};

static err next_firing(struct ctx *c, const char *schedule, struct instant now, struct instant *next)
{
    struct cron_fault why;
    struct cron cron;

    if (!cron_parse(schedule, now, &cron, &why))
        return fail_field(c, "/schedule", "character %d: %s", why.position, why.message);
    if (!cron_next(&cron, now, next))
        *next = (struct instant){0};
    return ERR_OK;
}

static err pause_account(struct ctx *c, const struct pausing *x)
{
    struct job_override o;

    TRY(override_store_get(c, x->name, &o));
    o.enabled = !x->pause;
    o.reason = x->pause ? x->reason : NULL;
    o.updated_by = caller(c);
    return override_store_put(c, &o, x->now);
}

static err pause_body(struct ctx *c, void *arg)
{
    struct pausing *x = arg;
    struct json *payload = json_obj(c->arena);
    struct instant next;
    const struct job *job;
    struct job_row row;

    TRY(job_change_find(c, x->name, x->everywhere, &row, &job));
    if (x->pause && job->flags & JOB_ESSENTIAL)
        return fail(c, ERR_CONFLICT, "%s is required by the queue and cannot be paused", job->name);
    if (!x->everywhere) {
        TRY(pause_account(c, x));
    } else if (x->pause) {
        TRY(job_store_pause(c, x->name, x->now, caller(c), x->reason, row.next_fire_at, x->now));
    } else {
        TRY(next_firing(c, row.schedule, x->now, &next));
        TRY(job_store_pause(c, x->name, (struct instant){0}, NULL, NULL, next, x->now));
    }
    json_set_bool(c->arena, payload, "everywhere", x->everywhere);
    if (x->reason)
        json_set_str(c->arena, payload, "reason", x->reason);
    return job_change_record(c, x->pause ? "job.pause" : "job.resume", job->name, (struct uuid){0}, payload);
}

err job_pause(struct ctx *c, const char *name, bool everywhere, const char *reason, struct instant now)
{
    struct pausing x = {name, reason, everywhere, true, now};

    return db_tx(c, pause_body, &x);
}

err job_resume(struct ctx *c, const char *name, bool everywhere, struct instant now)
{
    struct pausing x = {name, NULL, everywhere, false, now};

    return db_tx(c, pause_body, &x);
}

/* ---- change */

struct overriding {
    const char *name;
    const struct override_patch *p;
    struct instant now;
    struct job_override *out;
};

static err precondition(struct ctx *c, int64_t wanted, int64_t current)
{
    err e;

    if (!wanted || wanted == current)
        return ERR_OK;
    e = fail(c, ERR_PRECONDITION, "version conflict: the current version is %lld, not %lld", (long long)current, (long long)wanted);
    c->fault.current_version = current;
    return e;
}

static err override_body(struct ctx *c, void *arg)
{
    struct overriding *x = arg;
    const struct job *job;
    struct job_override o;
    struct job_row row;

    TRY(job_change_find(c, x->name, false, &row, &job));
    TRY(override_store_get(c, x->name, &o));
    TRY(precondition(c, x->p->if_version, o.version));
    if (x->p->set & OVERRIDE_SET_ENABLED) {
        if (!x->p->enabled && job->flags & JOB_ESSENTIAL)
            return fail(c, ERR_CONFLICT, "%s is required by the queue and cannot be switched off", job->name);
        o.enabled = x->p->enabled;
        o.reason = x->p->enabled ? NULL : x->p->reason;
    }
    if (x->p->set & OVERRIDE_SET_PARAMS) {
        TRY(job_change_check_params(c, job, x->p->params));
        o.params = x->p->params ? x->p->params : json_obj(c->arena);
    }
    o.updated_by = caller(c);
    TRY(override_store_put(c, &o, x->now));
    TRY(override_store_get(c, x->name, x->out));
    return job_change_record(c, "job.override", job->name, (struct uuid){0}, json_obj(c->arena));
}

err job_override_put(struct ctx *c, const char *name, const struct override_patch *p, struct instant now,
                     struct job_override *out)
{
    struct overriding x = {name, p, now, out};

    return db_tx(c, override_body, &x);
}

struct updating {
    const char *name;
    const struct job_patch *p;
    struct instant now;
};

static err job_change_apply_patch(struct ctx *c, const struct job_patch *p, const struct job *job, struct instant now,
                                  struct job_row *row)
{
    if (p->time_zone && strcmp(p->time_zone, "UTC") != 0)
        return fail_field(c, "/time_zone", "schedules must be in UTC");
    if (p->set & JOB_SET_ENABLED) {
        if (!p->enabled && job->flags & JOB_ESSENTIAL)
            return fail(c, ERR_CONFLICT, "%s is required by the queue and cannot be switched off", job->name);
        row->enabled = p->enabled;
    }
    if (p->set & JOB_SET_SCHEDULE)
        row->schedule = p->schedule;
    if (p->set & JOB_SET_CATCHUP)
        row->catchup = p->catchup;
    if (p->set & JOB_SET_OVERLAP)
        row->overlap = p->overlap;
    if (p->set & JOB_SET_TIME_BOX)
        row->time_box_s = p->time_box_s;
    if (p->set & JOB_SET_SLICE_BOX)
        row->slice_box_s = p->slice_box_s;
    if (p->set & JOB_SET_PARAMS) {
        TRY(job_change_check_params(c, job, p->params));
        row->params = p->params ? p->params : json_obj(c->arena);
    }
    /* switched on or rescheduled: from now on, with nothing to make up for */
    return p->set & (JOB_SET_SCHEDULE | JOB_SET_ENABLED) ? next_firing(c, row->schedule, now, &row->next_fire_at)
                                                         : ERR_OK;
}

static err job_change_update_body(struct ctx *c, void *arg)
{
    struct updating *x = arg;
    const struct job *job;
    struct job_row row;

    TRY(job_change_find(c, x->name, true, &row, &job));
    TRY(precondition(c, x->p->if_version, row.version));
    TRY(job_change_apply_patch(c, x->p, job, x->now, &row));
    TRY(job_store_update(c, &row, x->now));
    return job_change_record(c, "job.update", job->name, (struct uuid){0}, json_obj(c->arena));
}

err job_update(struct ctx *c, const char *name, const struct job_patch *p, struct instant now)
{
    struct updating x = {name, p, now};

    return db_tx(c, job_change_update_body, &x);
}
