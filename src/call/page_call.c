/* Forms and queries of pages, and from a form to an operation; see page_call.h. */
#include "page_call.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "app.h"

static const char *page_call_text_of(const struct json *obj, const char *name)
{
    const struct json *j = json_get(obj, name);

    if (json_is(j, JSON_ARR))
        j = j->last;
    return json_is(j, JSON_STR) && j->len ? j->s : NULL;
}

const char *page_query(const struct page_call *p, const char *name)
{
    return page_call_text_of(p->query, name);
}

const char *page_form(const struct page_call *p, const char *name)
{
    return page_call_text_of(p->form, name);
}

struct strs page_form_all(struct ctx *c, const struct page_call *p, const char *name)
{
    const struct json *j = json_get(p->form, name);
    struct strs out = {0};

    if (json_is(j, JSON_STR)) {
        out.v = ARENA_ARRAY(c->arena, const char *, 1);
        out.v[out.n++] = j->s;
    } else if (json_is(j, JSON_ARR)) {
        out.v = ARENA_ARRAY(c->arena, const char *, j->len);
        for (const struct json *m = j->first; m; m = m->next)
            out.v[out.n++] = m->s;
    }
    return out;
}

err page_id(struct ctx *c, const struct page_call *p, size_t i, struct uuid *out)
{
    assert(i < PAGE_PARAMS && p->params[i]);
    return uuid_parse(p->params[i], out) ? ERR_OK : fail(c, ERR_NOT_FOUND, "page not found");
}

err page_show(struct page_call *p, const char *view)
{
    p->view = view;
    return ERR_OK;
}

err page_go(struct ctx *c, struct page_call *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    p->go = arena_vprintf(c->arena, fmt, ap);
    va_end(ap);
    return ERR_OK;
}

void page_say(struct ctx *c, struct page_call *p, const char *kind, const char *fmt, ...)
{
    struct json *one = json_obj(c->arena);
    va_list ap;

    va_start(ap, fmt);
    json_set_str(c->arena, one, "kind", kind);
    json_set_str(c->arena, one, "text", arena_vprintf(c->arena, fmt, ap));
    va_end(ap);
    json_push(p->flash, one);
}

void page_once(struct page_call *p, const struct json *what)
{
    p->next_once = what;
}

bool page_may(const struct ctx *c, enum permission perm)
{
    return permissions_have(c->who->perms, perm);
}

/* ---- from the form to arguments */

static bool page_call_is_blank(const char *s)
{
    return !s[strspn(s, " \t\r\n")];
}

/* A day or a minute as browsers send them ("2026-11-20", "2026-11-20T10:30") is meant in UTC. */
static const char *full_time(struct arena *a, const char *s)
{
    size_t n = strlen(s);

    if (n == 10)
        return arena_printf(a, "%sT00:00:00Z", s);
    if (n == 16)
        return arena_printf(a, "%s:00Z", s);
    return n == 19 ? arena_printf(a, "%sZ", s) : s;
}

static struct json *list_value(struct arena *a, const struct json *given)
{
    struct json *list = json_arr(a);

    if (json_is(given, JSON_STR) && !page_call_is_blank(given->s))
        json_push(list, json_str(a, given->s));
    for (const struct json *m = json_is(given, JSON_ARR) ? given->first : NULL; m; m = m->next)
        json_push(list, json_str(a, m->s));
    return list;
}

/* NULL: leave it out. An empty text is left out of what is made, but a change to nothing is one the operation refuses. */
static struct json *page_call_value(struct arena *a, const struct op *op, const struct field *f, const struct json *given)
{
    const char *s;

    if (f->type == FT_STRS || f->type == FT_UUIDS)
        return list_value(a, given);
    if (json_is(given, JSON_ARR))
        given = given->last;
    s = given->s;
    if (page_call_is_blank(s)) {
        if (f->flags & FIELD_NULLABLE)
            return json_new(a, JSON_NULL);
        return f->type == FT_STR && (f->min <= 0 || op->flags & OP_GIVEN) ? json_str(a, "") : NULL;
    }
    return field_from_text(a, f, f->type == FT_TIME ? full_time(a, s) : s);
}

