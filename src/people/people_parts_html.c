/* Parts of models that name people, agents, teams, roles and tokens; see people_html.h. */
#include "people_html.h"

#include <string.h>

#include "agent.h"
#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "session.h"
#include "team.h"
#include "user.h"

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
static const char *people_page_kind_of(const struct names *n, struct uuid id)
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

    kind = kind ? kind : people_page_kind_of(names, id);
    if (uuid_is_nil(id) && !str_eq(kind, "system")) {
        json_put(c->arena, obj, field, json_new(c->arena, JSON_NULL));
        return;
    }
    folder = str_eq(kind, "user") ? "users" : str_eq(kind, "agent") ? "agents" : NULL;
    who = json_put(c->arena, obj, field, json_obj(c->arena));
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

/* ---- sessions */

/* "Firefox on Linux": enough to recognise one's own browsers by. */
static const char *browser_name(struct ctx *c, const char *agent)
{
    static const struct { const char *in, *name; } BROWSERS[] = {
        {"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
        {"curl/", "curl"},
    }, SYSTEMS[] = {
        {"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"},
        {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
    };
    const char *browser = NULL, *system = NULL;

    for (size_t i = 0; !browser && i < sizeof BROWSERS / sizeof *BROWSERS; i++)
        browser = strstr(agent, BROWSERS[i].in) ? BROWSERS[i].name : NULL;
    for (size_t i = 0; !system && i < sizeof SYSTEMS / sizeof *SYSTEMS; i++)
        system = strstr(agent, SYSTEMS[i].in) ? SYSTEMS[i].name : NULL;
    if (browser && system)
        return arena_printf(c->arena, "%s on %s", browser, system);
    return browser ? browser : *agent ? agent : "unknown";
}

err put_sessions(struct ctx *c, struct json *m, struct uuid user_id)
{
    struct json *list = put_list(c, m, "sessions");
    struct session *s;
    size_t n;

    TRY(session_list(c, user_id, &s, &n));
    for (size_t i = 0; i < n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "id", s[i].id);
        json_set_bool(c->arena, row, "is_current", s[i].current);
        json_set_str(c->arena, row, "ip", s[i].ip);
        json_set_str(c->arena, row, "browser", browser_name(c, s[i].user_agent));
        put_time(c, row, "created_at", s[i].created_at);
        put_time(c, row, "seen_at", s[i].seen_at.us > c->now.us ? c->now : s[i].seen_at);
        put_time(c, row, "ends_at", s[i].ends_at);
    }
    json_set_bool(c->arena, m, "has_others", n > 1);
    return ERR_OK;
}
