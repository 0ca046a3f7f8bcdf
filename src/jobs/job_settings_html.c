/* How a job is set: by an operator for all accounts, by an account for itself. */
#include "job_settings_html.h"

#include <math.h>
#include <string.h>

#include "job_scope.h"
#include "model.h"
#include "parts_html.h"

#define FIRINGS 4

static const char *job_settings_page_text_of(struct ctx *c, const struct job_param *p, double v)
{
    if (p->type == PARAM_BOOL)
        return v > 0 ? "true" : "false";
    return p->type == PARAM_INT ? arena_printf(c->arena, "%lld", llround(v)) : arena_printf(c->arena, "%g", v);
}

const char *param_text(struct ctx *c, const struct job_param *p, const struct json *set)
{
    const struct json *v = json_get(set, p->name);

    return v ? json_text(c->arena, v) : job_settings_page_text_of(c, p, p->otherwise);
}

struct json *param_value(struct ctx *c, const struct job_param *d, const char *text)
{
    int64_t i;
    double v;
    bool b;

    if (d->type == PARAM_INT && str_to_i64(text, &i))
        return json_int(c->arena, i);
    if (d->type == PARAM_NUM && str_to_double(text, &v))
        return json_num(c->arena, v);
    if (d->type == PARAM_BOOL && str_to_bool(text, &b))
        return json_bool(c->arena, b);
    return json_str(c->arena, text); /* the service says what is wrong with it */
}

struct json *params_typed(struct ctx *c, const struct page_call *p, const struct job *job, const struct json *otherwise)
{
    struct json *params = json_obj(c->arena);

    for (const struct job_param *d = job ? job->params : NULL; d && d->name; d++) {
        const char *text = page_form(p, d->name);

        if (text && !str_eq(text, param_text(c, d, otherwise)))
            json_set(c->arena, params, d->name, param_value(c, d, text));
    }
    return params;
}

void put_params(struct ctx *c, struct json *m, const struct page_call *p, const struct job *job, const struct json *set)
{
    struct json *list = put_list(c, m, "params");

    for (const struct job_param *d = job ? job->params : NULL; d && d->name; d++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", d->name);
        json_set_str(c->arena, row, "value", chosen(p, d->name, param_text(c, d, set)));
        json_set_str(c->arena, row, "help", arena_printf(c->arena, "%s%sfrom %s to %s, default %s", d->help ? d->help : "",
                     d->help ? "; " : "", job_settings_page_text_of(c, d, d->min), job_settings_page_text_of(c, d, d->max), job_settings_page_text_of(c, d, d->otherwise)));
    }
}

/* ---- the form */

/* "today 04:00", "tomorrow 04:00", "21 Nov 2026 04:00" */
static const char *firing_text(struct ctx *c, struct instant t)
{
    int64_t day = t.us / DAY_US - c->now.us / DAY_US, minute = t.us % DAY_US / (60 * SECOND_US);
    const char *date = json_get_str(model_time(c->arena, t, c->now), "text");
    const char *name = day == 0 ? "today" : day == 1 ? "tomorrow" : arena_strndup(c->arena, date, strcspn(date, ","));

    return arena_printf(c->arena, "%s %02d:%02d", name, (int)(minute / 60), (int)(minute % 60));
}

/* When the schedule in the form would fire; what is wrong with one that is none stands beside it already, or will. */
static void put_firings(struct ctx *c, struct json *s, const char *schedule)
{
    struct instant at[FIRINGS];
    struct buf text;
    size_t n = 0;

    if (cron_preview(c, schedule, c->now, at, FIRINGS, &n) != ERR_OK)
        ctx_forgive(c);
    buf_init(&text, c->arena, 128);
    for (size_t i = 0; i < n && (i == 0 || !job_is_continuous(schedule)); i++)
        buf_printf(&text, "%s%s", i ? ", " : "", firing_text(c, at[i]));
    json_set_str(c->arena, s, "firings", n ? buf_str(&text) : NULL);
}

