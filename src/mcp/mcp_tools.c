/* tools/list: the rows of the call table that name a tool, as the caller may call them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "mcp_impl.h"

const struct op *mcp_tool_find(const struct app *app, const char *name)
{
    if (!name)
        return NULL;
    if (str_starts(name, "platform.")) /* as the systems spell it that agents come from */
        name += strlen("platform.");
    for (size_t i = 0; i < app->ops->n; i++)
        if (str_eq(app->ops->ops[i]->tool, name))
            return app->ops->ops[i];
    return NULL;
}

bool mcp_may(const struct ctx *c, const struct op *op)
{
    return call_may(c, op);
}

/* ---- schemas */

/* An agent means itself where it does not say whom. */
static bool mcp_tools_is_self(const struct ctx *c, const struct field *f)
{
    return f->type == FT_UUID && strcmp(f->name, "agent_id") == 0 && c->who->kind == PRINCIPAL_AGENT;
}

static void add_confirm(struct arena *a, struct json *properties, const char *field)
{
    struct json *p = json_set(a, properties, "confirm", json_obj(a));

    json_set_str(a, p, "type", "string");
    json_set_int(a, p, "maxLength", 300);
    json_set_str(a, p, "description", arena_printf(a, "repeat the value of %s to confirm: this cannot be undone. Not needed if the client "
                                                      "asks the user", field));
}

struct json *mcp_input_schema(const struct ctx *c, const struct op *op)
{
    struct arena *a = c->arena;
    struct json *s = field_schema(a, op->in, true), *required = json_get(s, "required"), *kept = json_arr(a);
    const char *confirm = mcp_confirm_field(op);

    for (const struct field *f = op->in; f && f->type != FT_END; f++)
        if (f->flags & FIELD_REQUIRED && !mcp_tools_is_self(c, f))
            json_push(kept, json_str(a, f->name));
    if (required)
        *required = (struct json){.type = JSON_ARR, .len = kept->len, .key = required->key, .first = kept->first, .last = kept->last,
                                  .next = required->next};
    if (confirm)
        add_confirm(a, json_get(s, "properties"), confirm);
    return s;
}

static void add_property(struct arena *a, struct json *schema, const char *name, const char *json)
{
    json_set(a, json_get(schema, "properties"), name, json_raw(a, json));
    json_push(json_get(schema, "required"), json_str(a, name));
}

/* What structuredContent holds. */
static struct json *output_schema(struct arena *a, const struct op *op)
{
    struct json *rows = op->out ? field_schema(a, op->out, false) : NULL, *s, *items;

    if (rows && !json_get(rows, "required"))
        json_set(a, rows, "required", json_arr(a));
    if (rows)
        mcp_mark_schema(a, op->out, rows);
    if (rows && !(op->flags & OP_LIST))
        return rows;
    s = json_obj(a);
    json_set_str(a, s, "type", "object");
    json_set(a, s, "properties", json_obj(a));
    json_set(a, s, "required", json_arr(a));
    if (rows) {
        add_property(a, s, "has_more", "{\"type\":\"boolean\"}");
        add_property(a, s, "next_cursor", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}");
        items = json_set(a, json_get(s, "properties"), "items", json_obj(a));
        json_set_str(a, items, "type", "array");
        json_set(a, items, "items", rows);
        json_push(json_get(s, "required"), json_str(a, "items"));
    } else {
        add_property(a, s, "done", "{\"type\":\"boolean\"}");
    }
    json_set_bool(a, s, "additionalProperties", false);
    return s;
}

/* "read_memory" reads as "Read memory". */
static const char *mcp_tools_title_of(struct arena *a, const char *name)
{
    char *title = arena_strdup(a, name);

    for (char *p = title; *p; p++)
        if (*p == '_')
            *p = ' ';
    title[0] = (char)toupper((unsigned char)title[0]);
    return title;
}

static struct json *annotations(struct arena *a, const struct op *op)
{
    struct json *o = json_obj(a);
    bool reads = op->flags & OP_READONLY;

    json_set_bool(a, o, "readOnlyHint", reads);
    json_set_bool(a, o, "destructiveHint", !reads && op->flags & OP_DESTRUCTIVE);
    json_set_bool(a, o, "idempotentHint", op->flags & OP_IDEMPOTENT);
    json_set_bool(a, o, "openWorldHint", false);
    return o;
}

