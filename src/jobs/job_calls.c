/* Operations on the timetable: looking at it, and running a job now. */
#include <math.h>

#include "cron.h"
#include "job_calls.h"
#include "job_scope.h"
#include "job_service.h"
#include "jobs_calls.h"

#define TAG .tag = "jobs"
#define PREVIEW_FIRINGS 10

/* ---- what a job looks like */

struct param_out {
    const char *name, *type, *help;
    const struct json *value, *min, *max, *otherwise;
};

static const struct field PARAM_OUT[] = {
    F_STR(struct param_out, name, 0, 0, 0, "name"),
    F_STR(struct param_out, type, 0, 0, 0, "integer, number or boolean"),
    F_JSON(struct param_out, value, 0, 100, "value for this account"),
    F_JSON(struct param_out, min, 0, 100, "smallest value"),
    F_JSON(struct param_out, max, 0, 100, "largest value"),
    F_JSON(struct param_out, otherwise, 0, 100, "default"),
    F_STR(struct param_out, help, FIELD_NULLABLE, 0, 0, "description"),
    F_END
};

const struct field OVERRIDE_OUT[] = {
    F_STR(struct job_override, job_name, 0, 0, 0, "name of the job"),
    F_BOOL(struct job_override, enabled, 0, 0, "enabled for this account"),
    F_OBJECT(struct job_override, params, 0, LIMIT_ATTRS, "parameters of the account, over those of the job"),
    F_STR(struct job_override, reason, FIELD_NULLABLE, 0, 0, "reason why it is off"),
    F_STR(struct job_override, updated_by, FIELD_NULLABLE, 0, 0, "who changed it last"),
    F_TIME(struct job_override, updated_at, FIELD_NULLABLE, "when"),
    F_INT(struct job_override, version, 0, 0, 9e15, 0, "version; 0: no settings yet"),
    F_END
};

const struct field JOB_OUT[] = {
    F_STR(struct job_out, name, 0, 0, 0, "name"),
    F_STR(struct job_out, description, 0, 0, 0, "description"),
    F_STR(struct job_out, schedule, 0, 0, 0, "five cron fields, a word such as @daily, or @every"),
    F_STR(struct job_out, time_zone, 0, 0, 0, "UTC"),
    F_BOOL(struct job_out, enabled, 0, 0, "enabled; if off, the job never runs"),
    F_TIME(struct job_out, paused_at, FIELD_NULLABLE, "paused everywhere since"),
    F_STR(struct job_out, paused_by, FIELD_NULLABLE, 0, 0, "who paused it"),
    F_STR(struct job_out, pause_reason, FIELD_NULLABLE, 0, 0, "why"),
    F_TIME(struct job_out, next_fire_at, FIELD_NULLABLE, "next scheduled run"),
    F_TIME(struct job_out, last_fire_at, FIELD_NULLABLE, "last scheduled run"),
    F_STRS(struct job_out, next, 0, NEXT_FIRINGS, "next scheduled runs; none while it is off or paused"),
    F_ENUM(struct job_out, catchup, 0, job_catchup, 0, "what happens with runs missed while no scheduler ran"),
    F_ENUM(struct job_out, overlap, 0, job_overlap, 0, "what happens if the previous run is still in progress"),
    F_STR(struct job_out, after, FIELD_NULLABLE, 0, 0, "runs after this job's run of the same day"),
    F_ENUM(struct job_out, after_policy, 0, after_policy, 0, "whether that run must have succeeded"),
    F_INT(struct job_out, time_box_s, 0, 0, 0, 0, "maximum duration of a run in seconds"),
    F_INT(struct job_out, slice_box_s, 0, 0, 0, 0, "seconds per account before the next account has its turn"),
    F_INT(struct job_out, bound, 0, 0, 0, 0, "maximum rows per account and run; 0: no limit"),
    F_BOOL(struct job_out, continuous, 0, 0, "runs continuously and keeps one run record per hour"),
    F_BOOL(struct job_out, installation, 0, 0, "concerns the installation, not single accounts"),
    F_BOOL(struct job_out, essential, 0, 0, "cannot be paused or switched off"),
    F_BOOL(struct job_out, can_dry_run, 0, 0, "supports dry runs"),
    F_BOOL(struct job_out, deletes, 0, 0, "deletes data, but not of an account under legal hold"),
    F_LIST(struct job_out, params, 0, 64, PARAM_OUT, struct param_out, "parameters"),
    F_OBJ(struct job_out, last_run, FIELD_NULLABLE, RUN_OUT, struct run_out, "last run; for an account its last part of a run"),
    F_INT(struct job_out, runs, 0, 0, 0, 0, "runs of the last 30 days"),
    F_NUM(struct job_out, success_rate, FIELD_NULLABLE, 0, 1, 0, "success rate of these runs"),
    F_NUM(struct job_out, mean_seconds, FIELD_NULLABLE, 0, 0, 0, "average duration"),
    F_OBJ(struct job_out, override, 0, OVERRIDE_OUT, struct job_override, "settings of the account"),
    F_INT(struct job_out, version, 0, 1, 9e15, 1, "version; increases with every change by an operator"),
    F_END
};

