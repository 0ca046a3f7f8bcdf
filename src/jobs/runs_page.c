/* The history of jobs, and one run with its counts and errors. */
#include "jobs_page.h"

#include <string.h>

#include "job_scope.h"
#include "job_service.h"
#include "limit.h"
#include "model.h"
#include "parts_page.h"

#define SLICES_SHOWN 100

/* ---- the list */

static err add_job_choices(struct ctx *c, struct page_call *p, bool everywhere)
{
    struct json *list = put_list(c, p->model, "jobs");
    const char *shown = page_query(p, "job");
    struct job_view *views;
    size_t n;

    TRY(job_view_list(c, everywhere, &views, &n));
    add_choice(c, list, "", "any", !shown);
    for (size_t i = 0; i < n; i++)
        add_choice(c, list, views[i].row.name, views[i].row.name, str_eq(views[i].row.name, shown));
    return ERR_OK;
}

static err runs(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "runs");
    struct run_query q = {.job = page_query(p, "job"), .status = query_enum(p, "status", &run_status_enumx),
                          .trigger = query_enum(p, "trigger", &run_trigger_enumx), .limit = LIMIT_PAGE_DEFAULT,
                          .cursor = page_query(p, "cursor")};
    bool is_live = false;
    const struct run *r;
    struct page page;

    TRY(job_scope_of(c, -1, &q.everywhere));
    TRY(run_page(c, &q, &page));
    r = page.items;
    for (size_t i = 0; i < page.n; i++) {
        put_run(c, add_row(c, list), &r[i]);
        is_live |= !run_has_ended(r[i].status);
    }
    put_listing(c, p, "/admin/jobs/runs", &page);
    TRY(add_job_choices(c, p, q.everywhere));
    json_set(c->arena, p->model, "statuses", enum_choices(c, &run_status_enumx, "any", page_query(p, "status")));
    json_set(c->arena, p->model, "triggers", enum_choices(c, &run_trigger_enumx, "any", page_query(p, "trigger")));
    json_set_bool(c->arena, p->model, "is_live", is_live);
    TRY(put_job_tabs(c, p->model, "runs"));
    return page_show(p, "job_runs");
}

/* ---- one run */

static err put_continuation(struct ctx *c, struct json *m, const struct run *r, bool everywhere)
{
    struct json *link;
    struct job_view v;

    if (r->status != RUN_PARTIAL || !(str_eq(r->reason, "bound") || str_eq(r->reason, "time_box")))
        return ERR_OK;
    TRY(job_view_get(c, r->job_name, everywhere, &v));
    if (!v.n_next)
        return ERR_OK;
    link = json_set(c->arena, m, "continuation", json_obj(c->arena));
    json_set_str(c->arena, link, "href", arena_printf(c->arena, "/admin/jobs/%s", r->job_name));
    json_set_str(c->arena, link, "text", json_get_str(model_time(c->arena, v.next[0], c->now), "ago"));
    return ERR_OK;
}

static void put_about(struct ctx *c, struct json *m, const struct run *r)
{
    put_run(c, m, r);
    json_set_str(c->arena, m, "requested_by", r->requested_by);
    json_set_int(c->arena, m, "missed", r->missed);
    put_time(c, m, "fire_at", r->fire_at);
    put_time(c, m, "started_at", r->started_at);
    put_time(c, m, "finished_at", r->finished_at);
    json_set_str(c->arena, m, "host", r->host);
    json_set_str(c->arena, m, "loci", r->version);
    json_set_str(c->arena, m, "progress_text", r->progress_total ? arena_printf(c->arena, "%s of %s accounts",
                 model_count(c->arena, r->progress_done), model_count(c->arena, r->progress_total)) : NULL);
    json_set_str(c->arena, m, "reason", r->reason);
    json_set_str(c->arena, m, "error", r->error);
    json_set_str(c->arena, m, "account", uuid_is_nil(r->account_id) ? NULL : uuid_eq(r->account_id, c->account_id) ?
                 c->who->account_slug : arena_strdup(c->arena, UUID_STR(r->account_id)));
}

