/* The overview: what there is, whether all is well, what happened last. It stands in the room that sees all it shows. */
#include <string.h>

#include "agent.h"
#include "app.h"
#include "config.h"
#include "graph_html.h"
#include "job_scope.h"
#include "job_service.h"
#include "jobs_html.h"
#include "limit.h"
#include "model.h"
#include "overview_html.h"
#include "parts_html.h"
#include "people_html.h"
#include "principal.h"
#include "task_service.h"
#include "token.h"
#include "user.h"

#define EVENTS 8
#define RUNS 6
#define FAILED_SHOWN 20
#define LONG_WAIT_US (600 * SECOND_US) /* a task that was due so long ago has been forgotten by somebody */

/* A page says how many there are up to its limit; beyond that a plus is all one needs here. */
static const char *amount(struct ctx *c, const struct page *p)
{
    return arena_printf(c->arena, "%zu%s", p->n, p->has_more ? "+" : "");
}

static void overview_page_add_count(struct ctx *c, struct json *counts, const char *label, const char *value, const char *href,
                                    const char *note)
{
    struct json *one = add_row(c, counts);

    json_set_str(c->arena, one, "label", label);
    json_set_str(c->arena, one, "value", value);
    json_set_str(c->arena, one, "href", href);
    json_set_str(c->arena, one, "note", note);
}

static void add_step(struct ctx *c, struct json *steps, const char *text, const char *href, bool done)
{
    struct json *s = add_row(c, steps);

    json_set_str(c->arena, s, "text", text);
    json_set_str(c->arena, s, "href", href);
    json_set_bool(c->arena, s, "done", done);
}

/* What an agent remembers is its own, so that it called at all is what shows here. */
static bool an_agent_called(const struct page *tokens)
{
    const struct token *t = tokens->items;

    for (size_t i = 0; i < tokens->n; i++)
        if (!uuid_is_nil(t[i].agent_id) && t[i].last_used_at.us)
            return true;
    return false;
}

/* Until an agent has called: how one gets there. */
static void add_start(struct ctx *c, struct json *m, bool has_agent, bool has_token, bool has_called)
{
    struct json *start, *steps;

    if (has_called || !page_may(c, PERM_ACCOUNT_MANAGE))
        return;
    start = json_set(c->arena, m, "start", json_obj(c->arena));
    steps = put_list(c, start, "steps");
    add_step(c, steps, "Add an agent", "/admin/agents", has_agent);
    add_step(c, steps, "Create a token for it", "/admin/tokens", has_token);
    add_step(c, steps, "Store its first memory", NULL, false);
    json_set_str(c->arena, start, "curl", !has_token ? NULL : arena_printf(c->arena,
        "curl -H \"Authorization: Bearer $LOCI_TOKEN\" -H 'Content-Type: application/json' \\\n"
        "  -d '{\"kind\":\"note\",\"title\":\"Hello\",\"body\":\"The first thing I know.\"}' \\\n"
        "  %s/api/v1/nodes", c->app->conf->web_public_url));
}

static const char *nodes_note(struct ctx *c, const struct json *of_kinds)
{
    int64_t new = json_get_int(of_kinds, "new", 0), archived = json_get_int(of_kinds, "archived", 0);
    const char *added = new ? arena_printf(c->arena, "%s new this week", model_count(c->arena, new)) : NULL;

    if (!archived)
        return added;
    return arena_printf(c->arena, "%s%s%s archived", added ? added : "", added ? ", " : "", model_count(c->arena, archived));
}

