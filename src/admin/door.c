/* Login, logout and colours; see door.h.
 *
 * Forms of somebody who is signed in carry the session's CSRF token. The login form has no session yet: it carries a
 * random value that a cookie of its own carries, too (a foreign page can send the form, but neither read nor set the
 * cookie), and a browser that says the form comes from elsewhere (Sec-Fetch-Site) is refused. */
#include "door.h"

#include <string.h>

#include "api.h"
#include "app.h"
#include "config.h"
#include "cookie.h"
#include "csrf.h"
#include "model.h"
#include "part.h"
#include "session.h"
#include "token.h"

#define THEME_DAYS 365

err door_authenticate(struct ctx *c, struct exchange *x)
{
    const char *cookie = exchange_cookie(x, SESSION_COOKIE);
    struct rate_state rate;

    if (str_empty(cookie))
        return fail(c, ERR_UNAUTHORIZED, "you are not signed in");
    return access_by_session(c, cookie, &rate);
}

err door_check_csrf(struct ctx *c, const struct json *form)
{
    if (csrf_fits(json_get_str(form, "csrf_token"), c->who->csrf))
        return ERR_OK;
    return fail(c, ERR_FORBIDDEN, "the form belongs to another session and nothing was changed; reload the page and try again");
}

void door_show_login(struct ctx *c, struct exchange *x, const char *where)
{
    struct json *query = json_obj(c->arena);

    if (exchange_cookie(x, SESSION_COOKIE)) {
        cookie_set(c, x, SESSION_COOKIE, "", 0);
        json_set_str(c->arena, query, "why", "ended");
    }
    if (where && strcmp(where, "/admin") != 0)
        json_set_str(c->arena, query, "next", where);
    ctx_forgive(c);
    if (part_is_asked(x))
        frame_leave(c, x, model_href(c->arena, "/login", query));
    else
        frame_go(c, x, model_href(c->arena, "/login", query));
}

static void root(struct ctx *c, struct exchange *x, const struct route *r)
{
    (void)r;
    frame_go(c, x, exchange_cookie(x, SESSION_COOKIE) ? "/admin" : "/login");
}

/* ---- the login form */

