/* locictl job, task. They act in the account that --account names; --all concerns every account. */
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "job_service.h"
#include "jobs_list.h"
#include "task_service.h"

#define ROWS 50

/* Says who is meant, and lets the services see the jobs of this program. */
static bool ctl_job_begin(struct ctl *t, struct instant *now)
{
    bool everywhere = ctl_flag(t, "--all");
    int code;

    t->p.app.jobs = &JOBS_ALL;
    ctl_act_in_account(t);
    code = ctl_result(t, jobs_now(&t->c, now));
    if (code)
        program_die(code, "locictl: cannot read the time of the database");
    return everywhere;
}

static const char *ctl_job_when(struct ctl *t, struct instant at)
{
    return at.us ? instant_text(at, arena_alloc(t->c.arena, INSTANT_TEXT)) : "-";
}

/* The job, once the options with their values are taken. */
static const char *ctl_job_named(struct ctl *t)
{
    const char *name = ctl_word(t);

    if (!name)
        program_die(CTL_USAGE, "locictl: name the job\nusage: locictl %s", t->usage);
    return name;
}

static struct uuid identified(struct ctl *t)
{
    const char *text = ctl_word(t);
    struct uuid id;

    if (!uuid_parse(text, &id))
        program_die(CTL_USAGE, "locictl: give the id, a UUID\nusage: locictl %s", t->usage);
    return id;
}

static int job_list_command(struct ctl *t)
{
    struct job_view *all;
    struct instant now;
    bool everywhere = ctl_job_begin(t, &now);
    size_t n;
    int code;

    ctl_no_more(t);
    code = ctl_result(t, job_view_list(&t->c, everywhere, &all, &n));
    for (size_t i = 0; !code && i < n; i++)
        printf("%-28s %-14s next %-28s last %-10s %s\n", all[i].row.name, all[i].row.schedule, ctl_job_when(t, all[i].row.next_fire_at),
               all[i].has_run ? enumx_name(&run_status_enumx, (int)all[i].last.status) : "-",
               all[i].row.paused_at.us ? "paused" : all[i].row.enabled ? "" : "off");
    return code;
}

/* --params, as the job declares them. */
static const struct json *ctl_job_params(struct ctl *t)
{
    const char *text = ctl_option(t, "--params"), *why;
    struct json *out = NULL;

    if (text && (json_parse(t->c.arena, text, strlen(text), &out, &why) != JSON_OK || out->type != JSON_OBJ))
        program_die(CTL_USAGE, "locictl: --params must be a JSON object such as '{\"all\":true}'\nusage: locictl %s", t->usage);
    return out;
}

static int request_run(struct ctl *t, bool dry)
{
    struct run_request r = {.dry_run = dry, .params = ctl_job_params(t)};
    struct instant now;
    struct uuid id;
    int code;

    r.everywhere = ctl_job_begin(t, &now);
    r.job = ctl_job_named(t);
    ctl_no_more(t);
    code = ctl_result(t, job_run_request(&t->c, &r, now, &id));
    if (!code)
        printf("%s\n", UUID_STR(id));
    return code;
}

static int job_run_command(struct ctl *t)
{
    return request_run(t, false);
}

static int job_dry_run_command(struct ctl *t)
{
    return request_run(t, true);
}

static int job_pause_command(struct ctl *t)
{
    const char *reason = ctl_need(t, "--reason"), *name;
    struct instant now;
    bool everywhere = ctl_job_begin(t, &now);

    name = ctl_job_named(t);
    ctl_no_more(t);
    return ctl_result(t, job_pause(&t->c, name, everywhere, reason, now));
}

static int job_resume_command(struct ctl *t)
{
    struct instant now;
    bool everywhere = ctl_job_begin(t, &now);
    const char *name = ctl_job_named(t);

    ctl_no_more(t);
    return ctl_result(t, job_resume(&t->c, name, everywhere, now));
}

static int job_cancel_command(struct ctl *t)
{
    struct instant now;
    bool everywhere = ctl_job_begin(t, &now);
    struct uuid id = identified(t);

    ctl_no_more(t);
    return ctl_result(t, run_cancel(&t->c, id, everywhere, now));
}

