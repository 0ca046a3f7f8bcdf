/* The reference of the API: a list of all operations, and a page for each; see docs.h. */
#include "docs.h"

#include <string.h>

#include "app.h"
#include "call.h"
#include "config.h"
#include "docs_find.h"
#include "door.h"
#include "openapi.h"
#include "part.h"

#define DOCS "/api/v1/docs"
#define DEPTH 4 /* objects within objects */

/* ---- a field in words */

static const char *type_words(const struct field *f)
{
    static const char *const WORDS[] = {
        [FT_STR] = "text", [FT_INT] = "whole number", [FT_NUM] = "number", [FT_BOOL] = "true or false", [FT_ENUM] = "word",
        [FT_UUID] = "id", [FT_TIME] = "time (RFC 3339)", [FT_OBJECT] = "JSON object", [FT_JSON] = "any JSON", [FT_STRS] = "list of texts",
        [FT_UUIDS] = "list of ids", [FT_NUMS] = "list of numbers", [FT_OBJ] = "object", [FT_LIST] = "list of objects"};

    return WORDS[f->type];
}

static const char *docs_choices(struct arena *a, const struct enumx *e)
{
    struct buf b;

    buf_init(&b, a, 128);
    for (size_t i = 0; i < e->n; i++)
        if (*e->names[i])
            buf_printf(&b, "%s%s", b.len ? ", " : "one of: ", e->names[i]);
    return buf_str(&b);
}

/* NULL: none worth telling. */
static const char *limits(struct arena *a, const struct field *f)
{
    switch (f->type) {
    case FT_ENUM: return docs_choices(a, f->enumx);
    case FT_INT:
    case FT_NUM: return f->max > f->min ? arena_printf(a, "%.15g to %.15g", f->min, f->max) : NULL;
    case FT_STR: return f->max > 0 ? arena_printf(a, "%.15g to %.15g characters", f->min, f->max) : NULL;
    case FT_OBJECT:
    case FT_JSON: return f->max > 0 ? arena_printf(a, "at most %.15g bytes", f->max) : NULL;
    case FT_STRS:
    case FT_UUIDS:
    case FT_NUMS:
    case FT_LIST: return f->max > 0 ? arena_printf(a, "at most %.15g", f->max) : NULL;
    default: return NULL;
    }
}

static const char *otherwise(struct arena *a, const struct field *f)
{
    if (!field_has_default(f))
        return NULL;
    if (f->type == FT_BOOL)
        return f->otherwise > 0 ? "true" : "false";
    return f->type == FT_ENUM ? enumx_name(f->enumx, (int)f->otherwise) : arena_printf(a, "%.15g", f->otherwise);
}

static const char *where(const struct op *op, const struct field *f)
{
    return op_in_path(op, f->name) ? "path" : op_has_body(op) && !(f->flags & FIELD_IN_QUERY) ? "body" : "query";
}

static struct json *field_row(struct arena *a, const struct field *f, const char *prefix, const char *place)
{
    struct json *row = json_obj(a);

    json_set_str(a, row, "name", arena_printf(a, "%s%s", prefix, f->name));
    json_set_str(a, row, "where", place);
    json_set_str(a, row, "type", arena_printf(a, "%s%s", type_words(f), f->flags & FIELD_NULLABLE ? " or null" : ""));
    json_set_bool(a, row, "required", (f->flags & FIELD_REQUIRED) != 0);
    json_set_str(a, row, "limits", limits(a, f));
    json_set_str(a, row, "otherwise", place ? otherwise(a, f) : NULL);
    json_set_str(a, row, "help", f->help);
    return row;
}

/* The fields of a table, each followed by those within it. */
static void add_fields(struct arena *a, struct json *rows, const struct op *asked, const struct field *table, const char *prefix, int depth)
{
    for (const struct field *f = table; f && f->type != FT_END; f++) {
        const char *place = !asked ? NULL : *prefix ? "body" : where(asked, f);

        json_push(rows, field_row(a, f, prefix, place));
        if (f->sub && depth < DEPTH)
            add_fields(a, rows, asked, f->sub, arena_printf(a, "%s%s%s.", prefix, f->name, f->type == FT_LIST ? "[]" : ""), depth + 1);
    }
}

/* ---- a line to paste */

static const char *example(const struct field *f)
{
    switch (f->type) {
    case FT_INT:
    case FT_NUM: return f->min > 0 ? "1" : "0";
    case FT_BOOL: return "true";
    case FT_UUID: return "\"01900000-0000-7000-8000-000000000000\"";
    case FT_TIME: return "\"2026-11-19T08:00:00Z\"";
    case FT_OBJECT:
    case FT_JSON:
    case FT_OBJ: return "{}";
    case FT_STRS:
    case FT_UUIDS:
    case FT_NUMS:
    case FT_LIST: return "[]";
    default: return "\"…\"";
    }
}

