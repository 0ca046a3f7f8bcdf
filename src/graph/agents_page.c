/* Agents: who remembers, in which role, with which tokens and keys. */
#include "graph_page.h"

#include <string.h>

#include "agent.h"
#include "limit.h"
#include "model.h"
#include "parts_page.h"

static void put_agent(struct ctx *c, struct json *row, const struct agent *a)
{
    const char *status = enumx_name(&agent_status_enumx, (int)a->status);

    put_id(c, row, "id", a->id);
    json_set_str(c->arena, row, "slug", a->slug);
    json_set_str(c->arena, row, "name", a->name);
    json_set_str(c->arena, row, "kind", a->kind);
    json_set_str(c->arena, row, "role", a->role);
    put_badge(c, row, a->status == AGENT_ACTIVE ? "ok" : a->status == AGENT_PAUSED ? "warn" : "off", status);
    json_set_str(c->arena, row, "trust", arena_printf(c->arena, "%.2f", a->trust));
    json_set_int(c->arena, row, "trust_percent", (int64_t)(a->trust * 100 + 0.5));
    put_time(c, row, "updated_at", a->updated_at);
}

static err agents(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "agents");
    const struct agent *a;
    struct page page;

    TRY(agent_list(c, &(struct agent_filter){.status = query_enum(p, "status", &agent_status_enumx),
                                             .q = page_query(p, "q"), .limit = LIMIT_PAGE_DEFAULT,
                                             .cursor = page_query(p, "cursor")}, &page));
    a = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_agent(c, add_row(c, list), &a[i]);
    put_listing(c, p, "/admin/agents", &page);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &agent_status_enumx, "any", page_query(p, "status")));
    TRY(put_role_options(c, p->model, ROLE_OF_AGENT, chosen(p, "role", "agent")));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "agents");
}

static err create(struct ctx *c, struct page_call *p)
{
    struct call_result r;

    TRY(page_run(c, p, "agent.create", NULL, &r));
    page_say(c, p, "ok", "Agent created. Create a token so that it can call the API.");
    return page_go(c, p, "/admin/agents/%s", UUID_STR(r.id));
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

static err add_tokens(struct ctx *c, struct json *m, struct uuid id)
{
    struct json *list = put_list(c, m, "tokens");
    const struct token *t;
    struct page page;

    TRY(token_list(c, &(struct token_filter){.agent_id = id, .limit = LIMIT_PAGE_DEFAULT}, &page));
    t = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        put_id(c, row, "id", t[i].id);
        json_set_str(c->arena, row, "name", t[i].name);
        json_set_str(c->arena, row, "prefix", t[i].prefix);
        put_token_state(c, row, &t[i]);
        put_time(c, row, "last_used_at", t[i].last_used_at);
    }
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
    struct strs roles;
    struct buf b;

    TRY(agent_roles(c, id, &roles));
    buf_init(&b, c->arena, 64);
    for (size_t i = 0; i < roles.n; i++)
        buf_printf(&b, "%s%s", i ? " " : "", roles.v[i]);
    json_set_str(c->arena, m, "roles_text", buf_str(&b));
    return ERR_OK;
}

static err add_forms(struct ctx *c, struct page_call *p, const struct agent *a)
{
    struct role role;
    bool may;

    TRY(role_get(c, a->role, &role));
    may = page_may(c, PERM_ACCOUNT_MANAGE) && (role.perms & ~c->who->perms) == 0;
    json_set_bool(c->arena, p->model, "may_edit", may);
    json_set_bool(c->arena, p->model, "may_archive", may && a->status != AGENT_ARCHIVED);
    json_set(c->arena, p->model, "status_options",
             enum_choices(c, &agent_status_enumx, NULL,
                          chosen(p, "status", enumx_name(&agent_status_enumx, (int)a->status))));
    return put_role_options(c, p->model, ROLE_OF_AGENT, chosen(p, "role", a->role));
}

static err agent_page(struct ctx *c, struct page_call *p)
{
    struct json *m = json_set(c->arena, p->model, "agent", json_obj(c->arena));
    struct agent a;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(agent_get(c, id, &a));
    put_agent(c, m, &a);
    json_set_str(c->arena, m, "description", str_empty(a.description) ? NULL : a.description);
    json_set_int(c->arena, m, "version", a.version);
    put_time(c, m, "created_at", a.created_at);
    TRY(add_parent(c, m, a.parent_id));
    TRY(add_work_roles(c, m, id));
    TRY(add_tokens(c, p->model, id));
    TRY(add_keys(c, p->model, id));
    TRY(add_forms(c, p, &a));
    return page_show(p, "agent");
}

/* The operation's id is the page's. */
static const struct json *with_id(struct ctx *c, const struct page_call *p)
{
    struct json *extra = json_obj(c->arena);

    json_set_str(c->arena, extra, "id", p->params[0]);
    return extra;
}

static err update(struct ctx *c, struct page_call *p)
{
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(page_run(c, p, "agent.update", with_id(c, p), NULL));
    page_say(c, p, "ok", "Saved.");
    return page_go(c, p, "/admin/agents/%s", UUID_STR(id));
}

/* Words with spaces or commas between. */
static struct json *words(struct ctx *c, const char *text)
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
    json_set(c->arena, extra, "roles", words(c, page_form(p, "roles")));
    TRY(page_run(c, p, "agent.set_roles", extra, NULL));
    page_say(c, p, "ok", "Work roles saved.");
    return page_go(c, p, "/admin/agents/%s", UUID_STR(id));
}

static err archive(struct ctx *c, struct page_call *p)
{
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(agent_archive(c, id, 0));
    page_say(c, p, "ok", "Agent archived: its tokens are refused from now on.");
    return page_go(c, p, "/admin/agents/%s", UUID_STR(id));
}

const struct page_row agents_pages[] = {
    {.method = "GET", .path = "/admin/agents", .name = "page.agents", .op = "agent.list", .perm = PERM_ACCOUNT_READ, .run = agents,
     .nav = {.label = "Agents", .icon = "agents", .key = "a", .heading = "Access"}},
    {.method = "POST", .path = "/admin/agents", .name = "page.agent.create", .perm = PERM_ACCOUNT_MANAGE, .run = create,
     .again = agents},
    {.method = "GET", .path = "/admin/agents/:id", .name = "page.agent", .op = "agent.get", .perm = PERM_ACCOUNT_READ, .run = agent_page},
    {.method = "POST", .path = "/admin/agents/:id", .name = "page.agent.update", .perm = PERM_ACCOUNT_MANAGE,
     .run = update, .again = agent_page},
    {.method = "POST", .path = "/admin/agents/:id/roles", .name = "page.agent.roles", .perm = PERM_ACCOUNT_MANAGE,
     .run = set_roles, .again = agent_page},
    {.method = "POST", .path = "/admin/agents/:id/archive", .name = "page.agent.archive", .perm = PERM_ACCOUNT_MANAGE,
     .run = archive, .again = agent_page},
    {0},
};