static struct json *job_call_number(struct arena *a, const struct job_param *p, double v)
{
    if (p->type == PARAM_BOOL)
        return json_bool(a, v > 0);
    return p->type == PARAM_INT ? json_int(a, llround(v)) : json_num(a, v);
}

static struct list job_call_params_of(struct ctx *c, const struct job_view *v)
{
    static const char *const TYPES[] = {"integer", "number", "boolean"};
    const struct json *set = json_merge_patch(c->arena, v->row.params, v->override.params);
    struct param_out *all;
    size_t n = 0;

    for (const struct job_param *p = v->job ? v->job->params : NULL; p && p->name; p++)
        n++;
    all = ARENA_ARRAY(c->arena, struct param_out, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct job_param *p = &v->job->params[i];
        const struct json *value = json_get(set, p->name);

        all[i] = (struct param_out){
            p->name, TYPES[p->type], p->help, value ? value : job_call_number(c->arena, p, p->otherwise),
            job_call_number(c->arena, p, p->min), job_call_number(c->arena, p, p->max), job_call_number(c->arena, p, p->otherwise)};
    }
    return (struct list){all, n};
}

static struct strs times(struct ctx *c, const struct instant *t, size_t n)
{
    const char **v = ARENA_ARRAY(c->arena, const char *, n + 1);

    for (size_t i = 0; i < n; i++)
        v[i] = instant_text(t[i], arena_alloc(c->arena, INSTANT_TEXT));
    return (struct strs){v, n};
}

static void job_call_fill(struct ctx *c, const struct job_view *v, struct job_out *o)
{
    const struct job_row *r = &v->row;
    unsigned flags = v->job ? v->job->flags : 0;

    *o = (struct job_out){
        .name = r->name, .description = r->description, .schedule = r->schedule, .time_zone = r->time_zone,
        .after = r->after, .paused_by = r->paused_by, .pause_reason = r->pause_reason, .enabled = r->enabled,
        .continuous = job_is_continuous(r->schedule), .can_dry_run = flags & JOB_DRY_RUN,
        .deletes = v->job && v->job->purge,
        .installation = flags & JOB_INSTALLATION, .essential = flags & JOB_ESSENTIAL, .paused_at = r->paused_at,
        .next_fire_at = r->next_fire_at, .last_fire_at = r->last_fire_at, .catchup = r->catchup, .overlap = r->overlap,
        .after_policy = r->after_policy, .time_box_s = r->time_box_s, .slice_box_s = r->slice_box_s,
        .bound = v->job ? v->job->bound : 0, .version = r->version, .runs = v->average.runs,
        .success_rate = v->average.runs ? (double)v->average.succeeded / (double)v->average.runs : (double)NAN,
        .mean_seconds = v->average.runs ? v->average.seconds : (double)NAN, .next = times(c, v->next, v->n_next),
        .params = job_call_params_of(c, v)};
    o->override = arena_memdup(c->arena, &v->override, sizeof v->override);
    if (v->has_run) {
        struct run_out last = run_out_of(&v->last);

        o->last_run = arena_memdup(c->arena, &last, sizeof last);
    }
}

/* ---- list and get */

struct scope_in {
    int scope;
};

static const struct field LIST_IN[] = {
    F_SCOPE(struct scope_in),
    F_END
};

static err job_call_list(struct ctx *c, const void *in, void *out)
{
    struct job_view *views;
    struct job_out *items;
    bool everywhere;
    size_t n;

    TRY(job_scope_of(c, ((const struct scope_in *)in)->scope, &everywhere));
    TRY(job_view_list(c, everywhere, &views, &n));
    items = ARENA_ARRAY(c->arena, struct job_out, n + 1);
    for (size_t i = 0; i < n; i++)
        job_call_fill(c, &views[i], &items[i]);
    *(struct page *)out = (struct page){.items = items, .n = n};
    return ERR_OK;
}

static const struct op LIST = {
    .name = "job.list", .method = "GET", .path = "/api/v1/jobs", .tool = "list_jobs", TAG,
    .summary = "Lists all jobs with schedule, next runs and last run.",
    .perm = PERM_JOBS_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct scope_in), OP_OUT(JOB_OUT, struct job_out), .run = job_call_list,
};

