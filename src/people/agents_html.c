/* Agents: who remembers, in which role, with which tokens and keys. */
#include "people_html.h"

#include <string.h>

#include "agent.h"
#include "limit.h"
#include "model.h"
#include "parts_html.h"

static err agents_page(struct ctx *c, struct page_call *p)
{
    struct json *form, *roles;
    struct page page;

    TRY(agent_list(c, &(struct agent_filter){.status = query_enum(p, "status", &agent_status_enumx), .q = page_query(p, "q"),
                                             .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")}, &page));
    put_things(c, p->model, "agents", &AGENT, &page);
    put_listing(c, p, "/admin/agents", &page);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &agent_status_enumx, "any", page_query(p, "status")));
    form = put_form(c, p, "fields", &AGENT, COL_CREATE, NULL);
    TRY(role_options(c, ROLE_OF_AGENT, chosen(p, "role", "agent"), &roles));
    form_choices(c, form, "role", roles);
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "agents");
}

/* ---- one of them */

static err add_parent(struct ctx *c, struct json *m, struct uuid id)
{
    struct json *parent;
    struct agent a;
    err e;

    if (uuid_is_nil(id))
        return ERR_OK;
    e = agent_get(c, id, &a);
    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return ERR_OK;
    }
    TRY(e);
    parent = json_set(c->arena, m, "parent", json_obj(c->arena));
    put_id(c, parent, "id", id);
    json_set_str(c->arena, parent, "name", a.name);
    return ERR_OK;
}

static err add_keys(struct ctx *c, struct json *m, struct uuid id)
{
    const struct agent_key *k;
    struct json *rows;
    struct page page;

    TRY(agent_key_list(c, id, LIMIT_AGENT_KEYS, NULL, &page));
    if (!page.n)
        return ERR_OK;
    rows = put_list(c, json_set(c->arena, m, "keys", json_obj(c->arena)), "rows");
    k = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "algorithm", k[i].revoked_at.us ? "Ed25519, revoked" : "Ed25519");
        json_set_str(c->arena, row, "fingerprint", k[i].public_key);
        put_time(c, row, "created_at", k[i].created_at);
    }
    return ERR_OK;
}

static err add_work_roles(struct ctx *c, struct json *m, struct uuid id)
{
    struct agent_roles work;
    struct buf b;

    TRY(agent_roles_get(c, id, &work));
    buf_init(&b, c->arena, 64);
    for (size_t i = 0; i < work.roles.n; i++)
        buf_printf(&b, "%s%s", i ? " " : "", work.roles.v[i]);
    json_set_str(c->arena, m, "roles_text", buf_str(&b));
    return ERR_OK;
}

static err agents_page_add_forms(struct ctx *c, struct page_call *p, const struct agent *a)
{
    struct json *form, *roles;
    struct role role;
    bool may;

    TRY(role_get(c, a->role, &role));
    may = page_may(c, PERM_ACCOUNT_MANAGE) && (role.perms & ~c->who->perms) == 0;
    json_set_bool(c->arena, p->model, "may_edit", may);
    json_set_bool(c->arena, p->model, "may_archive", may && a->status != AGENT_ARCHIVED);
    form = put_form(c, p, "fields", &AGENT, COL_PATCH, a);
    TRY(role_options(c, ROLE_OF_AGENT, chosen(p, "role", a->role), &roles));
    form_choices(c, form, "role", roles);
    return ERR_OK;
}

static err agent_page(struct ctx *c, struct page_call *p)
{
    struct json *m = json_set(c->arena, p->model, "agent", json_obj(c->arena));
    struct agent a;
    struct page tokens;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(agent_get(c, id, &a));
    put_thing(c, m, &AGENT, &a);
    TRY(add_parent(c, m, a.parent_id));
    TRY(add_work_roles(c, m, id));
    TRY(token_list(c, &(struct token_filter){.agent_id = id, .limit = LIMIT_PAGE_DEFAULT}, &tokens));
    put_tokens(c, p->model, &tokens);
    TRY(add_keys(c, p->model, id));
    TRY(agents_page_add_forms(c, p, &a));
    return page_show(p, "agent");
}

/* Words with spaces or commas between. */
static struct json *agents_page_words(struct ctx *c, const char *text)
{
    static const char BETWEEN[] = " ,;\t\r\n";
    struct json *list = json_arr(c->arena);

    for (const char *p = text ? text : ""; *p; p += strcspn(p, BETWEEN)) {
        size_t n;

        p += strspn(p, BETWEEN);
        n = strcspn(p, BETWEEN);
        if (n)
            json_push(list, json_str(c->arena, arena_strndup(c->arena, p, n)));
    }
    return list;
}

static err set_roles(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    json_set_str(c->arena, extra, "id", p->params[0]);
    json_set(c->arena, extra, "roles", agents_page_words(c, page_form(p, "roles")));
    TRY(page_run(c, p, "agent.set_roles", extra, NULL));
    page_say(c, p, "ok", "Work roles saved.");
    return page_go(c, p, "/admin/agents/%s", UUID_STR(id));
}

const struct page_row agents_pages[] = {
    {.method = "GET", .path = "/admin/agents", .name = "page.agents", .op = "agent.list", .perm = PERM_ACCOUNT_READ, .run = agents_page,
     .nav = {.label = "Agents", .icon = "agents", .key = "a", .heading = "Access"}},
    {.method = "POST", .path = "/admin/agents", .name = "page.agent.create", .perm = PERM_ACCOUNT_MANAGE,
     .does = "agent.create", .said = "Agent created. Create a token so that it can call the API.", .go = "/admin/agents/:made", .again = agents_page},
    {.method = "GET", .path = "/admin/agents/:id", .name = "page.agent", .op = "agent.get", .perm = PERM_ACCOUNT_READ, .run = agent_page},
    {.method = "POST", .path = "/admin/agents/:id", .name = "page.agent.update", .perm = PERM_ACCOUNT_MANAGE,
     .does = "agent.update", .said = "Saved.", .go = "/admin/agents/:id", .again = agent_page},
    {.method = "POST", .path = "/admin/agents/:id/roles", .name = "page.agent.roles", .perm = PERM_ACCOUNT_MANAGE,
     .run = set_roles, .again = agent_page},
    {.method = "POST", .path = "/admin/agents/:id/archive", .name = "page.agent.archive", .perm = PERM_ACCOUNT_MANAGE,
     .does = "agent.archive", .said = "Agent archived: its tokens are refused from now on.", .go = "/admin/agents/:id", .again = agent_page},
    {0},
};