static void put_everybodys(struct ctx *c, struct json *s, const struct page_call *p, const struct job_view *v)
{
    const struct job_row *r = &v->row;

    json_set_str(c->arena, s, "action", arena_printf(c->arena, "/admin/jobs/%s/settings", r->name));
    json_set_int(c->arena, s, "version", r->version);
    json_set_str(c->arena, s, "schedule", chosen(p, "schedule", r->schedule));
    json_set_str(c->arena, s, "preview", arena_printf(c->arena, "/admin/jobs/%s/preview", r->name));
    put_firings(c, s, chosen(p, "schedule", r->schedule));
    json_set(c->arena, s, "catchups", enum_choices(c, &job_catchup_enumx, NULL,
             chosen(p, "catchup", enumx_name(&job_catchup_enumx, (int)r->catchup))));
    json_set(c->arena, s, "overlaps", enum_choices(c, &job_overlap_enumx, NULL,
             chosen(p, "overlap", enumx_name(&job_overlap_enumx, (int)r->overlap))));
    json_set_str(c->arena, s, "time_box_s", chosen(p, "time_box_s", arena_printf(c->arena, "%lld", (long long)r->time_box_s)));
    put_params(c, s, p, v->job, r->params);
}

static void put_own(struct ctx *c, struct json *s, const struct page_call *p, const struct job_view *v)
{
    json_set_str(c->arena, s, "action", arena_printf(c->arena, "/admin/jobs/%s/own", v->row.name));
    json_set_int(c->arena, s, "version", v->override.version);
    json_set(c->arena, s, "schedule", json_new(c->arena, JSON_NULL));
    put_params(c, s, p, v->job, json_merge_patch(c->arena, v->row.params, v->override.params));
}

void put_job_settings(struct ctx *c, struct page_call *p, const struct job_view *v, bool everywhere)
{
    struct json *s;

    if (!page_may(c, PERM_JOBS_MANAGE) || !v->job || (!everywhere && (!v->job->params || v->job->flags & JOB_INSTALLATION)))
        return;
    s = json_set(c->arena, p->model, "settings", json_obj(c->arena));
    if (everywhere)
        put_everybodys(c, s, p, v);
    else
        put_own(c, s, p, v);
}

/* ---- saving */

static err view_of(struct ctx *c, struct page_call *p, struct job_view *v, struct json **extra)
{
    bool everywhere;

    TRY(job_scope_of(c, -1, &everywhere));
    TRY(job_view_get(c, p->params[0], everywhere, v));
    *extra = json_obj(c->arena);
    json_set_str(c->arena, *extra, "name", p->params[0]);
    return ERR_OK;
}

static err save(struct ctx *c, struct page_call *p)
{
    struct json *extra;
    struct job_view v;

    TRY(view_of(c, p, &v, &extra));
    if (v.job && v.job->params)
        json_set(c->arena, extra, "params", params_typed(c, p, v.job, NULL));
    TRY(page_run(c, p, "job.update", extra, NULL));
    page_say(c, p, "ok", "Saved for all accounts. Runs in progress keep their old settings.");
    return page_go(c, p, "/admin/jobs/%s", p->params[0]);
}

/* The form once more with what was typed, and when it would fire; nothing is changed. */
static err job_settings_page_preview(struct ctx *c, struct page_call *p)
{
    const char *schedule = page_form(p, "schedule");
    struct instant at[FIRINGS];
    size_t n;

    if (cron_preview(c, schedule ? schedule : "", c->now, at, FIRINGS, &n) != ERR_OK) {
        const char *why = c->fault.message;

        ctx_forgive(c);
        return fail_field(c, "/schedule", "%s", why);
    }
    p->is_again = true;
    json_set_bool(c->arena, p->model, "is_preview", true);
    return job_page(c, p);
}

static err save_own(struct ctx *c, struct page_call *p)
{
    struct json *extra;
    struct job_view v;

    TRY(view_of(c, p, &v, &extra));
    json_set(c->arena, extra, "params", params_typed(c, p, v.job, v.row.params));
    TRY(page_run(c, p, "job.override", extra, NULL));
    page_say(c, p, "ok", "Saved for this account.");
    return page_go(c, p, "/admin/jobs/%s", p->params[0]);
}

const struct page_row job_settings_pages[] = {
    {.method = "POST", .path = "/admin/jobs/:name/settings", .name = "page.job.settings", .perm = PERM_JOBS_MANAGE, .run = save,
     .again = job_page},
    {.method = "POST", .path = "/admin/jobs/:name/preview", .name = "page.job.preview", .perm = PERM_JOBS_MANAGE, .run = job_settings_page_preview,
     .again = job_page},
    {.method = "POST", .path = "/admin/jobs/:name/own", .name = "page.job.own", .perm = PERM_JOBS_MANAGE, .run = save_own,
     .again = job_page},
    {0},
};