static void put_counts(struct ctx *c, struct json *m, const struct run *r)
{
    struct json *list = put_list(c, m, "counts");

    for (const struct json *n = json_is(r->counts, JSON_OBJ) ? r->counts->first : NULL; n; n = n->next) {
        struct json *row;

        if (str_eq(n->key, RUN_PASSES) || str_eq(n->key, RUN_WORKED_US))
            continue;                        /* said among the facts */
        row = add_row(c, list);
        json_set_str(c->arena, row, "name", n->key);
        json_set_str(c->arena, row, "value", model_count(c->arena, n->i));
    }
}

/* Notes are what a dry run would change, {id, would}, or rows that failed, {id, error}. */
static void put_notes(struct ctx *c, struct json *m, const struct run *r)
{
    struct json *would = json_arr(c->arena), *failed = json_arr(c->arena);

    for (const struct json *n = json_is(r->notes, JSON_ARR) ? r->notes->first : NULL; n; n = n->next) {
        const char *id = json_get_str(n, "id"), *what = json_get_str(n, "would");
        struct json *row;

        if (what) {
            json_push(would, json_str(c->arena, arena_printf(c->arena, "%s: %s", id ? id : "", what)));
            continue;
        }
        row = add_row(c, failed);
        json_set_str(c->arena, row, "subject", id);
        json_set_str(c->arena, row, "error", json_get_str(n, "error"));
    }
    if (would->first)
        json_set(c->arena, json_set(c->arena, m, "samples", json_obj(c->arena)), "rows", would);
    if (failed->first)
        json_set(c->arena, json_set(c->arena, m, "failures", json_obj(c->arena)), "rows", failed);
}

static err put_slices(struct ctx *c, struct json *m, const struct run *r)
{
    struct run_query q = {.status = -1, .trigger = -1, .parent_id = r->id, .everywhere = true, .limit = SLICES_SHOWN};
    const struct run *slices;
    struct json *list;
    struct page page;

    TRY(run_page(c, &q, &page));
    if (!page.n)
        return ERR_OK;
    list = put_list(c, json_set(c->arena, m, "slices", json_obj(c->arena)), "runs");
    slices = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_run(c, add_row(c, list), &slices[i]);
    return ERR_OK;
}

static err one_run(struct ctx *c, struct page_call *p)
{
    struct json *m = json_set(c->arena, p->model, "run", json_obj(c->arena));
    struct run r;
    struct uuid id;
    bool everywhere;

    TRY(page_id(c, p, 0, &id));
    TRY(job_scope_of(c, -1, &everywhere));
    TRY(run_get(c, id, everywhere, &r));
    r.counts = json_opened(c->arena, r.counts);
    r.notes = json_opened(c->arena, r.notes);
    put_about(c, m, &r);
    TRY(put_continuation(c, m, &r, everywhere));
    put_counts(c, p->model, &r);
    put_notes(c, p->model, &r);
    if (everywhere && uuid_is_nil(r.parent_id))
        TRY(put_slices(c, p->model, &r));
    json_set_bool(c->arena, p->model, "is_live", !run_has_ended(r.status));
    json_set_bool(c->arena, p->model, "may_cancel", !run_has_ended(r.status) && !r.cancelled && page_may(c, PERM_JOBS_RUN));
    TRY(put_job_tabs(c, p->model, "runs"));
    return page_show(p, "job_run");
}

static err cancel(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    json_set_str(c->arena, extra, "id", p->params[0]);
    TRY(page_run(c, p, "job_run.cancel", extra, NULL));
    page_say(c, p, "ok", "It ends between two batches; what is done stays done.");
    return page_go(c, p, "/admin/jobs/runs/%s", UUID_STR(id));
}

const struct page_row runs_pages[] = {
    {.method = "GET", .path = "/admin/jobs/runs", .name = "page.runs", .op = "job_run.list", .perm = PERM_JOBS_READ, .run = runs},
    {.method = "GET", .path = "/admin/jobs/runs/:id", .name = "page.run", .op = "job_run.get", .perm = PERM_JOBS_READ, .run = one_run},
    {.method = "POST", .path = "/admin/jobs/runs/:id/cancel", .name = "page.run.cancel", .perm = PERM_JOBS_RUN,
     .run = cancel, .again = one_run},
    {0},
};
