/* Teams: groups of agents that share a namespace. */
#include "people_html.h"

#include "agent.h"
#include "limit.h"
#include "parts_html.h"
#include "team.h"

static err teams_page(struct ctx *c, struct page_call *p)
{
    struct page page;

    TRY(team_list(c, &(struct team_filter){.q = page_query(p, "q"), .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")},
                  &page));
    put_things(c, p->model, "teams", &TEAM, &page);
    put_listing(c, p, "/admin/teams", &page);
    put_form(c, p, "fields", &TEAM, COL_CREATE, NULL);
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "teams");
}

/* ---- one of them */

static err put_members(struct ctx *c, struct page_call *p, struct uuid id)
{
    struct page page;

    TRY(team_members(c, &(struct team_member_filter){.id = id, .limit = LIMIT_PAGE, .cursor = page_query(p, "cursor")}, &page));
    put_things(c, p->model, "members", &TEAM_MEMBER, &page);
    put_listing(c, p, arena_printf(c->arena, "/admin/teams/%s", UUID_STR(id)), &page);
    return ERR_OK;
}

static err put_agent_choices(struct ctx *c, struct page_call *p)
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
    struct team t;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(team_get(c, id, &t));
    put_thing(c, json_set(c->arena, p->model, "team", json_obj(c->arena)), &TEAM, &t);
    TRY(put_members(c, p, id));
    TRY(put_agent_choices(c, p));
    put_form(c, p, "fields", &TEAM, COL_PATCH, &t);
    put_form(c, p, "member_fields", &TEAM_MEMBER, COL_CREATE, NULL);
    json_set_bool(c->arena, p->model, "may_edit", page_may(c, PERM_ACCOUNT_MANAGE));
    return page_show(p, "team");
}

const struct page_row teams_pages[] = {
    {.method = "GET", .path = "/admin/teams", .name = "page.teams", .op = "team.list", .perm = PERM_ACCOUNT_READ, .run = teams_page,
     .nav = {.label = "Teams", .icon = "teams", .key = "t"}},
    {.method = "POST", .path = "/admin/teams", .name = "page.team.create", .perm = PERM_ACCOUNT_MANAGE,
     .does = "team.create", .said = "Team created. Add its agents.", .go = "/admin/teams/:made", .again = teams_page},
    {.method = "GET", .path = "/admin/teams/:id", .name = "page.team", .op = "team.get", .perm = PERM_ACCOUNT_READ, .run = team_page},
    {.method = "POST", .path = "/admin/teams/:id", .name = "page.team.update", .perm = PERM_ACCOUNT_MANAGE,
     .does = "team.update", .said = "Saved.", .go = "/admin/teams/:id", .again = team_page},
    {.method = "POST", .path = "/admin/teams/:id/members", .name = "page.team.member", .perm = PERM_ACCOUNT_MANAGE,
     .does = "team.put_member", .said = "Agent added to the team.", .go = "/admin/teams/:id", .again = team_page},
    {.method = "POST", .path = "/admin/teams/:id/members/:agent_id/remove", .name = "page.team.member.remove", .perm = PERM_ACCOUNT_MANAGE,
     .does = "team.remove_member", .said = "Agent removed from the team.", .go = "/admin/teams/:id", .again = team_page},
    {.method = "POST", .path = "/admin/teams/:id/delete", .name = "page.team.delete", .perm = PERM_ACCOUNT_MANAGE,
     .does = "team.delete", .said = "Team deleted.", .go = "/admin/teams", .again = team_page},
    {0},
};
