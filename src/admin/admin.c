/* Serves the pages of the rooms: who, whether, the form's token, the handler, and what comes of it; see admin.h. */
#include "admin.h"

#include <assert.h>
#include <string.h>

#include "cookie.h"
#include "copy.h"
#include "docs.h"
#include "door.h"
#include "frame.h"
#include "part.h"
#include "seal.h"
#include "sheet.h"
#include "site.h"
#include "skills_site.h"

#define FLASH_S 60 /* what a redirect leaves is for the page that follows */

struct slot {
    const struct admin *admin;
    const struct page_row *row;
};

/* ---- what a form that is shown again knows */

static void add_errors(struct ctx *c, struct json *m)
{
    struct json *errors = json_obj(c->arena);

    for (const struct field_error *f = c->fault.fields; f; f = f->next) {
        const char *name = f->pointer + (*f->pointer == '/');

        name = arena_strndup(c->arena, name, strcspn(name, "/"));
        if (!json_get(errors, name))
            json_set_str(c->arena, errors, name, frame_sentence(c, f->detail));
    }
    json_set(c->arena, m, "errors", errors);
}

/* What was typed, but no secrets. */
static void admin_add_form(struct ctx *c, struct json *m, const struct json *posted)
{
    struct json *form = json_obj(c->arena);

    for (const struct json *v = posted->first; v; v = v->next)
        if (!strstr(v->key, "password") && strcmp(v->key, "csrf_token") != 0)
            json_set(c->arena, form, v->key, arena_memdup(c->arena, v, sizeof *v));
    json_set(c->arena, m, "form", form);
}

static bool can_be_mended(err e)
{
    return e == ERR_INVALID || e == ERR_CONFLICT || e == ERR_PRECONDITION || e == ERR_UNAUTHORIZED || e == ERR_RATE;
}

/* The handler of a form refused: the form again, with what was typed and what is wrong with it. */
static err form_again(struct ctx *c, struct page_call *p, const struct page_row *row, err e)
{
    if (!row->again || !can_be_mended(e))
        return e;
    add_errors(c, p->model);
    admin_add_form(c, p->model, p->form);
    if (c->fault.n_fields > 1)
        page_say(c, p, "bad", "Not saved: see the marked fields below.");
    else
        page_say(c, p, "bad", "Not saved: %s", c->fault.message ? c->fault.message : err_info(e)->meaning);
    ctx_forgive(c);
    p->is_again = true;
    p->once = NULL;
    return row->again(c, p);
}

/* ---- what the request before left for this page */

static void take_flash(struct ctx *c, struct exchange *x, struct page_call *p)
{
    const char *cookie = exchange_cookie(x, COOKIE_FLASH);
    const struct json *left = str_empty(cookie) ? NULL : seal_open(c, c->who->session, cookie, FLASH_S * SECOND_US);

    for (const struct json *f = left && json_get(left, "flash") ? json_get(left, "flash")->first : NULL; f; f = f->next)
        json_push(p->flash, arena_memdup(c->arena, f, sizeof *f));
    p->once = json_get(left, "once");
    if (cookie)
        cookie_set(c, x, COOKIE_FLASH, "", 0);
}

static void leave_flash(struct ctx *c, struct exchange *x, const struct page_call *p)
{
    struct json *left = json_obj(c->arena);

    if (!p->flash->first && !p->next_once)
        return;
    json_set(c->arena, left, "flash", p->flash);
    if (p->next_once)
        json_set(c->arena, left, "once", arena_memdup(c->arena, p->next_once, sizeof *p->next_once));
    cookie_set(c, x, COOKIE_FLASH, seal(c, c->who->session, left), FLASH_S);
}

/* ---- one request */