static const char *body_example(struct arena *a, const struct op *op)
{
    struct buf b;
    bool any = false;

    buf_init(&b, a, 128);
    buf_putc(&b, '{');
    for (int pass = 0; pass < 2 && !any; pass++) /* what must be there, else the first that may */
        for (const struct field *f = op->in; f && f->type != FT_END && !(pass && any); f++)
            if ((pass || f->flags & FIELD_REQUIRED) && strcmp(where(op, f), "body") == 0) {
                buf_printf(&b, "%s\"%s\":%s", any ? "," : "", f->name,
                           f->type == FT_ENUM ? arena_printf(a, "\"%s\"", enumx_name(f->enumx, (int)f->enumx->n - 1)) : example(f));
                any = true;
            }
    buf_putc(&b, '}');
    return buf_str(&b);
}

/* ":id" becomes "$ID". */
static void add_path(struct buf *b, const char *path)
{
    for (const char *p = path; *p; p++)
        if (*p == ':')
            for (buf_putc(b, '$'); p[1] && p[1] != '/'; p++)
                buf_putc(b, p[1] >= 'a' && p[1] <= 'z' ? (char)(p[1] - 'a' + 'A') : p[1]);
        else
            buf_putc(b, *p);
}

static void add_query(struct buf *b, const struct op *op)
{
    char glue = '?';

    for (const struct field *f = op->in; f && f->type != FT_END; f++)
        if (f->flags & FIELD_REQUIRED && strcmp(where(op, f), "query") == 0) {
            buf_printf(b, "%c%s=…", glue, f->name);
            glue = '&';
        }
}

static const char *curl(struct arena *a, const struct op *op)
{
    struct buf b;

    buf_init(&b, a, 256);
    buf_puts(&b, "curl -s");
    if (strcmp(op->method, "GET") != 0 && (strcmp(op->method, "POST") != 0 || !op_has_body(op)))
        buf_printf(&b, " -X %s", op->method);
    buf_puts(&b, " -H \"Authorization: Bearer $LOCI_TOKEN\"");
    if (op->flags & OP_NEEDS_MATCH)
        buf_puts(&b, " -H 'If-Match: \"1\"'");
    if (op->flags & OP_UPLOAD)
        buf_printf(&b, " -H 'Content-Type: %.*s' --data-binary @file", (int)strcspn(op->media, " "), op->media);
    else if (op_has_body(op))
        buf_printf(&b, " -H 'Content-Type: application/json' -d '%s'", body_example(a, op));
    buf_puts(&b, " \"$LOCI_URL");
    add_path(&b, op->path);
    add_query(&b, op);
    buf_putc(&b, '"');
    return buf_str(&b);
}

/* ---- an operation */

static struct json *errors(struct arena *a, const struct op *op)
{
    struct json *rows = json_arr(a);
    int status[OP_ERRORS_MAX];
    size_t n = op_errors(op, status);

    for (size_t i = 0; i < n; i++)
        for (int e = ERR_OK + 1; e < ERR_COUNT; e++)
            if (err_info((err)e)->http == status[i]) {
                struct json *row = json_obj(a);

                json_set_int(a, row, "status", status[i]);
                json_set_str(a, row, "code", err_info((err)e)->slug);
                json_set_str(a, row, "meaning", err_info((err)e)->meaning);
                json_push(rows, row);
            }
    return rows;
}

static const char *docs_id_of(struct arena *a, const struct op *op)
{
    char *id = arena_strdup(a, op->name);

    for (char *p = id; *p; p++)
        if (*p == '.')
            *p = '_';
    return id;
}

/* "factual memory" as it can stand in a link. */
static const char *anchor_of(struct arena *a, const char *tag)
{
    char *anchor = arena_strdup(a, tag);

    for (char *p = anchor; *p; p++)
        if (*p == ' ')
            *p = '-';
    return anchor;
}

static struct json *op_brief(struct arena *a, const struct op *op)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "href", arena_printf(a, DOCS "/%s", docs_id_of(a, op)));
    json_set_str(a, o, "name", op->name);
    json_set_str(a, o, "method", op->method);
    json_set_str(a, o, "path", op->path);
    json_set_str(a, o, "summary", op->summary);
    json_set_str(a, o, "tool", op->tool);
    return o;
}

static const char *answer_words(struct arena *a, const struct op *op)
{
    const char *status = op->flags & OP_FINDS ? "201 (200 where it was there)" : op->flags & OP_CREATES ? "201" : op->flags & OP_ACCEPTED ? "202" : op->flags & OP_NO_BODY ? "204" : "200";

    if (op->flags & OP_STREAM)
        return arena_printf(a, "%s with a file: %s", status, op->media);
    if (!op->out)
        return arena_printf(a, "%s without a body", status);
    return arena_printf(a, "%s with {\"success\": true, \"data\": %s}", status,
                        op->flags & OP_LIST ? "[…], \"meta\": {\"next_cursor\", \"has_more\"}" : "{…}");
}

static struct json *op_whole(struct arena *a, const struct op *op)
{
    struct json *o = op_brief(a, op), *asked = json_arr(a), *answered = json_arr(a);

