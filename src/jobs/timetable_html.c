/* The timetable of jobs, and one job: when, how it went, and by hand. */
#include "jobs_html.h"

#include <string.h>

#include "job_scope.h"
#include "job_service.h"
#include "job_settings_html.h"
#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "task_service.h"

/* ---- what both pages say of a job */

/* As it should be: no badge. */
static void timetable_page_put_state(struct ctx *c, struct json *row, const struct job_view *v)
{
    struct json *badge = v->row.paused_at.us ? model_badge(c->arena, "warn", "paused")
        : !v->row.enabled ? model_badge(c->arena, "off", "switched off")
        : !v->override.enabled ? model_badge(c->arena, "warn", "off for this account") : json_new(c->arena, JSON_NULL);

    json_set(c->arena, row, "state", badge);
}

static bool is_paused(const struct job_view *v)
{
    return v->row.paused_at.us || !v->override.enabled;
}

static const char *pause_reason(const struct job_view *v)
{
    return v->row.paused_at.us ? v->row.pause_reason : !v->override.enabled ? v->override.reason : NULL;
}

static bool may_run(const struct ctx *c, const struct job_view *v, bool everywhere)
{
    return page_may(c, PERM_JOBS_RUN) && v->job && (everywhere || !(v->job->flags & JOB_INSTALLATION));
}

static void put_job(struct ctx *c, struct json *row, const struct job_view *v, bool everywhere)
{
    json_set_str(c->arena, row, "name", v->row.name);
    json_set_str(c->arena, row, "description", v->row.description);
    json_set_str(c->arena, row, "schedule", v->row.schedule);
    json_set_str(c->arena, row, "words", schedule_words(c, v->row.schedule));
    timetable_page_put_state(c, row, v);
    json_set_str(c->arena, row, "pause_reason", pause_reason(v));
    json_set_str(c->arena, row, "after", str_empty(v->row.after) ? NULL : v->row.after);
    put_time(c, row, "next_at", v->n_next ? v->next[0] : (struct instant){0});
    json_set_bool(c->arena, row, "may_run", may_run(c, v, everywhere));
    json_set_bool(c->arena, row, "can_dry_run", v->job && v->job->flags & JOB_DRY_RUN);
}

/* ---- the timetable */

#define STRIP_SHORT 12
#define STRIP_LONG 20

static void timetable_page_put_last(struct ctx *c, struct json *row, const struct job_view *v)
{
    const struct run *r = &v->last;
    const char *words = run_words(c, r);
    struct json *last;

    if (!v->has_run) {
        json_set(c->arena, row, "last", json_new(c->arena, JSON_NULL));
        return;
    }
    last = json_set(c->arena, row, "last", json_obj(c->arena));
    json_set_str(c->arena, last, "href", arena_printf(c->arena, "/admin/jobs/runs/%s", UUID_STR(r->id)));
    put_run_status(c, last, r);
    put_time(c, last, "at", run_passes(c, r) ? r->finished_at : r->started_at.us ? r->started_at : r->fire_at);
    json_set_str(c->arena, last, "duration", run_passes(c, r) ? run_passes(c, r) : run_duration(c, r));
    json_set_str(c->arena, last, "summary", words ? words : arena_printf(c->arena, "%s scanned, %s changed",
                 model_count(c->arena, r->scanned), model_count(c->arena, r->changed)));
}

static err anybody_alive(struct ctx *c, bool *alive)
{
    struct scheduler_row *rows;
    struct instant now;
    size_t n;

    TRY(jobs_now(c, &now));
    TRY(scheduler_list(c, &rows, &n));
    *alive = false;
    for (size_t i = 0; i < n; i++)
        *alive |= now.us - rows[i].heartbeat_at.us <= SCHEDULER_SILENT_S * SECOND_US;
    return ERR_OK;
}