/* The form's CSRF token: the one of the browser's cookie, or a new one with its cookie. */
static const char *door_token(struct ctx *c, struct exchange *x)
{
    static const char BASE62[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const char *old = exchange_cookie(x, COOKIE_DOOR);
    char *made;

    if (old && strlen(old) == TOKEN_SECRET && strspn(old, BASE62) == TOKEN_SECRET)
        return old;
    made = arena_alloc(c->arena, TOKEN_SECRET + 1);
    token_random(made);
    cookie_set(c, x, COOKIE_DOOR, made, c->app->conf->session_idle_s);
    return made;
}

static err check_door_token(struct ctx *c, struct exchange *x, const struct json *form)
{
    const char *site = exchange_header(x, "Sec-Fetch-Site");

    if ((!site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0) &&
        frame_same_secret(json_get_str(form, "csrf_token"), exchange_cookie(x, COOKIE_DOOR)))
        return ERR_OK;
    return fail(c, ERR_FORBIDDEN, "the login form has expired or cookies are blocked; reload the page and allow cookies");
}

static void show_form(struct ctx *c, struct exchange *x, const struct admin *a, int status, const struct json *form,
                      const char *where, const char *error, const char *notice)
{
    struct json *m = frame_model(c, x, a);

    json_set_str(c->arena, m, "csrf", door_token(c, x));
    json_set_str(c->arena, m, "error", error);
    json_set_str(c->arena, m, "email", json_get_str(form, "email"));
    json_set_str(c->arena, m, "account_slug", json_get_str(form, "account"));
    json_set_bool(c->arena, m, "ask_account", form != NULL);
    json_set_str(c->arena, m, "return_to", where);
    json_set_str(c->arena, m, "notice", notice);
    frame_show(c, x, status, "login", m);
}

static void login_get(struct ctx *c, struct exchange *x, const struct route *r)
{
    const struct admin *a = r->target;
    struct json *query;
    const char *where, *why;

    if (part_is_asked(x)) {
        frame_leave(c, x, arena_printf(c->arena, "/login?%s", x->query));
        return;
    }
    if (exchange_pairs(c, x->query, strlen(x->query), "the query", &query) != ERR_OK) {
        frame_error(c, x, a, ERR_BAD_REQUEST);
        return;
    }
    where = frame_local_path(json_get_str(query, "next"));
    why = json_get_str(query, "why");
    if (door_authenticate(c, x) == ERR_OK) {
        frame_go(c, x, where ? where : "/admin");
        return;
    }
    ctx_forgive(c);
    show_form(c, x, a, 200, NULL, where, NULL, str_eq(why, "ended") ? "Your session has ended. Sign in again." :
              str_eq(why, "out") ? "You are signed out." : str_eq(why, "password") ?
              "Your password is changed. Sign in with the new one." : NULL);
}

static err log_in(struct ctx *c, struct exchange *x, const struct json *form, struct login_done *done)
{
    struct login in = {
        .account = json_get_str(form, "account"), .email = json_get_str(form, "email"),
        .password = json_get_str(form, "password"), .user_agent = exchange_header(x, "User-Agent"),
        .old_cookie = exchange_cookie(x, SESSION_COOKIE),
    };

    if (str_empty(in.email) || str_empty(in.password))
        return fail(c, ERR_INVALID, "enter your email address and password");
    return session_login(c, &in, done);
}

static bool may_try_again(err e)
{
    return e == ERR_INVALID || e == ERR_UNAUTHORIZED || e == ERR_RATE || e == ERR_CONFLICT;
}

static void door_refuse(struct ctx *c, struct exchange *x, const struct admin *a, const struct json *form, err e)
{
    const char *where = frame_local_path(json_get_str(form, "return_to"));
    const char *error = frame_sentence(c, c->fault.message);

    if (!may_try_again(e)) {
        frame_error(c, x, a, e);
        return;
    }
    if (e == ERR_RATE)
        exchange_set_int(x, "Retry-After", c->fault.retry_after_s > 0 ? c->fault.retry_after_s : 60);
    show_form(c, x, a, e == ERR_RATE ? 429 : 422, form, where, error, NULL);
}

static void login_post(struct ctx *c, struct exchange *x, const struct route *r)
{
    const struct json *form = NULL;
    struct login_done done;
    const char *where;
    err e = frame_form(c, x, &form);

    if (e == ERR_OK)
        e = check_door_token(c, x, form);
    if (e != ERR_OK) {
        frame_error(c, x, r->target, e);
        return;
    }
    e = log_in(c, x, form, &done);
    if (e != ERR_OK) {
        door_refuse(c, x, r->target, form, e);
        return;
    }
    where = frame_local_path(json_get_str(form, "return_to"));
    cookie_set(c, x, SESSION_COOKIE, done.cookie, done.max_age_s);
    cookie_set(c, x, COOKIE_DOOR, "", 0);
    frame_go(c, x, where ? where : "/admin");
}

/* ---- small forms of every page */

static err signed_form(struct ctx *c, struct exchange *x, const struct json **form)
{
    TRY(door_authenticate(c, x));
    TRY(frame_form(c, x, form));
    return door_check_csrf(c, *form);
}

static void logout(struct ctx *c, struct exchange *x, const struct route *r)
{
    const struct json *form;
    err e = signed_form(c, x, &form);

    if (e == ERR_OK)
        e = session_end_current(c);
    if (e != ERR_OK && e != ERR_UNAUTHORIZED) {
        frame_error(c, x, r->target, e);
        return;
    }
    cookie_set(c, x, SESSION_COOKIE, "", 0);
    frame_go(c, x, "/login?why=out");
}

static void theme(struct ctx *c, struct exchange *x, const struct route *r)
{
    const struct json *form;
    const char *value, *where;
    err e = signed_form(c, x, &form);

    if (e == ERR_UNAUTHORIZED) {
        door_show_login(c, x, NULL);
        return;
    }
    if (e != ERR_OK) {
        frame_error(c, x, r->target, e);
        return;
    }
    value = json_get_str(form, "theme");
    where = frame_local_path(json_get_str(form, "return_to"));
    if (str_eq(value, "light") || str_eq(value, "dark"))
        cookie_set(c, x, COOKIE_THEME, value, THEME_DAYS * 86400);
    else
        cookie_set(c, x, COOKIE_THEME, "", 0);
    frame_go(c, x, where ? where : "/admin");
}

void door_add_routes(struct router *r, struct arena *a, const struct admin *admin)
{
    static const struct route ROUTES[] = {
        {"GET", "/", "page.root", root, NULL},
        {"GET", "/login", "page.login", login_get, NULL},
        {"POST", "/login", "page.login.post", login_post, NULL},
        {"POST", "/logout", "page.logout", logout, NULL},
        {"POST", "/admin/theme", "page.theme", theme, NULL},
    };

    router_add_for(r, a, ROUTES, sizeof ROUTES / sizeof *ROUTES, admin);
}
