/* Models, headers and failures of pages; see frame.h. */
#include "frame.h"

#include <ctype.h>
#include <sodium.h>
#include <string.h>

#include "app.h"
#include "cookie.h"
#include "csrf.h"
#include "limit.h"
#include "model.h"
#include "part.h"
#include "principal.h"
#include "upload.h"
#include "views.h"

#define PATH_MAX_BYTES 2048
#define COUNT_MOST 99 /* in the navigation */

/* ---- small questions */

const char *frame_local_path(const char *text)
{
    if (!text || text[0] != '/' || text[1] == '/' || strlen(text) > PATH_MAX_BYTES)
        return NULL;
    for (const char *p = text; *p; p++)
        if (*p == '\\' || (unsigned char)*p < 0x20 || *p == 0x7f)
            return NULL;
    return text;
}

const char *frame_sentence(struct ctx *c, const char *message)
{
    char *s = arena_strdup(c->arena, str_empty(message) ? "the request failed" : message);
    size_t n = strlen(s);

    s[0] = (char)toupper((unsigned char)s[0]);
    return strchr(".!?", s[n - 1]) ? s : arena_printf(c->arena, "%s.", s);
}

bool frame_same_secret(const char *a, const char *b)
{
    size_t n = a && b ? strlen(a) : 0;

    return n && strlen(b) == n && sodium_memcmp(a, b, n) == 0;
}

err frame_form(struct ctx *c, struct exchange *x, const struct json **out)
{
    static const char MEDIA[] = "application/x-www-form-urlencoded";
    struct bytes body;
    struct json *form;

    if (!exchange_media_is(x, MEDIA))
        return fail(c, ERR_MEDIA_TYPE, "forms must be sent as %s", MEDIA);
    TRY(exchange_body(c, x, LIMIT_FORM, &body));
    TRY(exchange_pairs(c, body.p, body.n, "the form", &form));
    *out = form;
    return ERR_OK;
}

err frame_form_with_file(struct ctx *c, struct exchange *x, const struct json **out, const struct upload **file)
{
    struct upload *chosen;
    struct json *form;

    if (!exchange_media_is(x, "multipart/form-data"))
        return frame_form(c, x, out);
    TRY(upload_form(c, x, &form, &chosen));
    *out = form;
    *file = chosen;
    return ERR_OK;
}

/* ---- the layout's model */

static bool is_below(const char *path, const char *top)
{
    size_t n = strlen(top);

    return strncmp(path, top, n) == 0 && (!path[n] || path[n] == '/');
}

/* How much of a page's path an entry of the navigation stands above. */
static size_t reach(const struct page_row *row, const char *path)
{
    for (size_t i = 0; i < sizeof row->nav.also / sizeof *row->nav.also && row->nav.also[i]; i++)
        if (is_below(path, row->nav.also[i]))
            return strlen(row->nav.also[i]);
    return row->nav.label && is_below(path, row->path) ? strlen(row->path) : 0;
}

/* The entry that stands above most of it. */
static const struct page_row *current_row(const struct admin *a, const char *path)
{
    const struct page_row *best = NULL;
    size_t most = 0;

    for (const struct page_row *const *t = a->tables; *t; t++)
        for (const struct page_row *row = *t; row->path; row++)
            if (reach(row, path) > most) {
                best = row;
                most = reach(row, path);
            }
    return best;
}

/* No page fails for want of a number, and one that failed already is not asked for any. */
static const char *nav_count(struct ctx *c, const struct page_row *row)
{
    int64_t n = 0;

    if (!row->nav.count || c->fault.code != ERR_OK)
        return NULL;
    if (row->nav.count(c, &n) != ERR_OK)
        ctx_forgive(c);
    return n > COUNT_MOST ? "99+" : n > 0 ? arena_printf(c->arena, "%lld", (long long)n) : NULL;
}

static struct json *nav(struct ctx *c, const struct admin *a, const char *path)
{
    const struct page_row *current = current_row(a, path);
    struct json *list = json_arr(c->arena);

    for (const struct page_row *const *t = a->tables; *t; t++) {
        for (const struct page_row *row = *t; row->path; row++) {
            struct json *one;

            if (!row->nav.label || !page_may(c, row->perm))
                continue;
            one = json_obj(c->arena);
            json_set_str(c->arena, one, "href", row->path);
            json_set_str(c->arena, one, "label", row->nav.label);
            json_set_str(c->arena, one, "icon", row->nav.icon);
            json_set_str(c->arena, one, "key", row->nav.key);
            json_set_str(c->arena, one, "heading", row->nav.heading);
            json_set_str(c->arena, one, "count", nav_count(c, row));
            json_set_bool(c->arena, one, "current", row == current);
            json_push(list, one);
        }
    }
    return list;
}

static void add_person(struct ctx *c, struct json *m)
{
    const struct principal *who = c->who;
    struct json *user = json_obj(c->arena), *account = json_obj(c->arena), *can = json_obj(c->arena);
    struct strs perms = permissions_strs(c->arena, who->perms);

    json_set_str(c->arena, user, "name", who->name);
    json_set_str(c->arena, user, "email", who->email);
    json_set_str(c->arena, user, "role", who->role);
    json_set_str(c->arena, account, "name", str_empty(who->account_name) ? who->account_slug : who->account_name);
    json_set_str(c->arena, account, "slug", who->account_slug);
    for (size_t i = 0; i < perms.n; i++)
        model_can(c->arena, can, perms.v[i]);
    json_set(c->arena, m, "user", user);
    json_set(c->arena, m, "account", account);
    json_set(c->arena, m, "can", can);
    json_set_str(c->arena, m, "csrf", csrf_veiled(c->arena, who->csrf));
}

