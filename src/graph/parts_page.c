/* Common parts of models; see parts_page.h. */
#include "parts_page.h"

#include <string.h>

#include "agent.h"
#include "limit.h"
#include "model.h"
#include "team.h"
#include "user.h"

#define LIFETIME_DAYS 3650

void put_time(struct ctx *c, struct json *obj, const char *name, struct instant t)
{
    json_set(c->arena, obj, name, model_time(c->arena, t, c->now));
}

void put_badge(struct ctx *c, struct json *obj, const char *kind, const char *text)
{
    json_set(c->arena, obj, "status", model_badge(c->arena, kind, text));
}

void put_id(struct ctx *c, struct json *obj, const char *name, struct uuid id)
{
    json_set_str(c->arena, obj, name, uuid_is_nil(id) ? NULL : uuid_text(id, arena_alloc(c->arena, UUID_TEXT)));
}

struct json *put_list(struct ctx *c, struct json *obj, const char *name)
{
    return json_set(c->arena, obj, name, json_arr(c->arena));
}

struct json *add_row(struct ctx *c, struct json *list)
{
    struct json *row = json_obj(c->arena);

    json_push(list, row);
    return row;
}

/* ---- choices */

void add_choice(struct ctx *c, struct json *list, const char *value, const char *text, bool selected)
{
    struct json *o = add_row(c, list);

    json_set_str(c->arena, o, "value", value);
    json_set_str(c->arena, o, "text", text);
    json_set_bool(c->arena, o, "selected", selected);
}

struct json *enum_choices(struct ctx *c, const struct enumx *e, const char *any, const char *value)
{
    struct json *list = json_arr(c->arena);

    if (any)
        add_choice(c, list, "", any, str_empty(value));
    for (size_t i = 0; i < e->n; i++)
        add_choice(c, list, e->names[i], e->names[i], str_eq(e->names[i], value));
    return list;
}

int query_enum(const struct page_call *p, const char *name, const struct enumx *e)
{
    const char *text = page_query(p, name);
    int value;

    return text && enumx_parse(e, text, &value) ? value : -1;
}

const char *chosen(const struct page_call *p, const char *name, const char *otherwise)
{
    const char *posted = p->is_again ? page_form(p, name) : NULL;

    return posted ? posted : otherwise;
}

void put_lifetimes(struct ctx *c, struct json *m, const char *name, const char *value, const char *never)
{
    static const char *const DAYS[][2] = {{"1", "1 day"}, {"7", "7 days"}, {"30", "30 days"}, {"90", "90 days"},
                                          {"365", "1 year"}};
    struct json *list = put_list(c, m, name);

    for (size_t i = 0; i < sizeof DAYS / sizeof *DAYS; i++)
        add_choice(c, list, DAYS[i][0], DAYS[i][1], str_eq(DAYS[i][0], value));
    add_choice(c, list, "0", never, str_eq(value, "0"));
}

err form_lifetime(struct ctx *c, const struct page_call *p, const char *name, struct instant *out)
{
    const char *text = page_form(p, name);
    int64_t days;

    if (!text || !str_to_i64(text, &days) || days < 0 || days > LIFETIME_DAYS)
        return fail_field(c, arena_printf(c->arena, "/%s", name), "choose an item of the list");
    out->us = days ? c->now.us + days * DAY_US : 0;
    return ERR_OK;
}

int64_t form_version(const struct page_call *p)
{
    const char *text = page_form(p, "if_version");
    int64_t v;

    return text && str_to_i64(text, &v) && v > 0 ? v : 0;
}

err in_words_of(struct ctx *c, err e, const char *pointer, const char *form_pointer)
{
    for (struct field_error *f = e == ERR_OK ? NULL : c->fault.fields; f; f = f->next)
        if (str_eq(f->pointer, pointer))
            f->pointer = form_pointer;
    return e;
}

