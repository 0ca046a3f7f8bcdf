/* Looking at jobs and their runs; see job_service.h. */
#include "job_service.h"

#include <string.h>

#include "app.h"
#include "cron.h"
#include "db.h"
#include "job_store.h"
#include "run_store.h"

#define AVERAGE_DAYS 30

err jobs_now(struct ctx *c, struct instant *now)
{
    struct job_poll poll;

    TRY(job_store_poll(c, &poll));
    *now = poll.now;
    return ERR_OK;
}

err jobs_declare(struct ctx *c, struct instant now)
{
    const struct job_list *list = c->app->jobs;

    for (size_t i = 0; i < list->n_jobs; i++) {
        struct cron_fault why;
        struct cron cron;
        struct instant next = {0};

        if (!cron_parse(list->jobs[i]->schedule, now, &cron, &why))
            return fail(c, ERR_INTERNAL, "job %s: schedule: character %d: %s", list->jobs[i]->name, why.position,
                        why.message);
        cron_next(&cron, now, &next);
        TRY(job_store_declare(c, list->jobs[i], (int64_t)i, next, now));
    }
    return ERR_OK;
}

err job_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return override_store_accounts(c, above, ids, max, n);
}

/* ---- the timetable */

static size_t next_firings(const char *schedule, struct instant now, struct instant *out, size_t n)
{
    struct cron_fault why;
    struct cron cron;
    size_t got = 0;

    if (!cron_parse(schedule, now, &cron, &why))
        return 0;
    for (struct instant t = now; got < n && cron_next(&cron, t, &t);)
        out[got++] = t;
    return got;
}

static void job_service_fill(struct ctx *c, struct job_view *v, struct instant now)
{
    v->job = job_find(c->app->jobs, v->row.name);
    v->override = (struct job_override){.job_name = v->row.name, .enabled = true, .params = json_obj(c->arena)};
    v->average = (struct run_average){.job_name = v->row.name};
    if (v->row.enabled && !v->row.paused_at.us)
        v->n_next = next_firings(v->row.schedule, now, v->next, NEXT_FIRINGS);
}

err job_view_list(struct ctx *c, bool everywhere, struct job_view **out, size_t *n)
{
    struct job_override *overrides;
    struct run_average *averages;
    struct job_row *rows;
    struct job_view *views;
    struct run *latest;
    size_t n_rows, n_overrides, n_averages, n_latest;
    struct instant now;

    TRY(jobs_now(c, &now));
    TRY(job_store_list(c, &rows, &n_rows));
    TRY(override_store_list(c, &overrides, &n_overrides));
    TRY(run_store_averages(c, everywhere, (struct instant){now.us - AVERAGE_DAYS * DAY_US}, &averages, &n_averages));
    TRY(run_store_latest(c, everywhere, &latest, &n_latest));
    views = ARENA_ARRAY(c->arena, struct job_view, n_rows + 1);
    for (size_t i = 0; i < n_rows; i++) {
        struct job_view *v = &views[i];

        v->row = rows[i];
        job_service_fill(c, v, now);
        for (size_t k = 0; k < n_overrides; k++)
            if (strcmp(overrides[k].job_name, v->row.name) == 0)
                v->override = overrides[k];
        for (size_t k = 0; k < n_averages; k++)
            if (strcmp(averages[k].job_name, v->row.name) == 0)
                v->average = averages[k];
        for (size_t k = 0; k < n_latest; k++)
            if (strcmp(latest[k].job_name, v->row.name) == 0) {
                v->last = latest[k];
                v->has_run = true;
            }
    }
    *out = views;
    *n = n_rows;
    return ERR_OK;
}

err run_recent(struct ctx *c, const struct job_view *views, size_t n, bool everywhere, int64_t each, struct run_recent *out)
{
    const char **names = ARENA_ARRAY(c->arena, const char *, n + 1);

    for (size_t i = 0; i < n; i++)
        names[i] = views[i].row.name;
    return run_store_recent(c, everywhere, names, n, each, &out->runs, &out->n);
}

/* A job's runs stand side by side. */
const struct run *run_recent_of(const struct run_recent *r, const char *job, size_t *n)
{
    size_t begin = 0, end;

    while (begin < r->n && strcmp(r->runs[begin].job_name, job) != 0)
        begin++;
    for (end = begin; end < r->n && strcmp(r->runs[end].job_name, job) == 0; end++)
        ;
    *n = end - begin;
    return r->runs + begin;
}

err job_view_get(struct ctx *c, const char *name, bool everywhere, struct job_view *out)
{
    struct job_view *all;
    size_t n;

    TRY(job_view_list(c, everywhere, &all, &n));
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].row.name, name) == 0) {
            *out = all[i];
            return ERR_OK;
        }
    return fail(c, ERR_NOT_FOUND, "no job '%s'", name);
}

/* ---- history */

err run_page(struct ctx *c, const struct run_query *q, struct page *out)
{
    struct run_filter f = {.job = q->job, .status = q->status, .trigger = q->trigger, .from = q->from, .to = q->to,
                           .parent_id = q->parent_id, .everywhere = q->everywhere, .limit = q->limit + 1};
    struct run *rows = ARENA_ARRAY(c->arena, struct run, (size_t)f.limit);
    size_t n;

    TRY(page_begin(c, q->cursor, &f.before));
    TRY(run_store_list(c, &f, rows, &n));
    PAGE_END(c, out, rows, n, q->limit, struct run, id);
    return ERR_OK;
}

err run_get(struct ctx *c, struct uuid id, bool everywhere, struct run *out)
{
    bool found;

    TRY(run_store_get(c, id, out, &found));
    if (!found || !(everywhere || uuid_eq(out->account_id, c->account_id) || uuid_eq(out->only_account, c->account_id)))
        return fail(c, ERR_NOT_FOUND, "no such run");
    return ERR_OK;
}

err cron_preview(struct ctx *c, const char *text, struct instant now, struct instant *out, size_t max, size_t *n)
{
    struct cron_fault why;
    struct cron cron;

    if (!cron_parse(text, now, &cron, &why))
        return fail_field(c, "/cron", "character %d: %s", why.position, why.message);
    *n = next_firings(text, now, out, max);
    return ERR_OK;
}
