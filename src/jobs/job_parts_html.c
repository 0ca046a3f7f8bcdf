/* What the pages about jobs have in common; see jobs_html.h. */
#include "jobs_html.h"

#include <string.h>

#include "app.h"
#include "job_scope.h"
#include "model.h"
#include "parts_html.h"
#include "task_service.h"

void put_person(struct ctx *c, struct json *m, const char *name, const char *who)
{
    bool is_found = who && strchr(who, '@') && page_may(c, PERM_ACCOUNT_READ);
    struct json *person, *query = json_obj(c->arena);

    if (!who) {
        json_set(c->arena, m, name, json_new(c->arena, JSON_NULL));
        return;
    }
    person = json_set(c->arena, m, name, json_obj(c->arena));
    json_set_str(c->arena, query, "q", who);
    json_set_str(c->arena, person, "name", who);
    json_set_str(c->arena, person, "href", is_found ? model_href(c->arena, "/admin/users", query) : NULL);
}

/* ---- runs */

static const char *const KINDS[] = {
    [RUN_WAITING] = "info", [RUN_RUNNING] = "info", [RUN_SUCCEEDED] = "ok", [RUN_PARTIAL] = "warn",
    [RUN_FAILED] = "bad", [RUN_SKIPPED] = "off", [RUN_CANCELLED] = "off", [RUN_LOST] = "bad",
};

void put_run_status(struct ctx *c, struct json *row, const struct run *r)
{
    put_badge(c, row, KINDS[r->status], enumx_name(&run_status_enumx, (int)r->status));
}

static const char *reason_words(const char *reason)
{
    static const struct { const char *reason, *words; } WORDS[] = {
        {"overlap", "the previous run was still in progress"}, {"after_failed", "the preceding job did not succeed"},
        {"bound", "row limit of a run reached; the rest follows in the next run"},
        {"time_box", "time limit reached; the rest follows in the next run"}, {"failed_rows", "some rows failed"},
        {"cancelled", "cancelled"}, {"disabled", "switched off"}, {"paused", "paused"},
    };

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (str_eq(WORDS[i].reason, reason))
            return WORDS[i].words;
    return reason;
}

const char *run_words(struct ctx *c, const struct run *r)
{
    if (r->error)
        return arena_strndup(c->arena, r->error, strcspn(r->error, "\n"));
    if (r->reason)
        return reason_words(r->reason);
    if (r->status == RUN_LOST)
        return "its worker died";
    if (r->status != RUN_SUCCEEDED)
        return NULL;
    if (!r->scanned)
        return "nothing was due";
    return r->changed ? NULL : r->skipped == r->scanned ? "everything was skipped" : "no changes needed";
}

static int64_t job_page_count_of(struct ctx *c, const struct run *r, const char *name)
{
    return r->counts ? json_get_int(json_opened(c->arena, r->counts), name, 0) : 0;
}

/* Rows from before firings were counted say so by having no count. */
static bool is_hour(struct ctx *c, const struct run *r)
{
    const struct job *job = job_find(c->app->jobs, r->job_name);

    return job_page_count_of(c, r, RUN_PASSES) ||
           (r->trigger == TRIGGER_CRON && uuid_is_nil(r->parent_id) && job && job_is_continuous(job->schedule));
}

const char *run_passes(struct ctx *c, const struct run *r)
{
    int64_t n = job_page_count_of(c, r, RUN_PASSES);

    return !n ? NULL : n == 1 ? "ran once" : arena_printf(c->arena, "ran %s times", model_count(c->arena, n));
}

const char *run_duration(struct ctx *c, const struct run *r)
{
    struct instant end = r->finished_at.us ? r->finished_at : c->now;

    if (is_hour(c, r))
        return run_passes(c, r) ? model_duration(c->arena, job_page_count_of(c, r, RUN_WORKED_US)) : NULL;
    return r->started_at.us ? model_duration(c->arena, end.us > r->started_at.us ? end.us - r->started_at.us : 0) : NULL;
}