const struct field JOB_NAME_IN[] = {
    F_JOB_NAME(struct job_name_in),
    F_SCOPE(struct job_name_in),
    F_END
};

err job_show(struct ctx *c, const char *name, bool everywhere, struct job_out *out)
{
    struct job_view view;

    TRY(job_view_get(c, name, everywhere, &view));
    job_call_fill(c, &view, out);
    return ERR_OK;
}

static err job_call_get(struct ctx *c, const void *in, void *out)
{
    const struct job_name_in *i = in;
    bool everywhere;

    TRY(job_scope_of(c, i->scope, &everywhere));
    return job_show(c, i->name, everywhere, out);
}

static const struct op GET = {
    .name = "job.get", .method = "GET", .path = "/api/v1/jobs/:name", TAG,
    .summary = "Returns one job with schedule, next runs and last run.",
    .perm = PERM_JOBS_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
    OP_IN(JOB_NAME_IN, struct job_name_in), OP_OUT(JOB_OUT, struct job_out), .run = job_call_get,
};

/* ---- run now */

struct run_in {
    const char *name;
    bool dry_run;
    const struct json *params;
    int scope;
};

static const struct field RUN_IN[] = {
    F_JOB_NAME(struct run_in),
    F_BOOL(struct run_in, dry_run, 0, false, "dry run: count the rows that would change and name up to 20, but change nothing"),
    F_OBJECT(struct run_in, params, FIELD_NULLABLE, LIMIT_ATTRS, "parameters for this run only"),
    F_SCOPE(struct run_in),
    F_END
};

struct run_answer {
    struct uuid id, run_id;
};

static const struct field RUN_ANSWER[] = {
    F_UUID(struct run_answer, id, 0, "id of the run; see get_job_run"),
    F_UUID(struct run_answer, run_id, 0, "same as id"),
    F_END
};

static err job_call_run(struct ctx *c, const void *in, void *out)
{
    const struct run_in *i = in;
    struct run_request r = {.job = i->name, .dry_run = i->dry_run, .params = i->params};
    struct run_answer *o = out;
    struct instant now;

    TRY(job_scope_of(c, i->scope, &r.everywhere));
    TRY(jobs_now(c, &now));
    TRY(job_run_request(c, &r, now, &o->id));
    o->run_id = o->id;
    return ERR_OK;
}

static const struct op RUN = {
    .name = "job.run", .method = "POST", .path = "/api/v1/jobs/:name/run", .tool = "run_job", TAG,
    .summary = "Runs a job now.",
    .help = "Only one requested run at a time: 409 while another is in progress.",
    .perm = PERM_JOBS_RUN, .flags = OP_ACCEPTED,
    OP_IN(RUN_IN, struct run_in), OP_OUT(RUN_ANSWER, struct run_answer), .run = job_call_run,
};

/* ---- preview */

struct preview_in {
    const char *cron;
};

static const struct field PREVIEW_IN[] = {
    F_STR(struct preview_in, cron, FIELD_REQUIRED | FIELD_RAW, 1, CRON_TEXT_MAX, "schedule to check"),
    F_END
};

struct preview_out {
    const char *cron;
    struct strs next;
};

static const struct field PREVIEW_OUT[] = {
    F_STR(struct preview_out, cron, 0, 0, 0, "the schedule"),
    F_STRS(struct preview_out, next, 0, PREVIEW_FIRINGS, "next ten runs, UTC"),
    F_END
};

static err job_call_preview(struct ctx *c, const void *in, void *out)
{
    const struct preview_in *i = in;
    struct preview_out *o = out;
    struct instant now, next[PREVIEW_FIRINGS];
    size_t n;

    TRY(jobs_now(c, &now));
    TRY(cron_preview(c, i->cron, now, next, PREVIEW_FIRINGS, &n));
    *o = (struct preview_out){i->cron, times(c, next, n)};
    return ERR_OK;
}

static const struct op PREVIEW = {
    .name = "job.preview", .method = "GET", .path = "/api/v1/jobs/preview", TAG,
    .summary = "Returns the next ten runs of a schedule, or the position of its error.",
    .perm = PERM_JOBS_RUN, .flags = OP_READONLY | OP_IDEMPOTENT,
    OP_IN(PREVIEW_IN, struct preview_in), OP_OUT(PREVIEW_OUT, struct preview_out), .run = job_call_preview,
};

const struct op *const job_calls_table[] = {&LIST, &GET, &RUN, &PREVIEW, NULL};
