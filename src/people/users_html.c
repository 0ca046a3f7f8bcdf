/* The people of the account, and what their roles let them do. */
#include "people_html.h"

#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "session.h"
#include "user.h"

static void users_page_put_person(struct ctx *c, struct json *obj, const struct user *u)
{
    put_thing(c, obj, &USER, u);
    json_set_bool(c->arena, obj, "is_me", uuid_eq(u->id, c->who->id));
}

static err add_roles(struct ctx *c, struct json *m)
{
    struct json *list = put_list(c, m, "roles");
    struct role *roles;
    size_t n;

    TRY(role_list(c, &roles, &n));
    for (size_t i = 0; i < n; i++) {
        struct json *row = add_row(c, list), *perms = put_list(c, row, "permissions");

        json_set_str(c->arena, row, "name", roles[i].name);
        json_set_str(c->arena, row, "kind", enumx_name(&role_kind_enumx, (int)roles[i].kind));
        json_set_str(c->arena, row, "description", roles[i].description);
        json_set_bool(c->arena, row, "is_built_in", roles[i].built_in);
        for (size_t k = 0; k < roles[i].permissions.n; k++)
            json_push(perms, json_str(c->arena, roles[i].permissions.v[k]));
    }
    return ERR_OK;
}

/* The form of a new user, or the one that changes u: the address is given once. */
static err put_user_form(struct ctx *c, struct page_call *p, const struct user *u)
{
    struct json *form = put_form(c, p, "fields", &USER, u ? COL_PATCH : COL_CREATE, u), *roles;

    TRY(role_options(c, ROLE_OF_USER, chosen(p, "role", u ? u->role : "viewer"), &roles));
    form_choices(c, form, "role", roles);
    if (u)
        form_without(form, "email");
    else
        json_get(form_field(form, "password"), "required")->b = true;
    return ERR_OK;
}

static err users_page(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "users");
    const struct user *u;
    struct page page;

    TRY(user_list(c, &(struct user_filter){.status = -1, .q = page_query(p, "q"), .limit = LIMIT_PAGE_DEFAULT,
                                           .cursor = page_query(p, "cursor")}, &page));
    u = page.items;
    for (size_t i = 0; i < page.n; i++)
        users_page_put_person(c, add_row(c, list), &u[i]);
    put_listing(c, p, "/admin/users", &page);
    TRY(add_roles(c, p->model));
    TRY(put_user_form(c, p, NULL));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "users");
}

static err create_user(struct ctx *c, struct page_call *p)
{
    struct call_result made;

    TRY(page_run(c, p, "user.create", NULL, &made));
    page_say(c, p, "ok", "%s can sign in now.", page_form(p, "name"));
    return page_go(c, p, "/admin/users/%s", UUID_STR(made.id));
}

/* ---- one of them */

/* Where they are signed in, and what calls in their name: for those who govern the account. */
static err add_ways_in(struct ctx *c, struct json *m, struct uuid id)
{
    struct page tokens;

    if (!page_may(c, PERM_ACCOUNT_MANAGE))
        return ERR_OK;
    TRY(put_sessions(c, m, id));
    TRY(token_list(c, &(struct token_filter){.user_id = id, .limit = LIMIT_PAGE}, &tokens));
    put_tokens(c, m, &tokens);
    return ERR_OK;
}

/* Whether the forms are shown; the service asks again. */
static err may_govern(struct ctx *c, const struct user *u, bool *out)
{
    struct role role;

    TRY(role_get(c, u->role, &role));
    *out = page_may(c, PERM_ACCOUNT_MANAGE) && (role.perms & ~c->who->perms) == 0 &&
           (!u->is_operator || c->who->is_operator);
    return ERR_OK;
}

static err user_page(struct ctx *c, struct page_call *p)
{
    struct json *person = json_set(c->arena, p->model, "person", json_obj(c->arena));
    struct uuid id;
    struct user u;
    bool may, me;

    TRY(page_id(c, p, 0, &id));
    TRY(user_get(c, id, &u));
    TRY(may_govern(c, &u, &may));
    me = uuid_eq(id, c->who->id);
    users_page_put_person(c, person, &u);
    TRY(add_ways_in(c, p->model, id));
    TRY(put_user_form(c, p, &u));
    json_set_int(c->arena, p->model, "password_min", LIMIT_PASSWORD_MIN);
    json_set_bool(c->arena, p->model, "may_edit", may);
    json_set_bool(c->arena, p->model, "may_delete", may && !me);
    return page_show(p, "user");
}

/* Oneself is asked for the old password, which is the account page's form. */
static err set_password(struct ctx *c, struct page_call *p)
{
    const char *password = page_form(p, "password");
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    if (uuid_eq(id, c->who->id))
        return fail_field(c, "/password", "change your own password on the page \"Your account\"");
    if (!password)
        return fail_field(c, "/password", "enter a new password");
    TRY(in_words_of(c, user_set_password(c, &(struct user_password){.id = id, .new_password = password}), "/new_password", "/password"));
    page_say(c, p, "ok", "Password set. All sessions of this user were ended.");
    return page_go(c, p, "/admin/users/%s", UUID_STR(id));
}

static err end_sessions(struct ctx *c, struct page_call *p)
{
    struct session *s;
    struct uuid id;
    struct user u;
    size_t n;

    TRY(page_id(c, p, 0, &id));
    TRY(user_get(c, id, &u));
    TRY(session_list(c, id, &s, &n));
    for (size_t i = 0; i < n; i++)
        if (!s[i].current)
            TRY(session_end(c, id, s[i].id));
    page_say(c, p, "ok", "All sessions ended.");
    return page_go(c, p, "/admin/users/%s", UUID_STR(id));
}

static err delete_user(struct ctx *c, struct page_call *p)
{
    struct uuid id;
    struct user u;

    TRY(page_id(c, p, 0, &id));
    TRY(user_get(c, id, &u));
    if (uuid_eq(id, c->who->id))
        return fail(c, ERR_CONFLICT, "you cannot delete yourself");
    TRY(user_delete(c, &(struct thing_key){.id = id}));
    page_say(c, p, "ok", "%s deleted.", u.email);
    return page_go(c, p, "/admin/users");
}

const struct page_row users_pages[] = {
    {.method = "GET", .path = "/admin/users", .name = "page.users", .op = "user.list", .perm = PERM_ACCOUNT_READ, .run = users_page,
     .nav = {.label = "Users", .icon = "users", .key = "u"}},
    {.method = "POST", .path = "/admin/users", .name = "page.user.create", .perm = PERM_ACCOUNT_MANAGE, .run = create_user,
     .again = users_page},
    {.method = "GET", .path = "/admin/users/:id", .name = "page.user", .op = "user.get", .perm = PERM_ACCOUNT_READ, .run = user_page},
    {.method = "POST", .path = "/admin/users/:id", .name = "page.user.update", .perm = PERM_ACCOUNT_MANAGE,
     .does = "user.update", .said = "Saved.", .go = "/admin/users/:id", .again = user_page},
    {.method = "POST", .path = "/admin/users/:id/password", .name = "page.user.password", .perm = PERM_ACCOUNT_MANAGE,
     .run = set_password, .again = user_page},
    {.method = "POST", .path = "/admin/users/:id/sessions/end", .name = "page.user.sessions",
     .perm = PERM_ACCOUNT_MANAGE, .run = end_sessions},
    {.method = "POST", .path = "/admin/users/:id/delete", .name = "page.user.delete", .perm = PERM_ACCOUNT_MANAGE,
     .run = delete_user, .again = user_page},
    {0},
};