static err timetable(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "jobs");
    struct run_recent recent;
    struct job_view *views;
    bool everywhere, alive;
    size_t n;

    TRY(job_scope_of(c, -1, &everywhere));
    TRY(job_view_list(c, everywhere, &views, &n));
    TRY(run_recent(c, views, n, everywhere, STRIP_SHORT, &recent));
    TRY(anybody_alive(c, &alive));
    for (size_t i = 0; i < n; i++) {
        struct json *row = add_row(c, list);
        const struct run *runs;
        size_t n_runs;

        put_job(c, row, &views[i], everywhere);
        timetable_page_put_last(c, row, &views[i]);
        runs = run_recent_of(&recent, views[i].row.name, &n_runs);
        json_set(c->arena, row, "strip", run_strip(c, runs, n_runs));
    }
    json_set_bool(c->arena, p->model, "alive", alive);
    TRY(put_job_tabs(c, p->model, "timetable"));
    return page_show(p, "jobs");
}

/* ---- one job */

static const struct json *settings_of(struct ctx *c, const struct job_view *v)
{
    return json_merge_patch(c->arena, v->row.params, v->override.params);
}

static void add_details(struct ctx *c, struct json *m, const struct job_view *v)
{
    const struct job_row *r = &v->row;
    bool here = !r->paused_at.us;

    json_set_bool(c->arena, m, "is_paused", is_paused(v));
    put_person(c, m, "paused_by", here ? v->override.updated_by : r->paused_by);
    put_time(c, m, "paused_at", here ? v->override.updated_at : r->paused_at);
    json_set_str(c->arena, m, "catchup", r->catchup == CATCHUP_ONCE ? "run once" :
                 r->catchup == CATCHUP_ALL ? "run each" : "skip");
    json_set_str(c->arena, m, "overlap", r->overlap == OVERLAP_SKIP ? "skip the new run" : "queue one run");
    json_set_str(c->arena, m, "after_policy", r->after_policy == AFTER_SUCCESS ? "if it succeeded" : "regardless of its result");
    json_set_str(c->arena, m, "time_box", model_duration(c->arena, r->time_box_s * SECOND_US));
    json_set_str(c->arena, m, "bound", v->job && v->job->bound ? arena_printf(c->arena, "%s of each account",
                 model_counted(c->arena, v->job->bound, "row", "rows")) : NULL);
    if (!v->average.runs)
        return;
    json_set_str(c->arena, m, "success_rate", arena_printf(c->arena, "%s of %s in 30 days",
                 model_count(c->arena, v->average.succeeded), model_counted(c->arena, v->average.runs, "run", "runs")));
    json_set_bool(c->arena, m, "is_continuous", job_is_continuous(r->schedule));
    if (v->average.seconds <= 0)
        return;
    json_set_str(c->arena, m, "mean_time", model_duration(c->arena, (int64_t)(v->average.seconds * SECOND_US)));
}

static err timetable_page_add_history(struct ctx *c, struct page_call *p, const char *name, bool everywhere)
{
    struct json *list = put_list(c, p->model, "runs");
    struct run_query q = {.job = name, .status = -1, .trigger = -1, .everywhere = everywhere, .limit = LIMIT_PAGE_DEFAULT,
                          .cursor = page_query(p, "cursor")};
    const struct run *r;
    struct page page;

    TRY(run_page(c, &q, &page));
    r = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_run(c, add_row(c, list), &r[i]);
    put_listing(c, p, arena_printf(c->arena, "/admin/jobs/%s", name), &page);
    return ERR_OK;
}

static err timetable_page_add_strip(struct ctx *c, struct json *m, const struct job_view *v, bool everywhere)
{
    struct run_recent recent;

    TRY(run_recent(c, v, 1, everywhere, STRIP_LONG, &recent));
    json_set(c->arena, m, "strip", run_strip(c, recent.runs, recent.n));
    return ERR_OK;
}

