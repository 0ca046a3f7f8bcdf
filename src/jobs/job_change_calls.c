/* Operations that change the timetable: pausing, an account's own settings, everybody's. */
#include "cron.h"
#include "job_calls.h"
#include "job_scope.h"
#include "jobs_calls.h"

#define TAG .tag = "jobs"

/* ---- pause and resume */

struct pause_in {
    const char *name, *reason;
    int scope;
};

static const struct field PAUSE_IN[] = {
    F_JOB_NAME(struct pause_in),
    F_STR(struct pause_in, reason, FIELD_REQUIRED, 1, LIMIT_REASON, "reason, visible to others"),
    F_SCOPE(struct pause_in),
    F_END
};

static err job_change_call_pause_job(struct ctx *c, const void *in, void *out)
{
    const struct pause_in *i = in;
    struct instant now;
    bool everywhere;

    TRY(job_scope_of(c, i->scope, &everywhere));
    TRY(jobs_now(c, &now));
    TRY(job_pause(c, i->name, everywhere, i->reason, now));
    return job_show(c, i->name, everywhere, out);
}

static const struct op PAUSE = {
    .name = "job.pause", .method = "POST", .path = "/api/v1/jobs/:name/pause", TAG,
    .summary = "Pauses a job, for the account or everywhere.",
    .help = "A run in progress continues to its end.",
    .perm = PERM_JOBS_MANAGE, .flags = OP_IDEMPOTENT,
    OP_IN(PAUSE_IN, struct pause_in), OP_OUT(JOB_OUT, struct job_out), .run = job_change_call_pause_job,
};

static err job_change_call_resume(struct ctx *c, const void *in, void *out)
{
    const struct job_name_in *i = in;
    struct instant now;
    bool everywhere;

    TRY(job_scope_of(c, i->scope, &everywhere));
    TRY(jobs_now(c, &now));
    TRY(job_resume(c, i->name, everywhere, now));
    return job_show(c, i->name, everywhere, out);
}

static const struct op RESUME = {
    .name = "job.resume", .method = "POST", .path = "/api/v1/jobs/:name/resume", TAG,
    .summary = "Resumes a paused job.",
    .help = "It continues with the next scheduled run; runs missed during the pause are skipped.",
    .perm = PERM_JOBS_MANAGE, .flags = OP_IDEMPOTENT,
    OP_IN(JOB_NAME_IN, struct job_name_in), OP_OUT(JOB_OUT, struct job_out), .run = job_change_call_resume,
};

/* ---- change */

struct override_in {
    struct given given;
    const char *name, *reason;
    bool enabled;
    const struct json *params;
    int64_t if_version;
};

static const struct field OVERRIDE_IN[] = {
    F_JOB_NAME(struct override_in),
    F_BOOL(struct override_in, enabled, FIELD_UNSAID, true, "enabled for this account"),
    F_OBJECT(struct override_in, params, FIELD_NULLABLE, LIMIT_ATTRS, "parameters of the account; replaces the current ones"),
    F_STR(struct override_in, reason, FIELD_NULLABLE, 0, LIMIT_REASON, "reason why it is off"),
    F_INT(struct override_in, if_version, FIELD_NULLABLE, 1, 9e15, 0, "only if this is its version; the same as If-Match"),
    F_END
};

static err put_override(struct ctx *c, const void *in, void *out)
{
    const struct override_in *i = in;
    struct override_patch p = {.enabled = i->enabled, .params = i->params, .reason = i->reason,
                               .if_version = i->if_version};
    struct instant now;

    p.set = (given(i, enabled) ? OVERRIDE_SET_ENABLED : 0) | (given(i, params) ? OVERRIDE_SET_PARAMS : 0);
    TRY(jobs_now(c, &now));
    return job_override_put(c, i->name, &p, now, out);
}

static const struct op OVERRIDE = {
    .name = "job.override", .method = "PUT", .path = "/api/v1/jobs/:name/override", TAG,
    .summary = "Switches a job off or sets its parameters, for the account.",
    .perm = PERM_JOBS_MANAGE, .flags = OP_IDEMPOTENT | OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(OVERRIDE_IN, struct override_in), OP_OUT(OVERRIDE_OUT, struct job_override), .run = put_override,
};

struct update_in {
    struct given given;
    const char *name, *schedule, *time_zone;
    bool enabled;
    enum job_catchup catchup;
    enum job_overlap overlap;
    int64_t time_box_s, slice_box_s, if_version;
    const struct json *params;
};

static const struct field UPDATE_IN[] = {
    F_JOB_NAME(struct update_in),
    F_STR(struct update_in, schedule, 0, 1, CRON_TEXT_MAX, "five cron fields, a word such as @daily, or @every"),
    F_STR(struct update_in, time_zone, 0, 1, 32, "must be UTC"),
    F_BOOL(struct update_in, enabled, FIELD_UNSAID, true, "enabled; if off, the job never runs"),
    F_ENUM(struct update_in, catchup, FIELD_UNSAID, job_catchup, 0, "what happens with runs missed while no scheduler ran"),
    F_ENUM(struct update_in, overlap, FIELD_UNSAID, job_overlap, 0, "what happens if the previous run is still in progress"),
    F_INT(struct update_in, time_box_s, FIELD_UNSAID, 1, 86400, 3600, "maximum duration of a run in seconds"),
    F_INT(struct update_in, slice_box_s, FIELD_UNSAID, 1, 86400, 120, "seconds per account before the next account has its turn"),
    F_OBJECT(struct update_in, params, 0, LIMIT_ATTRS, "parameters for all accounts; replaces the current ones"),
    F_INT(struct update_in, if_version, FIELD_NULLABLE, 1, 9e15, 0, "only if this is its version; the same as If-Match"),
    F_END
};

static err job_change_call_update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct job_patch p = {.if_version = i->if_version, .schedule = i->schedule, .time_zone = i->time_zone,
                          .enabled = i->enabled, .catchup = i->catchup, .overlap = i->overlap,
                          .time_box_s = i->time_box_s, .slice_box_s = i->slice_box_s, .params = i->params};
    struct instant now;

    p.set = (given(i, schedule) ? JOB_SET_SCHEDULE : 0) | (given(i, enabled) ? JOB_SET_ENABLED : 0) |
            (given(i, catchup) ? JOB_SET_CATCHUP : 0) | (given(i, overlap) ? JOB_SET_OVERLAP : 0) |
            (given(i, time_box_s) ? JOB_SET_TIME_BOX : 0) | (given(i, slice_box_s) ? JOB_SET_SLICE_BOX : 0) |
            (given(i, params) ? JOB_SET_PARAMS : 0);
    TRY(jobs_now(c, &now));
    TRY(job_update(c, i->name, &p, now));
    return job_show(c, i->name, true, out);
}

static const struct op UPDATE = {
    .name = "job.update", .method = "PATCH", .path = "/api/v1/jobs/:name", TAG,
    .summary = "Changes a job's schedule, limits or parameters for all accounts.",
    .perm = PERM_JOBS_MANAGE, .flags = OP_OPERATOR | OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(JOB_OUT, struct job_out), .run = job_change_call_update,
};

const struct op *const job_change_calls_table[] = {&PAUSE, &RESUME, &OVERRIDE, &UPDATE, NULL};
