/* The queue by kind, its dead letters, and the processes that work on it. */
#include "jobs_html.h"

#include <string.h>

#include "app.h"
#include "job_scope.h"
#include "job_service.h"
#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "task_service.h"

#define AT_WORK_SHOWN 20
#define LATE_US (10 * 60 * SECOND_US) /* waiting longer gains priority, and a remark here */

/* ---- the queue */

static void put_kind(struct ctx *c, struct json *row, const struct task_summary *k)
{
    const struct task_kind *kind = task_kind_find(c->app->jobs, k->kind);
    int64_t age = k->oldest.us ? c->now.us - k->oldest.us : 0;
    struct json *query = json_obj(c->arena);

    json_set_str(c->arena, query, "kind", k->kind);
    json_set_str(c->arena, row, "kind", k->kind);
    json_set_str(c->arena, row, "description", kind ? arena_printf(c->arena, "failed after %d tries", kind->max_attempts)
                                                    : NULL);
    json_set_int(c->arena, row, "priority", k->priority);
    json_set_str(c->arena, row, "ready", model_count(c->arena, k->ready));
    json_set_str(c->arena, row, "running", model_count(c->arena, k->running));
    json_set_str(c->arena, row, "dead", model_count(c->arena, k->dead));
    json_set_str(c->arena, row, "oldest", k->ready && age > 0 ? model_duration(c->arena, age) : NULL);
    json_set_bool(c->arena, row, "is_late", k->ready && age > LATE_US);
    json_set_str(c->arena, row, "href", model_href(c->arena, "/admin/queue/tasks", query));
    json_set_str(c->arena, row, "href_dead", k->dead ? model_href(c->arena, "/admin/queue/dead", query) : NULL);
}

static err add_at_work(struct ctx *c, struct json *m, bool everywhere)
{
    struct json *list = put_list(c, m, "at_work");
    const struct task_row *t;
    struct page page;

    TRY(task_page(c, &(struct task_query){.status = TASK_RUNNING, .everywhere = everywhere, .limit = AT_WORK_SHOWN}, &page));
    t = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_task(c, add_row(c, list), &t[i]);
    return ERR_OK;
}

static err queue(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "kinds");
    struct task_summary *kinds;
    bool everywhere;
    size_t n;

    TRY(job_scope_of(c, -1, &everywhere));
    TRY(task_overview(c, everywhere, &kinds, &n));
    for (size_t i = 0; i < n; i++)
        put_kind(c, add_row(c, list), &kinds[i]);
    TRY(add_at_work(c, p->model, everywhere));
    TRY(put_job_tabs(c, p->model, "queue"));
    return page_show(p, "queue");
}

/* ---- dead letters */

static void put_dead(struct ctx *c, struct json *row, const struct task_row *t)
{
    const struct json *payload = json_opened(c->arena, t->payload);

    put_task(c, row, t);
    json_set_str(c->arena, row, "payload", payload && payload->first ? json_text_pretty(c->arena, payload) : NULL);
}

static const struct json *asked_dead(struct ctx *c)
{
    struct json *asked = json_obj(c->arena);

    json_set_str(c->arena, asked, "status", "dead");
    return asked;
}

static err dead_letters(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "tasks");
    struct task_query q = {.status = TASK_DEAD, .kind = page_query(p, "kind"), .limit = LIMIT_PAGE_DEFAULT,
                           .cursor = page_query(p, "cursor")};
    const struct task_row *t;
    struct page page;

    TRY(job_scope_of(c, -1, &q.everywhere));
    TRY(task_page(c, &q, &page));
    t = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_dead(c, add_row(c, list), &t[i]);
    TRY(put_task_kinds(c, p->model, q.everywhere, q.kind));
    json_set_str(c->arena, p->model, "kind", page.n ? q.kind : NULL);
    json_set_bool(c->arena, p->model, "may_manage", page_may(c, PERM_JOBS_MANAGE));
    p->asked = asked_dead(c);
    put_listing(c, p, "/admin/queue/dead", &page);
    TRY(put_job_tabs(c, p->model, "dead"));
    return page_show(p, "dead_letters");
}

static err queue_page_with_id(struct ctx *c, struct page_call *p, struct json **extra)
{
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    *extra = json_obj(c->arena);
    json_set_str(c->arena, *extra, "id", p->params[0]);
    return ERR_OK;
}

