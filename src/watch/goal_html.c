/* The page Goals: those of all agents with a form for a new one, and one of them. */
#include "agent.h"
#include "goal.h"
#include "limit.h"
#include "parts_html.h"
#include "people_html.h"
#include "watch_html.h"

#define AGENTS_SHOWN 100

err watch_put_agents(struct ctx *c, struct page_call *p, const char *name, const char *any, const char *chosen_id)
{
    struct json *options = put_list(c, p->model, name);
    const struct agent *v;
    struct page page;

    if (any)
        add_choice(c, options, "", any, !chosen_id);
    TRY(agent_list(c, &(struct agent_filter){.status = -1, .limit = AGENTS_SHOWN}, &page));
    v = page.items;
    for (size_t i = 0; i < page.n; i++)
        add_choice(c, options, arena_strdup(c->arena, UUID_STR(v[i].id)), v[i].name, str_eq(chosen_id, UUID_STR(v[i].id)));
    return ERR_OK;
}

err watch_agent_asked(struct ctx *c, const struct page_call *p, struct uuid *out)
{
    const char *id = page_query(p, "agent_id");

    *out = (struct uuid){{0}};
    return !id || uuid_parse(id, out) ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such agent");
}

static struct json *goal_put(struct ctx *c, struct json *row, const struct names *names, const struct goal *g)
{
    put_thing(c, row, &GOAL, g);
    put_who(c, row, "agent", names, "agent", g->agent_id);
    json_put(c->arena, row, "percent", json_str(c->arena, arena_printf(c->arena, "%.0f", 100 * g->progress)));
    return row;
}

static err goal_list_page(struct ctx *c, struct page_call *p)
{
    struct goal_filter f = {.status = GOALS_ACTIVE, .stale = page_query(p, "stale"), .limit = LIMIT_PAGE_DEFAULT,
                            .cursor = page_query(p, "cursor")};
    int status = query_enum(p, "status", &goal_wanted_enumx);
    struct json *rows = put_list(c, p->model, "goals");
    const struct goal *v;
    struct names *names;
    struct page page;

    if (status >= 0)
        f.status = (enum goal_wanted)status;
    TRY(watch_agent_asked(c, p, &f.agent_id));
    TRY(goal_list(c, &f, &page));
    TRY(names_load(c, &names));
    v = page.items;
    for (size_t i = 0; i < page.n; i++)
        goal_put(c, add_row(c, rows), names, &v[i]);
    put_listing(c, p, "/admin/goals", &page);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &goal_wanted_enumx, NULL, enumx_name(&goal_wanted_enumx, (int)f.status)));
    json_set_bool(c->arena, p->model, "stale", f.stale);
    TRY(watch_put_agents(c, p, "agents", "any", page_query(p, "agent_id")));
    TRY(watch_put_agents(c, p, "whose", NULL, chosen(p, "agent_id", NULL)));
    put_form(c, p, "fields", &GOAL, COL_CREATE, NULL);
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "goals");
}

static err goal_page(struct ctx *c, struct page_call *p)
{
    struct names *names;
    struct uuid id;
    struct goal g;
    bool open;

    TRY(page_id(c, p, 0, &id));
    TRY(goal_get(c, id, &g));
    TRY(names_load(c, &names));
    open = goal_is_open(&g);
    goal_put(c, json_set(c->arena, p->model, "goal", json_obj(c->arena)), names, &g);
    json_set_str(c->arena, p->model, "criteria", g.success_criteria ? json_text(c->arena, g.success_criteria) : NULL);
    put_form(c, p, "fields", &GOAL, COL_PATCH, &g);
    json_set_bool(c->arena, p->model, "may_edit", open && page_may(c, PERM_OVERSIGHT_WRITE));
    json_set_bool(c->arena, p->model, "may_reopen", !open && page_may(c, PERM_OVERSIGHT_REVIEW));
    return page_show(p, "goal");
}

const struct page_row goal_pages[] = {
    {.method = "GET", .path = "/admin/goals", .name = "page.goals", .op = "goal.list", .perm = PERM_OVERSIGHT_READ, .run = goal_list_page,
     .nav = {.label = "Goals", .icon = "jobs"}},
    {.method = "POST", .path = "/admin/goals", .name = "page.goals.create", .perm = PERM_OVERSIGHT_WRITE, .does = "goal.create",
     .said = "Goal created.", .go = "/admin/goals/:made", .again = goal_list_page},
    {.method = "GET", .path = "/admin/goals/:id", .name = "page.goal", .op = "goal.get", .perm = PERM_OVERSIGHT_READ, .run = goal_page},
    {.method = "POST", .path = "/admin/goals/:id", .name = "page.goals.update", .perm = PERM_OVERSIGHT_WRITE, .does = "goal.update",
     .said = "Saved.", .go = "/admin/goals/:id", .again = goal_page},
    {.method = "POST", .path = "/admin/goals/:id/reopen", .name = "page.goals.reopen", .perm = PERM_OVERSIGHT_REVIEW, .does = "goal.reopen",
     .said = "Reopened.", .go = "/admin/goals/:id", .again = goal_page},
    {0},
};
