/* tools/call: the arguments of a message to an operation, and its answer to content that a model and a program can read. */
#include <string.h>

#include "mcp_impl.h"

/* ---- running */

err mcp_run(struct ctx *c, const char *name, struct json *args, struct call_result *r)
{
    const struct op *op = op_find(c->app->ops, name);

    if (!op)
        return fail(c, ERR_INTERNAL, "there is no operation %s", name);
    return call_run(c, op, args ? args : json_obj(c->arena), r);
}

static struct json *mcp_call_own(struct arena *a, const struct json *j)
{
    return j ? arena_memdup(a, j, sizeof *j) : json_obj(a);
}

struct json *mcp_structured(struct ctx *c, const struct op *op, const struct call_result *r)
{
    struct arena *a = c->arena;
    struct json *o;

    if (op->out && !(op->flags & OP_LIST)) {
        o = mcp_call_own(a, r->data);
        mcp_mark(a, op->out, o);
        return o;
    }
    o = json_obj(a);
    if (!op->out) {
        json_set_bool(a, o, "done", true);
        return o;
    }
    json_set_bool(a, o, "has_more", json_get_bool(r->meta, "has_more", false));
    json_set_str(a, o, "next_cursor", json_get_str(r->meta, "next_cursor"));
    json_set(a, o, "items", mcp_call_own(a, r->data));
    for (struct json *row = json_get(o, "items")->first; row; row = row->next)
        mcp_mark(a, op->out, row);
    return o;
}

struct json *mcp_tool_result(struct ctx *c, const char *text, struct json *structured, bool is_error)
{
    struct arena *a = c->arena;
    struct json *o = json_obj(a), *content = json_set(a, o, "content", json_arr(a));

    json_push(content, mcp_text_block(a, text));
    if (structured)
        json_set(a, o, "structuredContent", structured);
    if (is_error)
        json_set_bool(a, o, "isError", true);
    return o;
}

/* ---- arguments */

/* A copy that may be changed, with what the credential says where nothing else was said. */
static struct json *mcp_call_arguments(struct ctx *c, const struct op *op, const struct json *given)
{
    struct json *args = json_obj(c->arena);
    const struct field *self = field_find(op->in, "agent_id");

    for (const struct json *p = given ? given->first : NULL; p; p = p->next)
        json_set(c->arena, args, p->key, arena_memdup(c->arena, p, sizeof *p));
    if (self && self->flags & FIELD_REQUIRED && self->type == FT_UUID && c->who->kind == PRINCIPAL_AGENT && !json_get(args, "agent_id"))
        json_set_str(c->arena, args, "agent_id", arena_strdup(c->arena, UUID_STR(c->who->id)));
    return args;
}

/* Recall writes text for a model by itself. */
static bool writes_bundle(const struct op *op)
{
    return op->out && field_find(op->out, "bundle") && field_find(op->in, "render");
}

/* ---- the answer */

static const char *mcp_call_text_of(struct ctx *c, const struct op *op, struct json *structured, bool asked_bundle)
{
    struct json *bundle = json_get(structured, "bundle");
    const char *text;

    if (writes_bundle(op) && json_is(bundle, JSON_STR)) {
        text = bundle->s;
        if (!asked_bundle)
            *bundle = (struct json){.type = JSON_NULL, .key = bundle->key, .next = bundle->next};
        return text;
    }
    return mcp_is_stored(op->out) ? mcp_fenced(c->arena, structured) : json_text(c->arena, structured);
}

static void say_how_it_went(struct ctx *c, struct mcp *m, const struct op *op, const struct json *structured, int64_t us)
{
    const struct json *degraded = json_get(structured, "degraded");
    struct json *data;

    if (!m->log_level)
        return;
    data = json_obj(c->arena);
    json_set_str(c->arena, data, "operation", op->name);
    json_set_str(c->arena, data, "request_id", c->request_id);
    json_set(c->arena, data, "ms", json_num(c->arena, (double)us / 1000));
    if (json_is(degraded, JSON_ARR) && degraded->len)
        json_set(c->arena, data, "degraded", arena_memdup(c->arena, degraded, sizeof *degraded));
    mcp_say(c, m, json_get(data, "degraded") ? "warning" : "info", data);
}