static err queue_page_retry(struct ctx *c, struct page_call *p)
{
    struct json *extra;

    TRY(queue_page_with_id(c, p, &extra));
    TRY(page_run(c, p, "task.retry", extra, NULL));
    page_say(c, p, "ok", "Task queued again.");
    return page_go(c, p, "/admin/queue/dead");
}

static err queue_page_discard(struct ctx *c, struct page_call *p)
{
    struct json *extra;

    TRY(queue_page_with_id(c, p, &extra));
    TRY(page_run(c, p, "task.discard", extra, NULL));
    page_say(c, p, "ok", "Task discarded.");
    return page_go(c, p, "/admin/queue/dead");
}

static err retry_all(struct ctx *c, struct page_call *p)
{
    struct call_result r;

    TRY(page_run(c, p, "task.retry_all", NULL, &r));
    page_say(c, p, "ok", "%s queued again.", model_count(c->arena, json_get_int(r.data, "tasks", 0)));
    return page_go(c, p, "/admin/queue/dead");
}

static err discard_all(struct ctx *c, struct page_call *p)
{
    struct call_result r;

    TRY(page_run(c, p, "task.discard_all", NULL, &r));
    page_say(c, p, "ok", "%s discarded.", model_count(c->arena, json_get_int(r.data, "tasks", 0)));
    return page_go(c, p, "/admin/queue/dead");
}

/* ---- schedulers */

static void put_scheduler(struct ctx *c, struct json *row, const struct scheduler_row *s, struct instant now)
{
    bool silent = now.us - s->heartbeat_at.us > SCHEDULER_SILENT_S * SECOND_US;

    put_id(c, row, "id", s->id);
    json_set_str(c->arena, row, "host", s->host);
    json_set_int(c->arena, row, "pid", s->pid);
    json_set_str(c->arena, row, "loci", s->version);
    json_set_int(c->arena, row, "threads", s->threads);
    json_set_str(c->arena, row, "running", model_count(c->arena, s->running));
    json_set(c->arena, row, "state", silent ? model_badge(c->arena, "bad", "lost") :
             s->stopping ? model_badge(c->arena, "warn", "stopping") : model_badge(c->arena, "ok", "alive"));
    put_time(c, row, "started_at", s->started_at);
    put_time(c, row, "heartbeat_at", s->heartbeat_at.us > c->now.us ? c->now : s->heartbeat_at);
}

static err queue_page_schedulers(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "schedulers");
    struct scheduler_row *rows;
    struct instant now;
    size_t n;

    if (!c->who->is_operator)
        return fail(c, ERR_FORBIDDEN, "this page is only for operators of the installation");
    TRY(jobs_now(c, &now));
    TRY(scheduler_list(c, &rows, &n));
    for (size_t i = 0; i < n; i++)
        put_scheduler(c, add_row(c, list), &rows[i], now);
    TRY(put_job_tabs(c, p->model, "schedulers"));
    return page_show(p, "schedulers");
}

const struct page_row queue_pages[] = {
    {.method = "GET", .path = "/admin/queue", .name = "page.queue", .op = "task.list", .perm = PERM_JOBS_MANAGE, .run = queue},
    {.method = "GET", .path = "/admin/queue/dead", .name = "page.dead", .op = "task.list", .perm = PERM_JOBS_MANAGE, .run = dead_letters},
    {.method = "POST", .path = "/admin/tasks/:id/retry", .name = "page.task.retry", .perm = PERM_JOBS_MANAGE,
     .run = queue_page_retry, .again = dead_letters},
    {.method = "POST", .path = "/admin/tasks/:id/discard", .name = "page.task.discard", .perm = PERM_JOBS_MANAGE,
     .run = queue_page_discard, .again = dead_letters},
    {.method = "POST", .path = "/admin/tasks/retry", .name = "page.task.retry_all", .perm = PERM_JOBS_MANAGE,
     .run = retry_all, .again = dead_letters},
    {.method = "POST", .path = "/admin/tasks/discard", .name = "page.task.discard_all", .perm = PERM_JOBS_MANAGE,
     .run = discard_all, .again = dead_letters},
    {.method = "GET", .path = "/admin/schedulers", .name = "page.schedulers", .op = "scheduler.list", .perm = PERM_JOBS_READ, .run = queue_page_schedulers},
    {0},
};