static err overview_page_add_counts(struct ctx *c, struct json *m)
{
    struct json *counts = put_list(c, m, "counts");
    struct token_filter own = {.limit = LIMIT_PAGE};
    struct page users, agents, tokens;
    const struct json *of_kinds;
    int64_t nodes;

    TRY(put_kinds(c, m, &of_kinds));
    TRY(agent_list(c, &(struct agent_filter){.status = -1, .limit = LIMIT_PAGE}, &agents));
    TRY(user_list(c, &(struct user_filter){.status = -1, .limit = LIMIT_PAGE}, &users));
    if (!page_may(c, PERM_ACCOUNT_MANAGE))
        own.user_id = c->who->id;
    TRY(token_list(c, &own, &tokens));
    nodes = json_get_int(of_kinds, "nodes", 0);
    overview_page_add_count(c, counts, "Memories", model_count(c->arena, nodes), "/admin/nodes", nodes_note(c, of_kinds));
    overview_page_add_count(c, counts, "Spaces", model_count(c->arena, (int64_t)c->access->n), "/admin/spaces", NULL);
    overview_page_add_count(c, counts, "Agents", amount(c, &agents), "/admin/agents", NULL);
    overview_page_add_count(c, counts, "Users", amount(c, &users), "/admin/users", NULL);
    overview_page_add_count(c, counts, page_may(c, PERM_ACCOUNT_MANAGE) ? "Tokens" : "Your tokens", amount(c, &tokens), "/admin/tokens",
                            NULL);
    add_start(c, m, agents.n, tokens.n, an_agent_called(&tokens));
    return ERR_OK;
}

static err add_events(struct ctx *c, struct json *m)
{
    struct json *box, *rows;
    struct names *names;
    struct page page;
    const struct audit_event *e;

    if (!page_may(c, PERM_AUDIT_READ))
        return ERR_OK;
    TRY(audit_list(c, &(struct audit_filter){.limit = EVENTS}, &page));
    TRY(names_load(c, &names));
    box = json_set(c->arena, m, "events", json_obj(c->arena));
    rows = put_list(c, box, "rows");
    e = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, rows), *query = json_obj(c->arena);

        json_set_str(c->arena, query, "kind", e[i].kind);
        json_set_str(c->arena, row, "kind", e[i].kind);
        json_set_str(c->arena, row, "href", model_href(c->arena, "/admin/audit", query));
        json_set_str(c->arena, row, "actor", actor_name(c, names, &e[i]));
        json_set_str(c->arena, row, "subject", names_find(names, e[i].subject_id));
        put_time(c, row, "at", e[i].at);
    }
    return ERR_OK;
}

static err overview_page_add_runs(struct ctx *c, struct json *m)
{
    struct run_query q = {.status = -1, .trigger = -1, .limit = RUNS};
    const struct run *r;
    struct json *rows;
    struct page page;

    if (!page_may(c, PERM_JOBS_READ))
        return ERR_OK;
    TRY(job_scope_of(c, -1, &q.everywhere));
    TRY(run_page(c, &q, &page));
    if (!page.n)
        return ERR_OK;
    rows = put_list(c, json_set(c->arena, m, "runs", json_obj(c->arena)), "rows");
    r = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "name", r[i].job_name);
        json_set_str(c->arena, row, "href", arena_printf(c->arena, "/admin/jobs/runs/%s", UUID_STR(r[i].id)));
        put_run_status(c, row, &r[i]);
        put_time(c, row, "at", r[i].started_at.us ? r[i].started_at : r[i].fire_at);
        json_set_str(c->arena, row, "summary", run_words(c, &r[i]));
    }
    return ERR_OK;
}

static void overview_page_add_light(struct ctx *c, struct json *list, const char *name, const char *state, const char *text,
                                    const char *href)
{
    struct json *one = add_row(c, list);

    json_set_str(c->arena, one, "name", name);
    json_set_str(c->arena, one, "state", state);
    json_set_str(c->arena, one, "text", text);
    json_set_str(c->arena, one, "detail", NULL);
    json_set_str(c->arena, one, "href", href);
}

/* What went wrong in a day. */
static err add_failed_light(struct ctx *c, struct json *list)
{
    struct run_query q = {.status = RUN_FAILED, .trigger = -1, .from = {c->now.us - DAY_US}, .limit = FAILED_SHOWN};
    struct page page;

    if (!page_may(c, PERM_JOBS_READ))
        return ERR_OK;
    TRY(job_scope_of(c, -1, &q.everywhere));
    TRY(run_page(c, &q, &page));
    overview_page_add_light(c, list, "Jobs", page.n ? "warn" : "ok",
                            page.n ? arena_printf(c->arena, "%s %s failed in 24 hours", amount(c, &page), page.n == 1 ? "run" : "runs")
                     : "no failures in 24 hours", page.n ? "/admin/jobs/runs?status=failed" : "/admin/jobs");
    return ERR_OK;
}

