/* What a page shows, asked for by a shell or by an MCP client: made from the row of the call table; see copy.h. */
#include "copy.h"

#include <ctype.h>
#include <string.h>

#include "app.h"
#include "call.h"
#include "config.h"
#include "model.h"
#include "sheet.h"

/* ---- what the page asked */

/* The name behind a ":" of a path, or NULL when there is none left; *path moves on behind it. */
static const char *next_param(struct arena *a, const char **path)
{
    const char *colon = strchr(*path, ':'), *name;

    if (!colon)
        return NULL;
    name = arena_strndup(a, colon + 1, strcspn(colon + 1, "/"));
    *path = colon + 1 + strlen(name);
    return name;
}

struct json *copy_args(struct ctx *c, const struct page_call *p, const struct op *op)
{
    struct json *args = json_obj(c->arena);
    const char *path = op->path, *name;
    size_t n = 0;

    for (const struct json *m = p->asked ? p->asked->first : NULL; m; m = m->next)
        json_set(c->arena, args, m->key, arena_memdup(c->arena, m, sizeof *m));
    while ((name = next_param(c->arena, &path)) && n < PAGE_PARAMS && p->params[n]) {
        if (!json_get(args, name))
            json_set_str(c->arena, args, name, p->params[n]);
        n++;
    }
    for (const struct field *f = op->in; f && f->type != FT_END; f++) {
        const char *text = strcmp(f->name, "cursor") == 0 ? NULL : page_query(p, f->name);

        if (text && !json_get(args, f->name))
            json_set(c->arena, args, f->name, field_from_text(c->arena, f, text));
    }
    return args;
}

/* ---- for a shell */

static void copy_add_encoded(struct buf *b, const char *text)
{
    for (const char *p = text; *p; p++)
        if (isalnum((unsigned char)*p) || strchr("-._~", *p))
            buf_putc(b, *p);
        else
            buf_printf(b, "%%%02X", (unsigned char)*p);
}

/* 'it' becomes 'it'\''s in a shell's single quotes. */
static void add_quoted(struct buf *b, const char *text)
{
    buf_putc(b, '\'');
    for (const char *p = text; *p; p++)
        if (*p == '\'')
            buf_puts(b, "'\\''");
        else
            buf_putc(b, *p);
    buf_putc(b, '\'');
}

static const char *copy_text_of(struct ctx *c, const struct json *j)
{
    return j->type == JSON_STR ? j->s : json_text(c->arena, j);
}

/* The path with its params, and in rest what is left to say. */
static const char *url_of(struct ctx *c, const struct op *op, const struct json *args, struct json *rest)
{
    struct json *in_path = json_obj(c->arena);
    const char *path = op->path, *from = op->path, *name;
    struct buf b;

    buf_init(&b, c->arena, 256);
    buf_puts(&b, c->app->conf->web_public_url);
    while ((name = next_param(c->arena, &path))) {
        const struct json *value = json_get(args, name);

        buf_printf(&b, "%.*s", (int)(path - strlen(name) - 1 - from), from);
        copy_add_encoded(&b, value ? copy_text_of(c, value) : name);
        json_set_bool(c->arena, in_path, name, true);
        from = path;
    }
    buf_puts(&b, from);
    for (const struct json *m = args->first; m; m = m->next)
        if (!json_get(in_path, m->key))
            json_set(c->arena, rest, m->key, arena_memdup(c->arena, m, sizeof *m));
    return buf_str(&b);
}

static const char *curl_of(struct ctx *c, const struct op *op, const struct json *args)
{
    struct json *rest = json_obj(c->arena), *query = json_obj(c->arena);
    const char *url = url_of(c, op, args, rest);
    bool is_get = strcmp(op->method, "GET") == 0;
    struct buf b;

    for (const struct json *m = is_get ? rest->first : NULL; m; m = m->next)
        json_set_str(c->arena, query, m->key, copy_text_of(c, m));
    buf_init(&b, c->arena, 512);
    buf_puts(&b, "curl -s -H \"Authorization: Bearer $LOCI_TOKEN\" ");
    add_quoted(&b, model_href(c->arena, url, query));
    if (!is_get) {
        buf_puts(&b, " -H 'Content-Type: application/json' -d ");
        add_quoted(&b, json_text(c->arena, rest));
    }
    return buf_str(&b);
}

/* ---- for an MCP client */

static const char *mcp_of(struct ctx *c, const struct op *op, const struct json *args)
{
    struct json *call = json_obj(c->arena), *params;

    if (!op->tool)
        return NULL;
    json_set_str(c->arena, call, "method", "tools/call");
    params = json_set(c->arena, call, "params", json_obj(c->arena));
    json_set_str(c->arena, params, "name", op->tool);
    json_set(c->arena, params, "arguments", arena_memdup(c->arena, args, sizeof *args));
    return json_text_pretty(c->arena, call);
}

/* The reference spells an operation's name as OpenAPI does. */
static const char *docs_of(struct ctx *c, const char *name)
{
    char *id = arena_strdup(c->arena, name);

    for (char *p = id; *p; p++)
        if (*p == '.')
            *p = '_';
    return arena_printf(c->arena, "/api/v1/docs/%s", id);
}

void copy_add(struct ctx *c, struct page_call *p, const char *name)
{
    const struct op *op = op_find(c->app->ops, name);
    struct json *args, *copy;

    if (!op || !page_may(c, op->perm) || (op->flags & OP_OPERATOR && !c->who->is_operator))
        return;
    args = copy_args(c, p, op);
    copy = json_set(c->arena, p->model, "copy", json_obj(c->arena));
    json_set_str(c->arena, copy, "curl", curl_of(c, op, args));
    json_set_str(c->arena, copy, "mcp", mcp_of(c, op, args));
    json_set_str(c->arena, copy, "summary", op->summary);
    json_set_str(c->arena, copy, "href", docs_of(c, name));
    json_set_str(c->arena, copy, "csv", sheet_href(c, p, op));
}
