/* What cannot be undone is asked of the person, where the client can ask; else it must be named twice. */
#include <string.h>

#include "mcp_impl.h"
#include "seal.h"

#define STATE_US (10 * 60 * SECOND_US)

/* ---- what a question leaves with the client */

static const char *binding(const struct ctx *c)
{
    return arena_printf(c->arena, "mcp %s", UUID_STR(c->who->token_id));
}

const char *mcp_state_seal(struct ctx *c, const struct json *what)
{
    return seal(c, binding(c), what);
}

const struct json *mcp_state_open(struct ctx *c, const char *text)
{
    return seal_open(c, binding(c), text, STATE_US);
}

struct json *mcp_elicitation(struct arena *a, const char *message, const char *field, const char *type)
{
    struct json *o = json_obj(a), *params, *schema, *properties, *required = json_arr(a);

    json_set_str(a, o, "method", "elicitation/create");
    params = json_set(a, o, "params", json_obj(a));
    json_set_str(a, params, "mode", "form");
    json_set_str(a, params, "message", message);
    schema = json_set(a, params, "requestedSchema", json_obj(a));
    json_set_str(a, schema, "type", "object");
    properties = json_set(a, schema, "properties", json_obj(a));
    json_set_str(a, json_set(a, properties, field, json_obj(a)), "type", type);
    json_push(required, json_str(a, field));
    json_set(a, schema, "required", required);
    return o;
}

struct json *mcp_input_required(struct arena *a, struct json *requests, const char *state)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "resultType", "input_required");
    json_set(a, o, "inputRequests", requests);
    if (state)
        json_set_str(a, o, "requestState", state);
    return o;
}

/* ---- what is asked */

const char *mcp_confirm_field(const struct op *op)
{
    const char *last = strrchr(op->path, ':');

    return op->flags & OP_CONFIRM && last && !strchr(last, '/') ? last + 1 : NULL;
}

static const char *mcp_confirm_question(struct ctx *c, const struct op *op, const char *name)
{
    return arena_printf(c->arena, "%s This concerns '%s' and cannot be undone by an agent. Continue?", op->summary, name);
}

/* What was asked for, so that a yes to one thing is none to another. */
static struct json *about(struct ctx *c, const struct op *op, const char *name)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "confirm", op->name);
    json_set_str(c->arena, o, "name", name);
    return o;
}

static bool said_yes(const struct json *answer)
{
    return str_eq(json_get_str(answer, "action"), "accept") && json_get_bool(json_get(answer, "content"), "yes", false);
}

static err declined(struct ctx *c, const char *name)
{
    return fail(c, ERR_INVALID, "the user declined; '%s' is unchanged", name);
}

/* The second message brings the answer and what we left with the first. */
static err mcp_confirm_read_answer(struct ctx *c, struct mcp *m, const struct op *op, const char *name)
{
    const struct json *state = mcp_state_open(c, mcp_param_str(m, "requestState"));

    if (!state || !json_equal(state, about(c, op, name)))
        return mcp_refuse(c, m, MCP_PARAMS, 400, "requestState is invalid or expired: call again without it");
    return said_yes(json_get(mcp_param(m, "inputResponses"), "confirm")) ? ERR_OK : declined(c, name);
}

/* A client that was asked to begin with and keeps a session (stdio) is asked in the middle of the call. */
static err ask_now(struct ctx *c, struct mcp *m, const struct op *op, const char *name)
{
    struct json *q = mcp_elicitation(c->arena, mcp_confirm_question(c, op, name), "yes", "boolean");
    const struct json *answer;

    TRY(m->peer->ask(c, m, "elicitation/create", json_get(q, "params"), &answer));
    return said_yes(answer) ? ERR_OK : declined(c, name);
}

static struct json *first_question(struct ctx *c, const struct op *op, const char *name)
{
    struct json *requests = json_obj(c->arena);

    json_set(c->arena, requests, "confirm", mcp_elicitation(c->arena, mcp_confirm_question(c, op, name), "yes", "boolean"));
    return mcp_input_required(c->arena, requests, mcp_state_seal(c, about(c, op, name)));
}

static void mcp_confirm_take_out(struct json *args, const char *name)
{
    struct json *before = NULL;

    for (struct json *p = args->first; p; before = p, p = p->next)
        if (strcmp(p->key, name) == 0) {
            *(before ? &before->next : &args->first) = p->next;
            if (args->last == p)
                args->last = before;
            args->len--;
            return;
        }
}

err mcp_confirm(struct ctx *c, struct mcp *m, const struct op *op, struct json *args, struct json **ask)
{
    const char *field = mcp_confirm_field(op), *name = field ? json_get_str(args, field) : NULL, *confirm;

    *ask = NULL;
    if (!name)
        return ERR_OK; /* nothing to confirm, or an argument that is missing and will be missed */
    confirm = json_get_str(args, "confirm");
    mcp_confirm_take_out(args, "confirm");
    if (mcp_param(m, "requestState"))
        return mcp_confirm_read_answer(c, m, op, name);
    if (str_eq(confirm, name))
        return ERR_OK;
    if (mcp_client_can(m, "elicitation") && m->is_modern) {
        *ask = first_question(c, op, name);
        return ERR_OK;
    }
    if (mcp_client_can(m, "elicitation") && m->peer && m->peer->ask)
        return ask_now(c, m, op, name);
    return fail_field(c, "/confirm", "this cannot be undone: ask the user, then call again with confirm: \"%s\"", name);
}
