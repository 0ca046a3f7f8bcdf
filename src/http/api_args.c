/* Gathers arguments; what stands in the wrong place is refused as unknown. */
#include "api_args.h"

#include <string.h>

#include "app.h"
#include "config.h"
#include "openapi.h"

/* Values of the path, under the names the operation's path gives them. */
static void path_args(struct ctx *c, struct exchange *x, const struct op *op, struct json *args)
{
    size_t i = 0;

    for (const char *p = strchr(op->path, ':'); p && i < x->n_params; p = strchr(p + 1, ':'), i++) {
        const char *name = arena_strndup(c->arena, p + 1, strcspn(p + 1, "/"));
        const struct field *f = field_find(op->in, name);

        if (f)
            json_set(c->arena, args, name, field_from_text(c->arena, f, x->params[i]));
    }
}

static bool api_args_is_list(const struct field *f)
{
    return f->type == FT_STRS || f->type == FT_UUIDS || f->type == FT_NUMS;
}

/* The document promises booleans: what forms send for them ("1", "on") is none here. */
static struct json *query_one(struct ctx *c, const struct field *f, const char *text)
{
    bool is_none = f->type == FT_BOOL && !str_eq(text, "true") && !str_eq(text, "false");

    return is_none ? json_str(c->arena, text) : field_from_text(c->arena, f, text);
}

static struct json *query_value(struct ctx *c, const struct field *f, const struct json *m)
{
    struct json *all;

    if (!api_args_is_list(f))
        return m->type == JSON_ARR ? NULL : query_one(c, f, m->s);
    all = json_arr(c->arena);
    if (m->type == JSON_ARR)
        for (const struct json *v = m->first; v; v = v->next)
            json_push(all, field_from_text(c->arena, f, v->s));
    else
        json_push(all, field_from_text(c->arena, f, m->s));
    return all;
}

static err query_args(struct ctx *c, struct exchange *x, const struct op *op, struct json *args)
{
    struct json *pairs;

    TRY(exchange_pairs(c, x->query, strlen(x->query), "the query string", &pairs));
    for (const struct json *m = pairs->first; m; m = m->next) {
        const struct field *f = field_find(op->in, m->key);
        const char *pointer = arena_printf(c->arena, "/%s", m->key);
        struct json *v;

        if (!f || op_in_path(op, m->key) || (op_has_body(op) && !(f->flags & FIELD_IN_QUERY)))
            return fail_field(c, pointer, "unknown query parameter '%s'%s", m->key,
                              f ? "" : field_hint(c->arena, op->in, m->key));
        v = query_value(c, f, m);
        if (!v)
            return fail_field(c, pointer, "%s may be given once", m->key);
        json_set(c->arena, args, m->key, v);
    }
    return ERR_OK;
}

static err parse_body(struct ctx *c, struct bytes body, struct json **out)
{
    const char *why;
    enum json_fault f = json_parse(c->arena, body.p, body.n, out, &why);

    if (f != JSON_OK)
        return fail(c, f == JSON_TOO_MANY ? ERR_TOO_LARGE : ERR_BAD_REQUEST, "the body cannot be read: %s", why);
    if ((*out)->type != JSON_OBJ)
        return fail(c, ERR_INVALID, "the body must be a JSON object");
    return ERR_OK;
}

/* A client that says "JSON follows" and sends nothing was broken off; without a type it just had nothing to say. */
static bool is_broken_off(const struct exchange *x, const struct op *op)
{
    if (!exchange_media_is(x, "application/json"))
        return false;
    for (const struct field *f = op->in; f && f->type != FT_END; f++)
        if (!(f->flags & FIELD_QUERY) && !op_in_path(op, f->name))
            return true;
    return false;
}

static err body_args(struct ctx *c, struct exchange *x, const struct op *op, struct json *args, struct bytes *body)
{
    struct json *obj, *next;

    TRY(exchange_body(c, x, (size_t)c->app->conf->http_max_body, body));
    if (!body->n && is_broken_off(x, op))
        return fail(c, ERR_BAD_REQUEST, "the body is empty: send {}, or no Content-Type");
    if (!body->n)
        return ERR_OK; /* required members will be missed by field_decode */
    if (!exchange_media_is(x, "application/json"))
        return fail(c, ERR_MEDIA_TYPE, "send the body as application/json");
    TRY(parse_body(c, *body, &obj));
    for (struct json *m = obj->first; m; m = next) {
        const struct field *f = field_find(op->in, m->key);

        next = m->next;
        if (f && (f->flags & FIELD_QUERY || op_in_path(op, m->key)))
            return fail_field(c, arena_printf(c->arena, "/%s", m->key), "%s belongs in the %s, not in the body", m->key,
                              f->flags & FIELD_QUERY ? "query string" : "path");
        if (f && f->flags & FIELD_EITHER && json_get(args, m->key))
            return fail_field(c, arena_printf(c->arena, "/%s", m->key), "%s is given in the query string as well", m->key);
        json_set(c->arena, args, m->key, m);
    }
    return ERR_OK;
}

err api_args(struct ctx *c, struct exchange *x, const struct op *op, struct json **args, struct bytes *body)
{
    struct json *all = json_obj(c->arena);

    *body = (struct bytes){"", 0};
    path_args(c, x, op, all);
    TRY(query_args(c, x, op, all));
    if (op_has_body(op))
        TRY(body_args(c, x, op, all, body));
    else if (op->flags & OP_UPLOAD && !exchange_media_among(x, op->media))
        return fail(c, ERR_MEDIA_TYPE, "send the file as %s", op->media);
    *args = all;
    return ERR_OK;
}