static int job_runs_command(struct ctl *t)
{
    struct run_query q = {.status = -1, .trigger = -1, .limit = ROWS};
    struct instant now;
    struct page page = {0};
    int code;

    q.everywhere = ctl_job_begin(t, &now);
    q.job = ctl_word(t);
    ctl_no_more(t);
    code = ctl_result(t, run_page(&t->c, &q, &page));
    for (size_t i = 0; !code && i < page.n; i++) {
        const struct run *r = (struct run *)page.items + i;

        printf("%s %-22s %-9s %-28s scanned %lld changed %lld failed %lld%s%s\n", UUID_STR(r->id), r->job_name,
               enumx_name(&run_status_enumx, (int)r->status), ctl_job_when(t, r->started_at), (long long)r->scanned,
               (long long)r->changed, (long long)r->failed, r->error ? "  " : "", r->error ? r->error : "");
    }
    return code;
}

/* --status and --kind, which all task commands take. */
static struct task_query task_filter(struct ctl *t, int status)
{
    struct task_query q = {.status = status, .kind = ctl_option(t, "--kind"), .limit = ROWS};
    const char *word = status < 0 ? ctl_option(t, "--status") : NULL;

    if (word && !enumx_parse(&task_status_enumx, word, &q.status))
        program_die(CTL_USAGE, "locictl: --status is ready, running, done, dead or cancelled");
    return q;
}

static int task_list_command(struct ctl *t)
{
    struct task_query q = task_filter(t, -1);
    struct instant now;
    struct page page = {0};
    int code;

    q.everywhere = ctl_job_begin(t, &now);
    ctl_no_more(t);
    code = ctl_result(t, task_page(&t->c, &q, &page));
    for (size_t i = 0; !code && i < page.n; i++) {
        const struct task_row *r = (struct task_row *)page.items + i;

        printf("%s %-16s %-9s attempts %lld/%lld run at %s%s%s\n", UUID_STR(r->id), r->kind,
               enumx_name(&task_status_enumx, (int)r->status), (long long)r->attempts, (long long)r->max_attempts, ctl_job_when(t, r->run_at),
               r->last_error ? "  " : "", r->last_error ? r->last_error : "");
    }
    return code;
}

static int task_bulk_command(struct ctl *t, const char *reason)
{
    struct task_query q = task_filter(t, TASK_DEAD);
    struct instant now;
    int64_t n = 0;
    int code;

    q.everywhere = ctl_job_begin(t, &now);
    ctl_no_more(t);
    code = ctl_result(t, task_bulk(&t->c, &q, reason, now, &n));
    if (!code)
        printf("%lld\n", (long long)n);
    return code;
}

static int task_retry_command(struct ctl *t)
{
    return task_bulk_command(t, NULL);
}

static int task_discard_command(struct ctl *t)
{
    return task_bulk_command(t, ctl_need(t, "--reason"));
}

const struct ctl_command ctl_job_commands[] = {
    {"job list", "--account S [--all]", "lists jobs with schedule, next run and last result", job_list_command},
    {"job run", "JOB --account S [--all] [--params JSON]", "runs a job now; prints the id of the run", job_run_command},
    {"job dry-run", "JOB --account S [--all] [--params JSON]", "runs a job as a dry run: nothing is changed", job_dry_run_command},
    {"job runs", "[JOB] --account S [--all]", "lists the newest runs with their counts", job_runs_command},
    {"job pause", "JOB --account S [--all] --reason R", "pauses a job; a run in progress continues", job_pause_command},
    {"job resume", "JOB --account S [--all]", "resumes a job with its next scheduled run", job_resume_command},
    {"job cancel", "RUN-ID --account S [--all]", "cancels a run at the next batch", job_cancel_command},
    {"task list", "--account S [--all] [--status S] [--kind K]", "lists queued tasks, newest first", task_list_command},
    {"task retry", "--account S [--all] [--kind K]", "retries failed tasks; prints how many", task_retry_command},
    {"task discard", "--account S [--all] [--kind K] --reason R", "discards failed tasks; prints how many",
     task_discard_command},
    {0},
};