void put_listing(struct ctx *c, struct page_call *p, const char *path, const struct page *page)
{
    json_set_str(c->arena, p->model, "q", page_query(p, "q"));
    json_set(c->arena, p->model, "pager", model_pager(c->arena, path, p->query, page->next_cursor));
}

err role_options(struct ctx *c, enum role_kind kind, const char *value, struct json **out)
{
    struct json *list = json_arr(c->arena);
    struct role *roles;
    size_t n;

    TRY(role_list(c, &roles, &n));
    for (size_t i = 0; i < n; i++)
        if (roles[i].kind == kind && ((roles[i].perms & ~c->who->perms) == 0 || str_eq(roles[i].name, value)))
            add_choice(c, list, roles[i].name, roles[i].name, str_eq(roles[i].name, value));
    *out = list;
    return ERR_OK;
}

const char *token_state(const struct ctx *c, const struct token *t)
{
    return t->revoked_at.us ? "revoked" : t->expires_at.us && t->expires_at.us <= c->now.us ? "expired" : "active";
}

void put_token_state(struct ctx *c, struct json *row, const struct token *t)
{
    const char *state = token_state(c, t);

    json_set(c->arena, row, "state", model_badge(c->arena, str_eq(state, "active") ? "ok" : "off", state));
    json_set_bool(c->arena, row, "is_live", str_eq(state, "active"));
}

void put_tokens(struct ctx *c, struct json *m, const struct page *page)
{
    struct json *list = put_list(c, m, "tokens");
    const struct token *t = page->items;

    for (size_t i = 0; i < page->n; i++)
        put_token_state(c, put_thing(c, add_row(c, list), &TOKEN, &t[i]), &t[i]);
}

/* ---- health */

static const char *part_name(const char *name)
{
    static const struct { const char *name, *text; } NAMES[] = {
        {"mariadb", "MariaDB"}, {"redis", "Redis"}, {"migrations", "Migrations"}, {"model", "Embedding model"},
        {"index", "Recall index"},
    };

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(NAMES[i].name, name) == 0)
            return NAMES[i].text;
    return name;
}

static void add_light(struct ctx *c, struct json *list, const struct health_part *p, const char *href)
{
    struct json *one = add_row(c, list);

    json_set_str(c->arena, one, "name", part_name(p->name));
    json_set_str(c->arena, one, "state", p->off ? "off" : p->ok ? "ok" : p->needed ? "bad" : "warn");
    json_set_str(c->arena, one, "text", p->detail);
    json_set_str(c->arena, one, "detail", p->off || !p->us ? NULL : arena_printf(c->arena, p->ok ? "answered in %.1f ms"
                                                                                           : "failed after %.1f ms", (double)p->us / 1000));
    json_set_str(c->arena, one, "href", href);
}

struct json *health_lights(struct ctx *c, const struct health_part parts[HEALTH_PARTS], const char *href)
{
    struct health_part index = {.name = "index", .ok = true};
    struct json *list = json_arr(c->arena);

    for (int i = 0; i < HEALTH_PARTS; i++)
        add_light(c, list, &parts[i], href);
    if (c->app->ask_index && c->app->ask_index(c, &index) == ERR_OK)
        add_light(c, list, &index, href);
    return list;
}

/* ---- names */

struct names {
    struct page users, agents;
};

err names_load(struct ctx *c, struct names **out)
{
    struct names *n = ARENA_NEW(c->arena, struct names);

    TRY(user_list(c, &(struct user_filter){.status = -1, .limit = LIMIT_PAGE}, &n->users));
    TRY(agent_list(c, &(struct agent_filter){.status = -1, .limit = LIMIT_PAGE}, &n->agents));
    *out = n;
    return ERR_OK;
}