    json_set_str(a, o, "help", op->help);
    json_set_str(a, o, "tag", op->tag);
    json_set_str(a, o, "anchor", anchor_of(a, op->tag));
    json_set_str(a, o, "permission", op->perm ? enumx_name(&permission_enumx, (int)op->perm) : NULL);
    json_set_bool(a, o, "is_for_operators", (op->flags & OP_OPERATOR) != 0);
    json_set_bool(a, o, "is_readonly", (op->flags & OP_READONLY) != 0);
    json_set_bool(a, o, "is_idempotent", (op->flags & OP_IDEMPOTENT) != 0);
    json_set_bool(a, o, "is_destructive", (op->flags & OP_DESTRUCTIVE) != 0);
    json_set_bool(a, o, "takes_key", strcmp(op->method, "POST") == 0 && !(op->flags & OP_READONLY));
    json_set_bool(a, o, "takes_match", (op->flags & (OP_MATCH | OP_NEEDS_MATCH)) != 0);
    json_set_str(a, o, "takes_file", op->flags & OP_UPLOAD ? op->media : NULL);
    json_set_str(a, o, "curl", curl(a, op));
    add_fields(a, asked, op, op->in, "", 0);
    json_set(a, o, "fields", asked);
    json_set_bool(a, o, "has_fields", asked->len > 0);
    json_set_str(a, o, "answer", answer_words(a, op));
    add_fields(a, answered, NULL, op->out, "", 0);
    json_set(a, o, "answers", answered);
    json_set_bool(a, o, "has_answers", answered->len > 0);
    json_set(a, o, "errors", errors(a, op));
    return o;
}

/* ---- pages */

/* Whoever is signed in sees the frame of the other pages. */
static struct json *model(struct ctx *c, struct exchange *x, const struct route *r)
{
    if (door_authenticate(c, x) != ERR_OK) {
        ctx_forgive(c);
        c->who = NULL;
    }
    return frame_model(c, x, r->target);
}

/* Those that have the words of q; NULL: all. */
static struct json *docs_groups(struct arena *a, const struct op_table *ops, const char *q, int64_t *n)
{
    struct json *list = json_arr(a);

    *n = 0;
    for (size_t i = 0; i < ops->n; i++) {
        struct json *g = list->first;

        if (q && !docs_has(ops->ops[i], q))
            continue;
        ++*n;
        while (g && !str_eq(json_get_str(g, "tag"), ops->ops[i]->tag))
            g = g->next;
        if (!g) {
            json_push(list, json_obj(a));
            g = list->last;
            json_set_str(a, g, "tag", ops->ops[i]->tag);
            json_set_str(a, g, "anchor", anchor_of(a, ops->ops[i]->tag));
            json_set(a, g, "operations", json_arr(a));
        }
        json_push(json_get(g, "operations"), op_brief(a, ops->ops[i]));
    }
    return list;
}

static void docs_list(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct json *m = model(c, x, r), *query;
    const char *q = NULL;
    int64_t n;

    if (part_is_refused(c, x))
        return;
    if (exchange_pairs(c, x->query, strlen(x->query), "the query", &query) == ERR_OK)
        q = json_get_str(query, "q");
    else
        ctx_forgive(c);
    q = str_empty(q) ? NULL : q;
    json_set(c->arena, m, "groups", docs_groups(c->arena, c->app->ops, q, &n));
    json_set_int(c->arena, m, "count", (int64_t)c->app->ops->n);
    json_set_int(c->arena, m, "found", n);
    json_set_str(c->arena, m, "q", q);
    json_set_str(c->arena, m, "url", c->app->conf->web_public_url);
    frame_show(c, x, 200, "docs", m);
}

/* The others of its group. */
static struct json *siblings(struct arena *a, const struct op_table *ops, const struct op *op)
{
    struct json *list = json_arr(a);

    for (size_t i = 0; i < ops->n; i++)
        if (str_eq(ops->ops[i]->tag, op->tag)) {
            struct json *o = op_brief(a, ops->ops[i]);

            json_set_bool(a, o, "is_this", ops->ops[i] == op);
            json_push(list, o);
        }
    return list;
}

static void docs_one(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct json *m = model(c, x, r);

    if (part_is_refused(c, x))
        return;
    for (size_t i = 0; i < c->app->ops->n; i++)
        if (strcmp(docs_id_of(c->arena, c->app->ops->ops[i]), x->params[0]) == 0) {
            json_set(c->arena, m, "op", op_whole(c->arena, c->app->ops->ops[i]));
            json_set(c->arena, m, "siblings", siblings(c->arena, c->app->ops, c->app->ops->ops[i]));
            frame_show(c, x, 200, "docs_op", m);
            return;
        }
    frame_error(c, x, r->target, fail(c, ERR_NOT_FOUND, "no operation with this name"));
}

void docs_add_routes(struct router *r, struct arena *a, const struct admin *admin)
{
    static const struct route ROUTES[] = {
        {"GET", DOCS, "page.docs", docs_list, NULL},
        {"GET", DOCS "/:name", "page.docs.operation", docs_one, NULL},
    };

    router_add_for(r, a, ROUTES, sizeof ROUTES / sizeof *ROUTES, admin);
}