static err mcp_call_done(struct ctx *c, struct mcp *m, const struct op *op, const struct call_result *r, bool asked_bundle,
                         struct json **result)
{
    const struct mcp_core *k = mcp_core_of(c, op);
    struct call_result run = *r;
    struct json *structured;
    const char *text;

    if (op->flags & OP_ACCEPTED && mcp_takes_tasks(m))
        return mcp_task_begun(c, r->id, result);
    if (op->flags & OP_ACCEPTED)
        TRY(mcp_task_wait(c, m, r->id, &run));
    op = mcp_answer_op(c->app, op);
    structured = mcp_structured(c, op, &run);
    text = k && (k->answer || k->row) ? mcp_brief(c, k, op, structured) : mcp_call_text_of(c, op, structured, asked_bundle);
    if (k)
        structured = op->flags & OP_READONLY ? NULL : mcp_brief_data(c->arena, structured);
    *result = mcp_tool_result(c, text, structured, false);
    return ERR_OK;
}

static err mcp_call_run(struct ctx *c, struct mcp *m, const struct op *op, struct json *args, struct json **result)
{
    bool asked_bundle = json_get(args, "render") != NULL;
    int64_t start = clock_monotonic_us();
    struct call_result r;
    err e;

    if (writes_bundle(op) && !asked_bundle)
        json_set_str(c->arena, args, "render", "bundle");
    e = call_run(c, op, args, &r);
    if (e == ERR_OK)
        e = mcp_call_done(c, m, op, &r, asked_bundle, result);
    if (e == ERR_INTERNAL)
        return e;
    if (e == ERR_OK)
        e = ctx_check_size(c);
    if (e != ERR_OK) {
        arena_excuse(c->arena);
        *result = mcp_tool_result(c, mcp_advice(c, e), NULL, true);
        ctx_forgive(c);
        return ERR_OK;
    }
    say_how_it_went(c, m, op, json_get(*result, "structuredContent"), clock_monotonic_us() - start);
    return ERR_OK;
}

/* A token that lacks the permission: not the model's mistake, so it is told to the client. */
static err mcp_call_permit(struct ctx *c, struct mcp *m, const struct op *op)
{
    err e = call_permit(c, op);

    if (e != ERR_FORBIDDEN)
        return e;
    m->fault.scope = enumx_name(&permission_enumx, (int)op->perm);
    return mcp_refuse(c, m, err_info(e)->jsonrpc, 403, "this token may not call %s: it lacks the permission %s", op->tool,
                      op->perm == PERM_NONE ? "of an operator" : m->fault.scope);
}

err mcp_tools_call(struct ctx *c, struct mcp *m, struct json **result)
{
    const char *name = mcp_param_str(m, "name");
    const struct json *given = mcp_param(m, "arguments");
    const struct mcp_fixture *fixture = mcp_fixture_find(c, name);
    const struct op *op = mcp_tool_find(c->app, name);
    struct json *args, *ask = NULL;
    err e;

    if (!name || (!fixture && (!op || !op->run)))
        return mcp_refuse(c, m, MCP_PARAMS, 200, "Unknown tool: %.100s", name ? name : "");
    if (given && given->type != JSON_OBJ && given->type != JSON_NULL)
        return mcp_refuse(c, m, MCP_PARAMS, 200, "arguments must be an object");
    if (!json_is(given, JSON_OBJ))
        given = NULL;
    if (fixture)
        return fixture->run(c, m, given ? given : json_obj(c->arena), result);
    TRY(mcp_call_permit(c, m, op));
    args = mcp_call_arguments(c, op, given);
    e = mcp_confirm(c, m, op, args, &ask);
    if (e == ERR_OK && ask) {
        *result = ask;
        return ERR_OK;
    }
    if (e == ERR_INVALID) {
        *result = mcp_tool_result(c, mcp_advice(c, e), NULL, true);
        ctx_forgive(c);
        return ERR_OK;
    }
    TRY(e);
    return mcp_call_run(c, m, op, args, result);
}
