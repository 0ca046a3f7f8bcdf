/* One's own account: profile, password, sessions. */
#include "graph_html.h"

#include <string.h>

#include "limit.h"
#include "parts_html.h"
#include "people_html.h"
#include "session.h"
#include "user.h"

static err add_me(struct ctx *c, struct json *m)
{
    struct json *me = json_set(c->arena, m, "me", json_obj(c->arena)), *list = put_list(c, m, "permissions");
    struct strs perms = permissions_strs(c->arena, c->who->perms);
    struct user u;
    struct role role;

    TRY(user_get(c, c->who->id, &u));
    TRY(role_get(c, u.role, &role));
    json_set_str(c->arena, me, "name", u.name);
    json_set_str(c->arena, me, "email", u.email);
    json_set_str(c->arena, me, "role", u.role);
    json_set_str(c->arena, me, "role_text", role.description);
    json_set_bool(c->arena, me, "is_operator", u.is_operator);
    put_time(c, me, "created_at", u.created_at);
    put_time(c, me, "last_login_at", u.last_login_at);
    for (size_t i = 0; i < perms.n; i++)
        json_push(list, json_str(c->arena, perms.v[i]));
    return ERR_OK;
}

static const struct json *asked_own(struct ctx *c)
{
    struct json *asked = json_obj(c->arena);

    put_id(c, asked, "id", c->who->id);
    return asked;
}

static err account(struct ctx *c, struct page_call *p)
{
    json_set_int(c->arena, p->model, "password_min", LIMIT_PASSWORD_MIN);
    TRY(add_me(c, p->model));
    TRY(put_sessions(c, p->model, c->who->id));
    p->asked = asked_own(c);
    return page_show(p, "account");
}

static err rename(struct ctx *c, struct page_call *p)
{
    struct user u;

    TRY(user_update(c, CHANGE_OF(struct user_change, c->who->id, name, page_form(p, "name")), &u));
    page_say(c, p, "ok", "Name saved.");
    return page_go(c, p, "/admin/account");
}

/* Every session ends with the old password, this one too. */
static err change_password(struct ctx *c, struct page_call *p)
{
    const char *old = page_form(p, "old_password"), *new = page_form(p, "new_password");

    if (!old)
        return fail_field(c, "/old_password", "enter your current password");
    if (!new)
        return fail_field(c, "/new_password", "enter a new password");
    if (!str_eq(new, page_form(p, "new_password_again")))
        return fail_field(c, "/new_password_again", "the passwords differ");
    TRY(user_set_password(c, &(struct user_password){c->who->id, old, new}));
    return page_go(c, p, "/login?why=password");
}

static err end_session(struct ctx *c, struct page_call *p)
{
    TRY(session_end(c, c->who->id, p->params[0]));
    page_say(c, p, "ok", "Session ended.");
    return page_go(c, p, "/admin/account");
}

static err end_others(struct ctx *c, struct page_call *p)
{
    struct session *s;
    size_t n;

    TRY(session_list(c, c->who->id, &s, &n));
    for (size_t i = 0; i < n; i++)
        if (!s[i].current)
            TRY(session_end(c, c->who->id, s[i].id));
    page_say(c, p, "ok", "All other sessions ended.");
    return page_go(c, p, "/admin/account");
}

const struct page_row account_pages[] = {
    {.method = "GET", .path = "/admin/account", .name = "page.account", .op = "session.list", .run = account,
     .nav = {.label = "Your account", .icon = "account", .key = "y"}},
    {.method = "POST", .path = "/admin/account", .name = "page.account.name", .run = rename, .again = account},
    {.method = "POST", .path = "/admin/account/password", .name = "page.account.password", .run = change_password,
     .again = account},
    {.method = "POST", .path = "/admin/account/sessions/:id/end", .name = "page.account.session", .run = end_session},
    {.method = "POST", .path = "/admin/account/sessions/end-others", .name = "page.account.sessions", .run = end_others},
    {0},
};