err job_page(struct ctx *c, struct page_call *p)
{
    struct json *m = json_set(c->arena, p->model, "job", json_obj(c->arena)), *next = put_list(c, p->model, "next");
    struct job_view v;
    bool everywhere, essential;

    TRY(job_scope_of(c, -1, &everywhere));
    TRY(job_view_get(c, p->params[0], everywhere, &v));
    put_job(c, m, &v, everywhere);
    add_details(c, m, &v);
    for (size_t i = 0; i < (job_is_continuous(v.row.schedule) && v.n_next ? 1 : v.n_next); i++)
        json_push(next, model_time(c->arena, v.next[i], c->now));
    put_params(c, p->model, p, v.job, settings_of(c, &v));
    put_job_settings(c, p, &v, everywhere);
    TRY(timetable_page_add_strip(c, p->model, &v, everywhere));
    TRY(timetable_page_add_history(c, p, v.row.name, everywhere));
    essential = v.job && v.job->flags & JOB_ESSENTIAL;
    json_set_bool(c->arena, p->model, "may_run", may_run(c, &v, everywhere));
    json_set_bool(c->arena, p->model, "can_dry_run", v.job && v.job->flags & JOB_DRY_RUN);
    json_set_bool(c->arena, p->model, "may_pause", page_may(c, PERM_JOBS_MANAGE) && (!essential || is_paused(&v)));
    TRY(put_job_tabs(c, p->model, "timetable"));
    return page_show(p, "job");
}

/* ---- by hand */

static struct json *timetable_page_named(struct ctx *c, const struct page_call *p)
{
    struct json *extra = json_obj(c->arena);

    json_set_str(c->arena, extra, "name", p->params[0]);
    return extra;
}

static err run_now(struct ctx *c, struct page_call *p)
{
    struct json *extra = timetable_page_named(c, p), *params;
    struct call_result r;
    struct job_view v;
    bool everywhere;

    TRY(job_scope_of(c, -1, &everywhere));
    TRY(job_view_get(c, p->params[0], everywhere, &v));
    params = params_typed(c, p, v.job, settings_of(c, &v)); /* for this run alone */
    if (params->first)
        json_set(c->arena, extra, "params", params);
    TRY(page_run(c, p, "job.run", extra, &r));
    page_say(c, p, "ok", page_form(p, "dry_run") ? "Dry run requested: nothing will be changed." : "Run requested.");
    return page_go(c, p, "/admin/jobs/runs/%s", UUID_STR(r.id));
}

static err timetable_page_pause_job(struct ctx *c, struct page_call *p)
{
    TRY(page_run(c, p, "job.pause", timetable_page_named(c, p), NULL));
    page_say(c, p, "ok", "Job paused. A run in progress continues.");
    return page_go(c, p, "/admin/jobs/%s", p->params[0]);
}

static err timetable_page_resume(struct ctx *c, struct page_call *p)
{
    TRY(page_run(c, p, "job.resume", timetable_page_named(c, p), NULL));
    page_say(c, p, "ok", "Schedule resumed.");
    return page_go(c, p, "/admin/jobs/%s", p->params[0]);
}

const struct page_row timetable_pages[] = {
    {.method = "GET", .path = "/admin/jobs", .name = "page.jobs", .op = "job.list", .perm = PERM_JOBS_READ, .run = timetable,
     .nav = {.label = "Jobs", .icon = "jobs", .key = "j", .heading = "Operations",
             .also = {"/admin/queue", "/admin/tasks", "/admin/schedulers"}}},
    {.method = "GET", .path = "/admin/jobs/:name", .name = "page.job", .op = "job.get", .perm = PERM_JOBS_READ, .run = job_page},
    {.method = "POST", .path = "/admin/jobs/:name/run", .name = "page.job.run", .perm = PERM_JOBS_RUN, .run = run_now,
     .again = job_page},
    {.method = "POST", .path = "/admin/jobs/:name/pause", .name = "page.job.pause", .perm = PERM_JOBS_MANAGE,
     .run = timetable_page_pause_job, .again = job_page},
    {.method = "POST", .path = "/admin/jobs/:name/resume", .name = "page.job.resume", .perm = PERM_JOBS_MANAGE,
     .run = timetable_page_resume, .again = job_page},
    {0},
};