static void add_theme(struct ctx *c, struct exchange *x, struct json *m)
{
    const char *theme = exchange_cookie(x, COOKIE_THEME);
    struct json *is = json_obj(c->arena);
    bool light = str_eq(theme, "light"), dark = str_eq(theme, "dark");

    json_set_str(c->arena, m, "theme", light ? "light" : dark ? "dark" : NULL);
    json_set_bool(c->arena, is, "auto", !light && !dark);
    json_set_bool(c->arena, is, "light", light);
    json_set_bool(c->arena, is, "dark", dark);
    json_set(c->arena, m, "theme_is", is);
}

static const char *here(struct exchange *x)
{
    const char *path = strcmp(x->method, "POST") == 0 ? "/admin" : x->path;

    return *x->query && path == x->path ? arena_printf(x->arena, "%s?%s", path, x->query) : path;
}

struct json *frame_model(struct ctx *c, struct exchange *x, const struct admin *a)
{
    struct json *m = json_obj(c->arena);

    if (c->who && c->who->csrf) {
        json_set(c->arena, m, "nav", nav(c, a, x->path));
        add_person(c, m);
    }
    add_theme(c, x, m);
    json_set_str(c->arena, m, "here", here(x));
    json_set(c->arena, m, "now", model_time(c->arena, c->now, c->now));
    json_set_bool(c->arena, m, "is_part", part_is_asked(x));
    json_set_str(c->arena, m, "frame_mark", part_frame_mark(c, x));
    json_set_str(c->arena, m, "loci_version", LOCI_VERSION);
    json_set_str(c->arena, m, "static_mark", views_static_mark(c->app->views));
    return m;
}

/* ---- answers */

static void headers(struct ctx *c, struct exchange *x)
{
    exchange_set(x, "Content-Security-Policy",
                 "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'");
    exchange_set(x, "Referrer-Policy", "same-origin");
    exchange_set(x, "Vary", "HX-Request");
    exchange_set(x, "Cross-Origin-Opener-Policy", "same-origin");
    if (!c->who)
        exchange_set(x, "Cache-Control", "no-store"); /* with a principal every answer says so */
}

void frame_show(struct ctx *c, struct exchange *x, int status, const char *view, const struct json *model)
{
    headers(c, x);
    if (views_render(c->app->views, view, model, &x->body) != ERR_OK || arena_refused(c->arena)) {
        err e = arena_refused(c->arena) ? ctx_check_size(c)
                                        : fail(c, ERR_INTERNAL, "the template %s is missing or its output is too large", view);

        arena_excuse(c->arena);
        x->status = err_info(e)->http;
        x->body.len = 0;
        exchange_set(x, "Content-Type", "text/plain; charset=utf-8");
        buf_printf(&x->body, "This page cannot be shown. See the log for request %s.\n", c->request_id);
        return;
    }
    x->status = status;
    exchange_set(x, "Content-Type", "text/html; charset=utf-8");
}

/* A header holds visible ASCII only. */
static const char *for_header(struct ctx *c, const char *path)
{
    struct buf b;

    buf_init(&b, c->arena, strlen(path) + 16);
    for (const char *p = path; *p; p++)
        if ((unsigned char)*p <= 0x20 || (unsigned char)*p >= 0x7f || strchr("\"<>`{}|^\\", *p))
            buf_printf(&b, "%%%02X", (unsigned char)*p);
        else
            buf_putc(&b, *p);
    return buf_str(&b);
}

void frame_go(struct ctx *c, struct exchange *x, const char *path)
{
    headers(c, x);
    x->status = 303;
    exchange_set(x, "Location", for_header(c, path));
}

void frame_leave(struct ctx *c, struct exchange *x, const char *path)
{
    headers(c, x);
    x->status = 204;
    exchange_set(x, "HX-Redirect", for_header(c, path));
}

static const char *heading_of(err e)
{
    static const char *const HEADINGS[ERR_COUNT] = {
        [ERR_BAD_REQUEST] = "Invalid request", [ERR_FORBIDDEN] = "Access denied",
        [ERR_NOT_FOUND] = "Page not found", [ERR_METHOD] = "Method not allowed",
        [ERR_CONFLICT] = "Changed by someone else", [ERR_PRECONDITION] = "Changed by someone else",
        [ERR_TOO_LARGE] = "Too large", [ERR_INVALID] = "Invalid input",
        [ERR_RATE] = "Too many requests", [ERR_INTERNAL] = "Internal error",
        [ERR_UNAVAILABLE] = "Temporarily unavailable", [ERR_DEADLINE] = "Timeout",
    };

    return HEADINGS[e] ? HEADINGS[e] : "Request failed";
}

static const char *frame_text_of(struct ctx *c, err e)
{
    const struct fault *f = &c->fault;

    if (e == ERR_INTERNAL)
        return "Internal error. The operator finds the cause in the log under the request id below.";
    if (f->fields)
        return frame_sentence(c, f->fields->detail);
    return frame_sentence(c, f->message ? f->message : err_info(e)->meaning);
}

void frame_error(struct ctx *c, struct exchange *x, const struct admin *a, err e)
{
    int status = err_info(e)->http, wait = c->fault.retry_after_s > 0 ? c->fault.retry_after_s : 2;
    struct json *m;

    arena_excuse(c->arena);
    m = frame_model(c, x, a);
    json_set_int(c->arena, m, "status", status);
    json_set_str(c->arena, m, "heading", heading_of(e));
    json_set_str(c->arena, m, "text", frame_text_of(c, e));
    json_set_str(c->arena, m, "request_id", c->request_id);
    if (e == ERR_UNAVAILABLE || e == ERR_RATE) {
        json_set_int(c->arena, m, "retry_after", wait);
        exchange_set_int(x, "Retry-After", wait);
    }
    frame_show(c, x, status, "error", m);
}
