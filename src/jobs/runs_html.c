/* The history of jobs, and one run with its counts and errors. */
#include "jobs_html.h"

#include <string.h>

#include "job_scope.h"
#include "job_service.h"
#include "limit.h"
#include "model.h"
#include "node.h"
#include "parts_html.h"

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

static void runs_page_put_about(struct ctx *c, struct json *m, const struct run *r)
{
    put_run(c, m, r);
    put_person(c, m, "requested_by", r->requested_by);
    json_set_int(c->arena, m, "missed", r->missed);
    put_time(c, m, "fire_at", r->fire_at);
    put_time(c, m, "started_at", r->started_at);
    put_time(c, m, "finished_at", r->finished_at);
    json_set_str(c->arena, m, "host", r->host);
    json_set_str(c->arena, m, "loci", r->version);
    json_set_str(c->arena, m, "progress_text", r->progress_total ? arena_printf(c->arena, "%s of %s",
                 model_count(c->arena, r->progress_done), model_counted(c->arena, r->progress_total, "account", "accounts")) : NULL);
    json_set_str(c->arena, m, "reason", r->reason);
    json_set_str(c->arena, m, "error", r->error);
    json_set_str(c->arena, m, "account", account_text(c, r->account_id));
    json_set_bool(c->arena, m, "is_own_account", uuid_eq(r->account_id, c->account_id));
    put_id(c, m, "parent_id", c->who->is_operator ? r->parent_id : (struct uuid){0});
}

static void put_counts(struct ctx *c, struct json *m, const struct run *r)
{
    struct json *list = put_list(c, m, "counts");

    for (const struct json *n = json_is(r->counts, JSON_OBJ) ? r->counts->first : NULL; n; n = n->next) {
        struct json *row;

        if (str_eq(n->key, RUN_PASSES) || str_eq(n->key, RUN_WORKED_US))
            continue; /* said among the facts */
        row = add_row(c, list);
        json_set_str(c->arena, row, "name", n->key);
        json_set_str(c->arena, row, "value", model_count(c->arena, n->i));
    }
}

/* The rows that a run names: a node has a page of its own, whatever else is asked for in the audit trail. */
static err put_note_subjects(struct ctx *c, const struct json *notes, struct json *const *rows)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, notes->len + 1);
    struct node_brief *nodes = ARENA_ARRAY(c->arena, struct node_brief, notes->len + 1);
    size_t i = 0;

    for (const struct json *n = notes->first; n; n = n->next, i++)
        if (!json_get_str(n, "id") || !uuid_parse(json_get_str(n, "id"), &ids[i]))
            ids[i] = (struct uuid){0};
    TRY(node_briefs(c, ids, notes->len, nodes));
    i = 0;
    for (const struct json *n = notes->first; n; n = n->next, i++) {
        bool is_node = !uuid_is_nil(nodes[i].id), is_asked = !uuid_is_nil(ids[i]) && page_may(c, PERM_AUDIT_READ);
        const char *id = json_get_str(n, "id");

        json_set_str(c->arena, rows[i], "subject", is_node ? nodes[i].title : id ? id : "");
        json_set_str(c->arena, rows[i], "href", is_node ? arena_printf(c->arena, "/admin/nodes/%s", id)
                     : is_asked ? arena_printf(c->arena, "/admin/audit?subject=%s", id) : NULL);
    }
    return ERR_OK;
}

/* Notes are what a dry run would change, {id, would}, or rows that failed, {id, error}. */
static err put_notes(struct ctx *c, struct json *m, const struct run *r)
{
    struct json *would = json_arr(c->arena), *failed = json_arr(c->arena), **rows;
    size_t i = 0;

    if (!json_is(r->notes, JSON_ARR) || !r->notes->first)
        return ERR_OK;
    rows = ARENA_ARRAY(c->arena, struct json *, r->notes->len);
    for (const struct json *n = r->notes->first; n; n = n->next, i++) {
        rows[i] = add_row(c, json_get_str(n, "would") ? would : failed);
        json_set_str(c->arena, rows[i], "would", json_get_str(n, "would"));
        json_set_str(c->arena, rows[i], "error", json_get_str(n, "error"));
    }
    TRY(put_note_subjects(c, r->notes, rows));
    if (would->first)
        json_set(c->arena, json_set(c->arena, m, "samples", json_obj(c->arena)), "rows", would);
    if (failed->first)
        json_set(c->arena, json_set(c->arena, m, "failures", json_obj(c->arena)), "rows", failed);
    return ERR_OK;
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
    runs_page_put_about(c, m, &r);
    TRY(put_continuation(c, m, &r, everywhere));
    put_counts(c, p->model, &r);
    TRY(put_notes(c, p->model, &r));
    if (everywhere && uuid_is_nil(r.parent_id))
        TRY(put_slices(c, p->model, &r));
    json_set_bool(c->arena, p->model, "is_live", !run_has_ended(r.status));
    json_set_bool(c->arena, p->model, "may_cancel", !run_has_ended(r.status) && !r.cancelled && page_may(c, PERM_JOBS_RUN));
    TRY(put_job_tabs(c, p->model, "runs"));
    return page_show(p, "job_run");
}

static err runs_page_cancel(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    json_set_str(c->arena, extra, "id", p->params[0]);
    TRY(page_run(c, p, "job_run.cancel", extra, NULL));
    page_say(c, p, "ok", "Cancelling: it stops at the next batch; completed work stays.");
    return page_go(c, p, "/admin/jobs/runs/%s", UUID_STR(id));
}

const struct page_row runs_pages[] = {
    {.method = "GET", .path = "/admin/jobs/runs", .name = "page.runs", .op = "job_run.list", .perm = PERM_JOBS_READ, .run = runs},
    {.method = "GET", .path = "/admin/jobs/runs/:id", .name = "page.run", .op = "job_run.get", .perm = PERM_JOBS_READ, .run = one_run},
    {.method = "POST", .path = "/admin/jobs/runs/:id/cancel", .name = "page.run.cancel", .perm = PERM_JOBS_RUN,
     .run = runs_page_cancel, .again = one_run},
    {0},
};