static err admin_prepare(struct ctx *c, struct exchange *x, const struct slot *s, struct page_call *p)
{
    struct json *query;

    TRY(access_permit(c, PERM_ADMIN_ACCESS));
    if (s->row->takes_file) {
        TRY(access_permit(c, s->row->perm)); /* before much is read */
        TRY(frame_form_with_file(c, x, &p->form, &p->file));
        TRY(door_check_csrf(c, p->form));
    } else if (strcmp(s->row->method, "POST") == 0) {
        TRY(frame_form(c, x, &p->form));
        TRY(door_check_csrf(c, p->form));
    }
    TRY(access_permit(c, s->row->perm));
    TRY(exchange_pairs(c, x->query, strlen(x->query), "the query", &query));
    p->query = query;
    p->flash = json_arr(c->arena);
    for (size_t i = 0; i < x->n_params && i < PAGE_PARAMS; i++)
        p->params[i] = x->params[i];
    p->model = frame_model(c, x, s->admin);
    p->here = json_get_str(p->model, "here");
    if (!p->form && part_takes_flash(x))
        take_flash(c, x, p);
    return ERR_OK;
}

static void admin_answer(struct ctx *c, struct exchange *x, struct page_call *p, int status)
{
    if (p->go) {
        leave_flash(c, x, p);
        frame_go(c, x, p->go);
        return;
    }
    assert(p->view);
    json_set(c->arena, p->model, "flash", p->flash);
    frame_show(c, x, status, p->view, p->model);
}

static err admin_run(struct ctx *c, struct exchange *x, const struct slot *s)
{
    struct page_call p = {0};
    int status = 200;
    err e;

    TRY(admin_prepare(c, x, s, &p));
    e = s->row->does ? page_do(c, &p, s->row) : s->row->run(c, &p);
    if (e != ERR_OK && p.form) {
        status = err_info(e)->http == 401 ? 422 : err_info(e)->http;
        e = form_again(c, &p, s->row, e);
    }
    TRY(e);
    if (!p.form && sheet_is_wanted(c, &p, s->row->op))
        return sheet_answer(c, x, &p, s->row->op);
    if (p.op || s->row->op)
        copy_add(c, &p, p.op ? p.op : s->row->op);
    admin_answer(c, x, &p, status);
    return ERR_OK;
}

/* NULL: a form was posted to an address that has no page. */
static const char *way_back(const struct exchange *x)
{
    if (strcmp(x->method, "POST") == 0)
        return NULL;
    return *x->query ? arena_printf(x->arena, "%s?%s", x->path, x->query) : x->path;
}

static void page_serve(struct ctx *c, struct exchange *x, const struct route *r)
{
    const struct slot *s = r->target;
    err e = door_authenticate(c, x);

    if (e == ERR_UNAUTHORIZED) {
        door_show_login(c, x, way_back(x));
        return;
    }
    if (e == ERR_OK && part_is_refused(c, x))
        return;
    if (e == ERR_OK)
        e = admin_run(c, x, s);
    if (e != ERR_OK)
        frame_error(c, x, s->admin, e);
}

/* Nobody learns which pages there are without being signed in. */
static void page_otherwise(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct fault fault = c->fault;
    err e;

    ctx_forgive(c);
    e = door_authenticate(c, x);
    if (e == ERR_UNAUTHORIZED) {
        door_show_login(c, x, way_back(x));
        return;
    }
    if (e == ERR_OK) {
        c->fault = fault;
        e = fault.code;
    }
    frame_error(c, x, r->target, e);
}

void admin_add_routes(struct router *r, struct arena *a, const struct page_row *const *tables)
{
    struct admin *admin = ARENA_NEW(a, struct admin);
    struct route *otherwise = ARENA_NEW(a, struct route);

    admin->tables = tables;
    door_add_routes(r, a, admin);
    docs_add_routes(r, a, admin);
    site_add_routes(r, a, admin);
    skills_site_add_routes(r, a);
    for (const struct page_row *const *t = tables; *t; t++) {
        for (const struct page_row *row = *t; row->path; row++) {
            struct slot *s = ARENA_NEW(a, struct slot);
            struct route *route = ARENA_NEW(a, struct route);

            *s = (struct slot){admin, row};
            *route = (struct route){row->method, row->path, row->name, page_serve, s};
            router_add(r, route);
        }
    }
    *otherwise = (struct route){"GET", "/admin", "page.none", page_otherwise, admin};
    router_otherwise(r, otherwise);
}