/* null unless it runs and knows how much there is. */
static void put_progress(struct ctx *c, struct json *row, const struct run *r)
{
    bool known = r->status == RUN_RUNNING && r->progress_total > 0;

    if (known)
        json_set_int(c->arena, row, "progress", r->progress_done >= r->progress_total ? 100 :
                     r->progress_done * 100 / r->progress_total);
    else
        json_set(c->arena, row, "progress", json_new(c->arena, JSON_NULL));
}

void put_run(struct ctx *c, struct json *row, const struct run *r)
{
    put_id(c, row, "id", r->id);
    json_set_str(c->arena, row, "job", r->job_name);
    put_run_status(c, row, r);
    json_set_str(c->arena, row, "trigger", enumx_name(&run_trigger_enumx, (int)r->trigger));
    json_set_bool(c->arena, row, "is_dry", r->dry_run);
    put_time(c, row, "at", r->fire_at);
    json_set_str(c->arena, row, "duration", run_duration(c, r));
    json_set_str(c->arena, row, "passes", run_passes(c, r));
    json_set_str(c->arena, row, "scanned", model_count(c->arena, r->scanned));
    json_set_str(c->arena, row, "changed", model_count(c->arena, r->changed));
    json_set_str(c->arena, row, "failed", model_count(c->arena, r->failed));
    json_set_str(c->arena, row, "skipped", model_count(c->arena, r->skipped));
    put_progress(c, row, r);
    json_set_str(c->arena, row, "words", run_words(c, r));
}

/* ---- a job's last runs at a glance */

static const char *mark_text(struct ctx *c, const struct run *r)
{
    const char *words = run_words(c, r);

    return arena_printf(c->arena, "%s%s%s, %s", r->dry_run ? "dry run " : "", enumx_name(&run_status_enumx, (int)r->status),
                        words ? arena_printf(c->arena, " (%s)", words) : "",
                        json_get_str(model_time(c->arena, r->fire_at, c->now), "text"));
}

/* "12 runs: 11 succeeded, 1 failed" */
static const char *strip_words(struct ctx *c, const struct run *runs, size_t n)
{
    struct buf b;
    size_t of[RUN_LOST + 1] = {0};
    const char *sep = ":";

    buf_init(&b, c->arena, 64);
    for (size_t i = 0; i < n; i++)
        of[runs[i].status]++;
    buf_printf(&b, n == 1 ? "Last run" : "Last %zu runs", n);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i]) {
            buf_printf(&b, "%s %zu %s", sep, of[i], enumx_name(&run_status_enumx, (int)i));
            sep = ",";
        }
    return buf_str(&b);
}

struct json *run_strip(struct ctx *c, const struct run *runs, size_t n)
{
    struct json *strip = json_obj(c->arena), *marks = put_list(c, strip, "marks");

    if (!n)
        return json_new(c->arena, JSON_NULL);
    json_set_str(c->arena, strip, "words", strip_words(c, runs, n));
    for (size_t i = n; i-- > 0;) {
        struct json *mark = add_row(c, marks);

        json_set_str(c->arena, mark, "kind", KINDS[runs[i].status]);
        json_set_str(c->arena, mark, "text", mark_text(c, &runs[i]));
        json_set_str(c->arena, mark, "href", arena_printf(c->arena, "/admin/jobs/runs/%s", UUID_STR(runs[i].id)));
    }
    return strip;
}

/* ---- tabs */

err put_job_tabs(struct ctx *c, struct json *m, const char *tab)
{
    struct json *on = json_set(c->arena, m, "on", json_obj(c->arena)), *see = json_set(c->arena, m, "see", json_obj(c->arena));
    struct task_summary *kinds = NULL;
    bool everywhere, manages = page_may(c, PERM_JOBS_MANAGE);
    int64_t dead = 0;
    size_t n = 0;

    json_set_bool(c->arena, on, tab, true);
    json_set_bool(c->arena, see, "queue", manages);
    json_set_bool(c->arena, see, "schedulers", c->who->is_operator);
    if (!manages)
        return ERR_OK;
    TRY(job_scope_of(c, -1, &everywhere));
    TRY(task_overview(c, everywhere, &kinds, &n));
    for (size_t i = 0; i < n; i++)
        dead += kinds[i].dead;
    json_set_str(c->arena, m, "n_dead", dead ? model_count(c->arena, dead) : NULL);
    return ERR_OK;
}