const char *names_find(const struct names *n, struct uuid id)
{
    const struct user *u = n->users.items;
    const struct agent *a = n->agents.items;

    for (size_t i = 0; i < n->users.n; i++)
        if (uuid_eq(u[i].id, id))
            return u[i].name;
    for (size_t i = 0; i < n->agents.n; i++)
        if (uuid_eq(a[i].id, id))
            return a[i].name;
    return NULL;
}

bool names_choices(struct ctx *c, const struct names *n, struct json *list, const char *value)
{
    const struct user *u = n->users.items;
    const struct agent *a = n->agents.items;
    bool found = false;

    for (size_t i = 0; i < n->users.n + n->agents.n; i++) {
        bool is_user = i < n->users.n;
        const char *id = arena_strdup(c->arena, UUID_STR(is_user ? u[i].id : a[i - n->users.n].id));

        add_choice(c, list, id, is_user ? u[i].name : arena_printf(c->arena, "%s (agent)", a[i - n->users.n].name), str_eq(id, value));
        found |= str_eq(id, value);
    }
    return found;
}

/* Which of the two has the id; NULL: neither is known. */
static const char *kind_of(const struct names *n, struct uuid id)
{
    const struct user *u = n->users.items;

    for (size_t i = 0; i < n->users.n; i++)
        if (uuid_eq(u[i].id, id))
            return "user";
    return names_find(n, id) ? "agent" : NULL;
}

void put_who(struct ctx *c, struct json *obj, const char *field, const struct names *names, const char *kind, struct uuid id)
{
    const char *name = uuid_is_nil(id) ? NULL : names_find(names, id), *folder;
    struct json *who;

    kind = kind ? kind : kind_of(names, id);
    if (uuid_is_nil(id) && !str_eq(kind, "system")) {
        json_set(c->arena, obj, field, json_new(c->arena, JSON_NULL));
        return;
    }
    folder = str_eq(kind, "user") ? "users" : str_eq(kind, "agent") ? "agents" : NULL;
    who = json_set(c->arena, obj, field, json_obj(c->arena));
    json_set_str(c->arena, who, "name", name ? name : str_eq(kind, "system") ? "Loci"
                 : arena_printf(c->arena, "%s %.8s…", kind ? kind : "somebody", UUID_STR(id)));
    json_set_str(c->arena, who, "href", folder ? arena_printf(c->arena, "/admin/%s/%s", folder, UUID_STR(id)) : NULL);
}

const char *actor_name(struct ctx *c, const struct names *n, const struct audit_event *e)
{
    const char *name = uuid_is_nil(e->actor_id) ? NULL : names_find(n, e->actor_id);

    if (name)
        return name;
    if (uuid_is_nil(e->actor_id))
        return "Loci";
    return arena_printf(c->arena, "%s %.8s…", e->actor_kind, UUID_STR(e->actor_id));
}

/* ---- who was granted something */

const char *team_name(const struct page *teams, struct uuid id)
{
    const struct team *t = teams->items;

    for (size_t i = 0; i < teams->n; i++)
        if (uuid_eq(t[i].id, id))
            return t[i].name;
    return NULL;
}

void put_grantee(struct ctx *c, struct json *row, const struct grant *g, const struct names *names,
                        const struct page *teams)
{
    const char *name = NULL, *folder = NULL;
    struct uuid id = {0};
    bool is_id = uuid_parse(g->grantee_id, &id);

    if (g->grantee_kind == GRANTEE_EVERYONE)
        name = "everyone in the account";
    else if (g->grantee_kind == GRANTEE_TEAM)
        name = team_name(teams, id), folder = "teams";
    else if (is_id)
        name = names_find(names, id), folder = g->grantee_kind == GRANTEE_USER ? "users" : "agents";
    json_set_str(c->arena, row, "grantee_name", name ? name : g->grantee_id);
    json_set_str(c->arena, row, "grantee_href", g->grantee_kind == GRANTEE_ROLE ? "/admin/users#roles" : folder ? arena_printf(c->arena, "/admin/%s/%s", folder, g->grantee_id) : NULL);
}
