/* The tasks of the queue: a list by kind and state, and one with its tries and what it was to do. */
#include "jobs_html.h"

#include <string.h>

#include "job_scope.h"
#include "job_service.h"
#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "task_service.h"

/* ---- what all pages say of a task */

const char *account_text(struct ctx *c, struct uuid id)
{
    if (uuid_is_nil(id))
        return NULL;
    return uuid_eq(id, c->account_id) ? c->who->account_slug : arena_strdup(c->arena, UUID_STR(id));
}

void put_task(struct ctx *c, struct json *row, const struct task_row *t)
{
    static const char *const KINDS[] = {
        [TASK_READY] = "info", [TASK_RUNNING] = "info", [TASK_DONE] = "ok", [TASK_DEAD] = "bad", [TASK_CANCELLED] = "off",
    };

    put_id(c, row, "id", t->id);
    json_set_str(c->arena, row, "kind", t->kind);
    put_badge(c, row, KINDS[t->status], enumx_name(&task_status_enumx, (int)t->status));
    json_set_str(c->arena, row, "account", account_text(c, t->account_id));
    json_set_str(c->arena, row, "error", t->last_error ? t->last_error : t->status == TASK_DEAD ? "no reason given" : NULL);
    json_set_int(c->arena, row, "attempts", t->attempts);
    json_set_int(c->arena, row, "max_attempts", t->max_attempts);
    put_id(c, row, "run_id", t->run_id);
    put_time(c, row, "created_at", t->created_at);
    put_time(c, row, "run_at", t->run_at);
    put_time(c, row, "started_at", t->started_at);
    put_time(c, row, "finished_at", t->finished_at);
}

err put_task_kinds(struct ctx *c, struct json *m, bool everywhere, const char *shown)
{
    struct json *choices = put_list(c, m, "kinds");
    struct task_summary *kinds;
    size_t n;

    TRY(task_overview(c, everywhere, &kinds, &n));
    add_choice(c, choices, "", "any", !shown);
    for (size_t i = 0; i < n; i++)
        add_choice(c, choices, kinds[i].kind, kinds[i].kind, str_eq(kinds[i].kind, shown));
    return ERR_OK;
}

/* ---- the list */

static err tasks(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "tasks");
    struct task_query q = {.status = query_enum(p, "status", &task_status_enumx), .kind = page_query(p, "kind"),
                           .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    const struct task_row *t;
    struct page page;

    TRY(job_scope_of(c, -1, &q.everywhere));
    TRY(task_page(c, &q, &page));
    t = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_task(c, add_row(c, list), &t[i]);
    TRY(put_task_kinds(c, p->model, q.everywhere, q.kind));
    json_set(c->arena, p->model, "statuses", enum_choices(c, &task_status_enumx, "any", page_query(p, "status")));
    json_set_bool(c->arena, p->model, "is_filtered", q.kind || q.status >= 0);
    put_listing(c, p, "/admin/queue/tasks", &page);
    TRY(put_job_tabs(c, p->model, "queue"));
    return page_show(p, "tasks");
}

/* ---- one of them */

static void put_tries(struct ctx *c, struct json *m, const struct task_row *t)
{
    const struct json *tries = json_opened(c->arena, t->tries);
    struct json *list = put_list(c, m, "tries");

    for (const struct json *n = json_is(tries, JSON_ARR) ? tries->first : NULL; n; n = n->next) {
        struct json *row = add_row(c, list);
        struct instant at = {0};

        if (json_get_str(n, "at"))
            (void)!instant_parse(json_get_str(n, "at"), &at);
        put_time(c, row, "at", at);
        json_set_str(c->arena, row, "error", json_get_str(n, "error"));
    }
}

/* The ids in what it is about, each with where it leads. */
static void put_links(struct ctx *c, struct json *m, const struct json *payload)
{
    static const struct { const char *name, *folder; } PAGES[] = {
        {"node_id", "nodes"}, {"space_id", "spaces"}, {"agent_id", "agents"}, {"run_id", "jobs/runs"}, {"user_id", "users"},
    };
    struct json *list = put_list(c, m, "links");

    for (const struct json *v = json_is(payload, JSON_OBJ) ? payload->first : NULL; v; v = v->next) {
        const char *folder = NULL;
        struct json *row;
        struct uuid id;

        if (!json_is(v, JSON_STR) || !uuid_parse(v->s, &id))
            continue;
        for (size_t i = 0; i < sizeof PAGES / sizeof *PAGES; i++)
            if (str_eq(PAGES[i].name, v->key))
                folder = PAGES[i].folder;
        if (!folder && !page_may(c, PERM_AUDIT_READ))
            continue;
        row = add_row(c, list);
        json_set_str(c->arena, row, "name", v->key);
        json_set_str(c->arena, row, "id", v->s);
        json_set_str(c->arena, row, "href", folder ? arena_printf(c->arena, "/admin/%s/%s", folder, v->s)
                                                   : arena_printf(c->arena, "/admin/audit?subject=%s", v->s));
    }
}

static err task_page_one_task(struct ctx *c, struct page_call *p)
{
    struct json *m = json_set(c->arena, p->model, "task", json_obj(c->arena));
    const struct json *payload;
    struct task_row t;
    struct uuid id;
    bool everywhere;

    TRY(page_id(c, p, 0, &id));
    TRY(job_scope_of(c, -1, &everywhere));
    TRY(task_get(c, id, everywhere, &t));
    payload = json_opened(c->arena, t.payload);
    put_task(c, m, &t);
    json_set_int(c->arena, m, "priority", t.priority);
    json_set_str(c->arena, m, "idem_key", t.idem_key);
    json_set_bool(c->arena, m, "again", t.again);
    json_set_str(c->arena, m, "payload", payload && payload->first ? json_text_pretty(c->arena, payload) : NULL);
    put_tries(c, m, &t);
    put_links(c, m, payload);
    json_set_bool(c->arena, p->model, "may_end", t.status == TASK_DEAD && page_may(c, PERM_JOBS_MANAGE));
    json_set_bool(c->arena, p->model, "is_live", t.status == TASK_READY || t.status == TASK_RUNNING);
    TRY(put_job_tabs(c, p->model, t.status == TASK_DEAD ? "dead" : "queue"));
    return page_show(p, "task");
}

const struct page_row task_pages[] = {
    {.method = "GET", .path = "/admin/queue/tasks", .name = "page.tasks", .op = "task.list", .perm = PERM_JOBS_MANAGE, .run = tasks},
    {.method = "GET", .path = "/admin/tasks/:id", .name = "page.task", .op = "task.get", .perm = PERM_JOBS_MANAGE, .run = task_page_one_task},
    {0},
};
