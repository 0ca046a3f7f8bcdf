/* Teams: groups of agents that share a namespace. */
#include "graph_page.h"

#include "agent.h"
#include "limit.h"
#include "model.h"
#include "parts_page.h"
#include "team.h"

static void put_team(struct ctx *c, struct json *row, const struct team *t)
{
    put_id(c, row, "id", t->id);
    json_set_str(c->arena, row, "slug", t->slug);
    json_set_str(c->arena, row, "name", t->name);
    json_set_str(c->arena, row, "description", str_empty(t->description) ? NULL : t->description);
    json_set_str(c->arena, row, "n_members", model_count(c->arena, t->members));
    json_set_int(c->arena, row, "version", t->version);
    put_time(c, row, "created_at", t->created_at);
    put_time(c, row, "updated_at", t->updated_at);
}

static err teams(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "teams");
    const struct team *t;
    struct page page;

    TRY(team_list(c, page_query(p, "q"), LIMIT_PAGE_DEFAULT, page_query(p, "cursor"), &page));
    t = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_team(c, add_row(c, list), &t[i]);
    put_listing(c, p, "/admin/teams", &page);
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "teams");
}

static err create(struct ctx *c, struct page_call *p)
{
    struct call_result r;

    TRY(page_run(c, p, "team.create", NULL, &r));
    page_say(c, p, "ok", "Team created. Add its agents below.");
    return page_go(c, p, "/admin/teams/%s", UUID_STR(r.id));
}

/* ---- one of them */

static err add_members(struct ctx *c, struct page_call *p, struct uuid id)
{
    struct json *list = put_list(c, p->model, "members");
    const struct team_member *t;
    struct page page;

    TRY(team_members(c, id, LIMIT_PAGE, page_query(p, "cursor"), &page));
    t = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        put_id(c, row, "agent_id", t[i].agent_id);
        json_set_str(c->arena, row, "slug", t[i].slug);
        json_set_str(c->arena, row, "name", t[i].name);
        json_set_str(c->arena, row, "role", t[i].role);
        json_set_bool(c->arena, row, "is_lead", t[i].is_lead);
        put_time(c, row, "since", t[i].created_at);
    }
    put_listing(c, p, arena_printf(c->arena, "/admin/teams/%s", UUID_STR(id)), &page);
    return ERR_OK;
}

static err add_agents(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "agents");
    const char *shown = chosen(p, "agent_id", "");
    const struct agent *a;
    struct page page;

    TRY(agent_list(c, &(struct agent_filter){.status = AGENT_ACTIVE, .limit = LIMIT_PAGE}, &page));
    a = page.items;
    for (size_t i = 0; i < page.n; i++) {
        const char *id = uuid_text(a[i].id, arena_alloc(c->arena, UUID_TEXT));

        add_choice(c, list, id, a[i].name, str_eq(id, shown));
    }
    return ERR_OK;
}

static err team_page(struct ctx *c, struct page_call *p)
{
    bool may = page_may(c, PERM_ACCOUNT_MANAGE);
    struct team t;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(team_get(c, id, &t));
    put_team(c, json_set(c->arena, p->model, "team", json_obj(c->arena)), &t);
    TRY(add_members(c, p, id));
    TRY(add_agents(c, p));
    json_set_bool(c->arena, p->model, "may_edit", may);
    json_set_bool(c->arena, p->model, "may_delete", may);
    return page_show(p, "team");
}

static err update(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    json_set_str(c->arena, extra, "id", p->params[0]);
    TRY(page_run(c, p, "team.update", extra, NULL));
    page_say(c, p, "ok", "Saved.");
    return page_go(c, p, "/admin/teams/%s", UUID_STR(id));
}

static err put_member(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    json_set_str(c->arena, extra, "id", p->params[0]);
    TRY(page_run(c, p, "team.put_member", extra, NULL));
    page_say(c, p, "ok", "Agent added to the team.");
    return page_go(c, p, "/admin/teams/%s", UUID_STR(id));
}

static err remove_member(struct ctx *c, struct page_call *p)
{
    struct uuid id, agent_id;

    TRY(page_id(c, p, 0, &id));
    TRY(page_id(c, p, 1, &agent_id));
    TRY(team_remove_member(c, id, agent_id));
    page_say(c, p, "ok", "Agent removed from the team.");
    return page_go(c, p, "/admin/teams/%s", UUID_STR(id));
}

static err delete(struct ctx *c, struct page_call *p)
{
    struct team t;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(team_get(c, id, &t));
    TRY(team_delete(c, id, 0));
    page_say(c, p, "ok", "Team %s deleted.", t.name);
    return page_go(c, p, "/admin/teams");
}

const struct page_row teams_pages[] = {
    {.method = "GET", .path = "/admin/teams", .name = "page.teams", .op = "team.list", .perm = PERM_ACCOUNT_READ, .run = teams,
     .nav = {.label = "Teams", .icon = "teams", .key = "t"}},
    {.method = "POST", .path = "/admin/teams", .name = "page.team.create", .perm = PERM_ACCOUNT_MANAGE, .run = create,
     .again = teams},
    {.method = "GET", .path = "/admin/teams/:id", .name = "page.team", .op = "team.get", .perm = PERM_ACCOUNT_READ, .run = team_page},
    {.method = "POST", .path = "/admin/teams/:id", .name = "page.team.update", .perm = PERM_ACCOUNT_MANAGE,
     .run = update, .again = team_page},
    {.method = "POST", .path = "/admin/teams/:id/members", .name = "page.team.member", .perm = PERM_ACCOUNT_MANAGE,
     .run = put_member, .again = team_page},
    {.method = "POST", .path = "/admin/teams/:id/members/:agent_id/remove", .name = "page.team.member.remove",
     .perm = PERM_ACCOUNT_MANAGE, .run = remove_member, .again = team_page},
    {.method = "POST", .path = "/admin/teams/:id/delete", .name = "page.team.delete", .perm = PERM_ACCOUNT_MANAGE,
     .run = delete, .again = team_page},
    {0},
};