static err add_queue_light(struct ctx *c, struct json *list)
{
    struct task_summary *kinds;
    int64_t dead = 0, ready = 0;
    struct instant oldest = c->now;
    bool everywhere;
    size_t n;

    if (!page_may(c, PERM_JOBS_MANAGE))
        return ERR_OK;
    TRY(job_scope_of(c, -1, &everywhere));
    TRY(task_overview(c, everywhere, &kinds, &n));
    for (size_t i = 0; i < n; i++) {
        dead += kinds[i].dead;
        ready += kinds[i].ready;
        if (kinds[i].ready && kinds[i].oldest.us && kinds[i].oldest.us < oldest.us)
            oldest = kinds[i].oldest;
    }
    if (dead)
        overview_page_add_light(c, list, "Queue", "warn", arena_printf(c->arena, "%s failed",
                                                                       model_counted(c->arena, dead, "task",
                                                                                     "tasks")), "/admin/queue/dead");
    else
        overview_page_add_light(c, list, "Queue", c->now.us - oldest.us > LONG_WAIT_US ? "warn" : "ok",
                                ready ? arena_printf(c->arena, "%s waiting, the oldest for %s", model_count(c->arena, ready),
                                                     model_duration(c->arena, c->now.us - oldest.us))
                        : "empty, no failed tasks", "/admin/queue");
    return ERR_OK;
}

/* Whether somebody runs the jobs, and how they went. */
static err add_job_lights(struct ctx *c, struct json *list)
{
    struct scheduler_row *rows;
    struct instant now;
    size_t n, alive = 0;

    TRY(jobs_now(c, &now));
    TRY(scheduler_list(c, &rows, &n));
    for (size_t i = 0; i < n; i++)
        alive += now.us - rows[i].heartbeat_at.us <= SCHEDULER_SILENT_S * SECOND_US;
    overview_page_add_light(c, list, "Schedulers", alive ? "ok" : "warn", alive ? arena_printf(c->arena, "%zu alive", alive)
                            : "none: jobs are not running", page_may(c, PERM_JOBS_READ) ? "/admin/jobs" : NULL);
    TRY(add_failed_light(c, list));
    return add_queue_light(c, list);
}

/* How much of what is remembered is worth keeping. */
static err add_memory_light(struct ctx *c, struct json *list)
{
    struct health_part p;

    if (!c->app->ask_junk || !page_may(c, PERM_MEMORY_MANAGE))
        return ERR_OK;
    TRY(c->app->ask_junk(c, &p));
    overview_page_add_light(c, list, "Memory", p.off ? "off" : p.ok ? "ok" : "warn", p.detail, "/admin/junk");
    return ERR_OK;
}

static err overview(struct ctx *c, struct page_call *p)
{
    struct health_part parts[HEALTH_PARTS];
    struct json *lights;
    size_t n;

    n = health_check(c, parts);
    lights = json_set(c->arena, p->model, "health", health_lights(c, parts, n, page_may(c, PERM_ACCOUNT_READ) ? "/admin/settings" : NULL));
    TRY(add_memory_light(c, lights));
    TRY(add_job_lights(c, lights));
    TRY(overview_page_add_runs(c, p->model));
    TRY(overview_page_add_counts(c, p->model));
    TRY(put_speed(c, p->model));
    TRY(put_tiers(c, p->model));
    TRY(put_junk(c, p->model));
    TRY(add_events(c, p->model));
    return page_show(p, "overview");
}

const struct page_row overview_pages[] = {
    {.method = "GET", .path = "/admin", .name = "page.overview", .run = overview,
     .nav = {.label = "Overview", .icon = "overview", .key = "o"}},
    {0},
};