static struct json *portable(struct arena *a, struct json *schema)
{
    mcp_portable(a, schema);
    return schema;
}

static struct json *core_json(const struct ctx *c, const struct op *op, const struct mcp_core *k)
{
    struct arena *a = c->arena;
    struct json *o = json_obj(a), *hints;

    json_set_str(a, o, "name", op->tool);
    json_set_str(a, o, "description", k->sentence);
    json_set(a, o, "inputSchema", mcp_core_input(a, k, op, c->who->kind == PRINCIPAL_AGENT));
    hints = json_set(a, o, "annotations", json_obj(a));
    json_set_bool(a, hints, op->flags & OP_READONLY ? "readOnlyHint" : "destructiveHint", !!(op->flags & (OP_READONLY | OP_DESTRUCTIVE)));
    return o;
}

static struct json *tool_json(const struct ctx *c, const struct op *op)
{
    struct arena *a = c->arena;
    const struct mcp_core *k = mcp_core_of(c, op);
    struct json *o;

    if (k)
        return core_json(c, op, k);
    o = json_obj(a);
    json_set_str(a, o, "name", op->tool);
    json_set_str(a, o, "title", mcp_tools_title_of(a, op->tool));
    json_set_str(a, o, "description", op->help ? arena_printf(a, "%s %s", op->summary, op->help) : op->summary);
    json_set(a, o, "inputSchema", portable(a, mcp_input_schema(c, op)));
    json_set(a, o, "outputSchema", portable(a, output_schema(a, mcp_answer_op(c->app, op))));
    json_set(a, o, "annotations", annotations(a, op));
    return o;
}

static struct json *fixture_json(struct arena *a, const struct mcp_fixture *f)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "name", f->name);
    json_set_str(a, o, "description", f->help);
    json_set(a, o, "inputSchema", json_raw(a, f->schema));
    return o;
}

/* ---- the list: the core in its order, then the others by name, so that a page is the same twice */

struct tool {
    const char *name;
    int rank;
    const struct op *op;
    const struct mcp_fixture *fixture;
};

static int by_rank(const void *a, const void *b)
{
    const struct tool *x = a, *y = b;

    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : strcmp(x->name, y->name);
}

static size_t tools_of(struct ctx *c, const struct mcp *m, struct tool **out)
{
    const struct op_table *ops = c->app->ops;
    const struct mcp_fixture *f = mcp_fixtures(c);
    size_t n = 0, max = ops->n;

    for (const struct mcp_fixture *k = f; k->name; k++)
        max++;
    *out = ARENA_ARRAY(c->arena, struct tool, max + 1);
    for (size_t i = 0; i < ops->n; i++) {
        const struct op *op = ops->ops[i];
        int rank = op->tool ? mcp_core_rank(op->tool) : -1;

        if (!op->tool || !op->run || !mcp_may(c, op) || (c->who->toolset == TOOLSET_CORE && rank < 0))
            continue;
        (*out)[n++] = (struct tool){op->tool, rank < 0 ? INT16_MAX : rank, op, NULL};
    }
    for (; f->name; f++)
        if (f->eras & (m->is_modern ? MCP_NEW : MCP_OLD))
            (*out)[n++] = (struct tool){f->name, -1, NULL, f};
    qsort(*out, n, sizeof **out, by_rank);
    return n;
}

err mcp_tools_list(struct ctx *c, struct mcp *m, struct json **result)
{
    const struct json *cursor = mcp_param(m, "cursor");
    struct tool *all;
    size_t n = tools_of(c, m, &all), i = 0, end;
    struct json *list;

    if (cursor && cursor->type != JSON_NULL) {
        while (i < n && !(cursor->type == JSON_STR && strcmp(all[i].name, cursor->s) == 0))
            i++;
        if (i == n)
            return mcp_refuse(c, m, MCP_PARAMS, 200, "invalid cursor: begin without one");
        i++;
    }
    *result = json_obj(c->arena);
    list = json_set(c->arena, *result, "tools", json_arr(c->arena));
    end = n - i > MCP_LIST_MAX ? i + MCP_LIST_MAX : n;
    for (; i < end; i++)
        json_push(list, all[i].op ? tool_json(c, all[i].op) : fixture_json(c->arena, all[i].fixture));
    if (end < n)
        json_set_str(c->arena, *result, "nextCursor", all[end - 1].name);
    return ERR_OK;
}