/* ---- schedules in words */

static const char *every_words(struct ctx *c, const char *span)
{
    static const struct { char unit; const char *one, *many; } UNITS[] = {
        {'s', "second", "seconds"}, {'m', "minute", "minutes"}, {'h', "hour", "hours"},
    };
    size_t n = strspn(span, "0123456789");
    int64_t value;

    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++)
        if (n && span[n] == UNITS[i].unit && !span[n + 1] && str_to_i64(arena_strndup(c->arena, span, n), &value))
            return value == 1 ? arena_printf(c->arena, "every %s", UNITS[i].one)
                              : arena_printf(c->arena, "every %lld %s", (long long)value, UNITS[i].many);
    return NULL;
}

static bool job_page_is_number(const char *s, int64_t *out)
{
    return s[strspn(s, "0123456789")] == 0 && str_to_i64(s, out);
}

/* "*" followed by "/n": n; "*": 1; else 0. */
static int64_t step_of(const char *s)
{
    int64_t n;

    if (s[0] != '*')
        return 0;
    return !s[1] ? 1 : s[1] == '/' && job_page_is_number(s + 2, &n) ? n : 0;
}

static const char *day_words(struct ctx *c, const char *day, const char *month, const char *weekday)
{
    static const char *const NAMES[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
    int64_t n;

    if (strcmp(month, "*") != 0)
        return NULL;
    if (strcmp(day, "*") == 0 && strcmp(weekday, "*") == 0)
        return "every day";
    if (strcmp(day, "*") == 0 && job_page_is_number(weekday, &n) && n <= 7)
        return arena_printf(c->arena, "every %s", NAMES[n]);
    if (strcmp(weekday, "*") == 0 && job_page_is_number(day, &n))
        return arena_printf(c->arena, "on day %lld of each month", (long long)n);
    return NULL;
}

static const char *fields_words(struct ctx *c, char *f[5])
{
    const char *day = day_words(c, f[2], f[3], f[4]);
    int64_t minute, hour, step;

    if (!day)
        return NULL;
    if (job_page_is_number(f[0], &minute) && job_page_is_number(f[1], &hour))
        return arena_printf(c->arena, "%s at %02lld:%02lld UTC", day, (long long)hour, (long long)minute);
    if (strcmp(day, "every day") != 0)
        return NULL;
    step = step_of(f[1]);
    if (job_page_is_number(f[0], &minute) && step)
        return step == 1 ? arena_printf(c->arena, "every hour, %lld min past", (long long)minute)
                         : arena_printf(c->arena, "every %lld hours, %lld min past", (long long)step, (long long)minute);
    step = step_of(f[0]);
    if (step && strcmp(f[1], "*") == 0)
        return step == 1 ? "every minute" : arena_printf(c->arena, "every %lld minutes", (long long)step);
    return NULL;
}

const char *schedule_words(struct ctx *c, const char *schedule)
{
    static const struct { const char *schedule, *words; } WORDS[] = {
        {"@hourly", "every hour"}, {"@daily", "every day at 00:00 UTC"}, {"@weekly", "every Sunday at 00:00 UTC"},
        {"@monthly", "on day 1 of each month at 00:00 UTC"}, {"@yearly", "once a year"},
    };
    char *f[5], *p = arena_strdup(c->arena, schedule);
    const char *words = NULL;
    size_t n = 0;

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcmp(WORDS[i].schedule, schedule) == 0)
            return WORDS[i].words;
    if (str_starts(schedule, "@every "))
        words = every_words(c, schedule + 7 + strspn(schedule + 7, " "));
    for (; n < 5 && *p; n++) {
        f[n] = p;
        p += strcspn(p, " ");
        if (*p)
            *p++ = 0;
        p += strspn(p, " ");
    }
    if (!words && n == 5)
        words = fields_words(c, f);
    return words ? words : "custom schedule";
}