/* A box that is not ticked sends nothing: the form names its boxes beside them. */
static bool is_unticked(struct ctx *c, const struct page_call *p, const struct field *f)
{
    struct strs boxes = page_form_all(c, p, "boxes");
    bool named = false;

    for (size_t i = 0; f->type == FT_BOOL && i < boxes.n; i++)
        named |= str_eq(boxes.v[i], f->name);
    return named && !json_get(p->form, f->name);
}

static struct json *page_call_arguments(struct ctx *c, const struct page_call *p, const struct op *op, const struct json *extra)
{
    struct json *args = json_obj(c->arena);

    for (const struct json *m = extra ? extra->first : NULL; m; m = m->next)
        json_set(c->arena, args, m->key, arena_memdup(c->arena, m, sizeof *m));
    for (const struct field *f = op->in; f && f->type != FT_END; f++) {
        const struct json *given = json_get(p->form, f->name);
        struct json *v = given && !json_get(extra, f->name) ? page_call_value(c->arena, op, f, given) : NULL;

        if (is_unticked(c, p, f))
            v = json_bool(c->arena, false);
        if (v)
            json_set(c->arena, args, f->name, v);
    }
    return args;
}

err page_run(struct ctx *c, const struct page_call *p, const char *name, const struct json *extra, struct call_result *r)
{
    const struct op *op = op_find(c->app->ops, name);
    const char *version = page_form(p, "if_version");
    struct call_result unused;

    assert(op);
    if (version && (!str_to_i64(version, &c->if_match) || c->if_match < 1))
        return fail(c, ERR_BAD_REQUEST, "the form lacks the version it was made from");
    return call_run(c, op, page_call_arguments(c, p, op, extra), r ? r : &unused);
}

/* The n-th param of a path is called this; NULL: there is none. */
static const char *param_name(struct arena *a, const char *path, size_t n)
{
    for (const char *p = strchr(path, ':'); p; p = strchr(p + 1, ':'))
        if (n-- == 0)
            return arena_strndup(a, p + 1, strcspn(p + 1, "/"));
    return NULL;
}

/* Where a row with `does` goes: its path of go with the params in it. */
static const char *way_on(struct ctx *c, const struct page_call *p, const struct page_row *row, const struct call_result *r)
{
    struct buf b;

    buf_init(&b, c->arena, 96);
    for (const char *at = row->go; *at;) {
        size_t plain = strcspn(at, ":"), n = at[plain] ? strcspn(at + plain + 1, "/?#") : 0;
        const char *name = arena_strndup(c->arena, at + plain + (n > 0), n), *param;

        buf_add(&b, at, plain);
        at += plain + n + (n > 0);
        if (n && str_eq(name, "made"))
            buf_puts(&b, UUID_STR(r->id));
        for (size_t i = 0; n && (param = param_name(c->arena, row->path, i)); i++)
            if (str_eq(name, param))
                buf_puts(&b, p->params[i]);
    }
    return buf_str(&b);
}

err page_do(struct ctx *c, struct page_call *p, const struct page_row *row)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r;
    const char *name;
    struct uuid id;

    for (size_t i = 0; (name = param_name(c->arena, row->path, i)); i++) {
        TRY(page_id(c, p, i, &id));
        json_set_str(c->arena, extra, name, p->params[i]);
    }
    TRY(page_run(c, p, row->does, extra, &r));
    page_say(c, p, "ok", "%s", row->said);
    p->go = way_on(c, p, row, &r);
    return ERR_OK;
}

err page_take(struct ctx *c, const struct page_call *p, const char *name, const struct json *extra, struct call_result *r)
{
    const struct op *op = op_find(c->app->ops, name);
    struct call_result unused;
    struct upload file;

    assert(op);
    if (!p->file)
        return fail_field(c, "/file", "choose a file");
    file = *p->file;
    file.media = op->media;
    return call_take(c, op, page_call_arguments(c, p, op, extra), &file, r ? r : &unused);
}
