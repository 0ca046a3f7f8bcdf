/* Fixtures that ask the client, in the middle of a call (older revisions) or by their result; see mcp_fixture_ask.h. */
#include "mcp_fixture_ask.h"

#include <string.h>

static struct json *mcp_fixture_ask_tree(struct ctx *c, const char *text)
{
    struct json *j;
    const char *why;

    return json_parse(c->arena, text, strlen(text), &j, &why) == JSON_OK ? j : json_obj(c->arena);
}

static err mcp_fixture_ask_text(struct ctx *c, const char *said, struct json **result)
{
    *result = mcp_tool_result(c, said, NULL, false);
    return ERR_OK;
}

/* ---- in the middle of a call */

static err mcp_fixture_ask(struct ctx *c, struct mcp *m, const char *method, struct json *params, const struct json **answer)
{
    if (!m->peer || !m->peer->ask)
        return mcp_refuse(c, m, -32603, 200, "this client cannot be asked: it must accept text/event-stream");
    return m->peer->ask(c, m, method, params, answer);
}

static struct json *sampling_params(struct ctx *c, const char *prompt, int tokens)
{
    struct json *p = json_obj(c->arena), *list = json_set(c->arena, p, "messages", json_arr(c->arena)), *one = json_obj(c->arena);

    json_set_str(c->arena, one, "role", "user");
    json_set(c->arena, one, "content", mcp_text_block(c->arena, prompt ? prompt : ""));
    json_push(list, one);
    json_set_int(c->arena, p, "maxTokens", tokens);
    return p;
}

err fixture_sampling(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    const struct json *answer;
    const char *said;

    TRY(mcp_fixture_ask(c, m, "sampling/createMessage", sampling_params(c, json_get_str(args, "prompt"), 100), &answer));
    said = json_get_str(json_get(answer, "content"), "text");
    return mcp_fixture_ask_text(c, arena_printf(c->arena, "LLM response: %s", said ? said : ""), result);
}

static err elicit(struct ctx *c, struct mcp *m, const char *message, const char *schema, const char *head, struct json **result)
{
    struct json *p = json_obj(c->arena);
    const struct json *answer, *content;

    json_set_str(c->arena, p, "message", message);
    json_set(c->arena, p, "requestedSchema", mcp_fixture_ask_tree(c, schema));
    TRY(mcp_fixture_ask(c, m, "elicitation/create", p, &answer));
    content = json_get(answer, "content");
    return mcp_fixture_ask_text(c, arena_printf(c->arena, "%s: action=%s, content=%s", head, json_get_str(answer, "action") ? json_get_str(answer, "action") : "",
                                                content ? json_text(c->arena, content) : "{}"), result);
}

err fixture_elicitation(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    return elicit(c, m, json_get_str(args, "message"),
                  "{\"type\":\"object\",\"properties\":{\"username\":{\"type\":\"string\",\"description\":\"User's response\"},\"email\":"
                  "{\"type\":\"string\",\"description\":\"User's email address\"}},\"required\":[\"username\",\"email\"]}",
                  "User response", result);
}

err fixture_defaults(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    (void)args;
    return elicit(c, m, "defaults",
                  "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},\"age\":{\"type\":\"integer\","
                  "\"default\":30},\"score\":{\"type\":\"number\",\"default\":95.5},\"status\":{\"type\":\"string\",\"enum\":[\"active\","
                  "\"inactive\",\"pending\"],\"default\":\"active\"},\"verified\":{\"type\":\"boolean\",\"default\":true}},\"required\":[]}",
                  "Elicitation completed", result);
}

#define TITLED(word) \
    "[{\"const\":\"value1\",\"title\":\"First " word "\"},{\"const\":\"value2\",\"title\":\"Second " word "\"},{\"const\":\"value3\"," \
    "\"title\":\"Third " word "\"}]"

err fixture_enums(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    (void)args;
    return elicit(c, m, "enums",
                  "{\"type\":\"object\",\"properties\":{\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
                  "\"titledSingle\":{\"type\":\"string\",\"oneOf\":" TITLED("Option") "},\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\","
                  "\"opt2\",\"opt3\"],\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},\"untitledMulti\":{\"type\":\"array\","
                  "\"items\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]}},\"titledMulti\":{\"type\":\"array\","
                  "\"items\":{\"anyOf\":" TITLED("Choice") "}}},\"required\":[]}", "Elicitation completed", result);
}

/* ---- by the result */

static const struct json *response(const struct mcp *m, const char *key)
{
    return json_get(mcp_param(m, "inputResponses"), key);
}

const char *fixture_answer(const struct mcp *m, const char *key, const char *field)
{
    const struct json *r = response(m, key);

    return str_eq(json_get_str(r, "action"), "accept") ? json_get_str(json_get(r, "content"), field) : NULL;
}

struct json *fixture_ask_one(struct ctx *c, const char *key, const char *message, const char *field)
{
    struct json *requests = json_obj(c->arena);

    json_set(c->arena, requests, key, mcp_elicitation(c->arena, message, field, "string"));
    return mcp_input_required(c->arena, requests, NULL);
}

static struct json *mcp_fixture_ask_sample(struct ctx *c, const char *prompt, int tokens)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "method", "sampling/createMessage");
    json_set(c->arena, o, "params", sampling_params(c, prompt, tokens));
    return o;
}

static struct json *roots(struct ctx *c)
{
    return mcp_fixture_ask_tree(c, "{\"method\":\"roots/list\",\"params\":{}}");
}

static err mcp_fixture_ask_state_of(struct ctx *c, struct mcp *m, const struct json **state)
{
    const struct json *sent = mcp_param(m, "requestState");

    *state = json_is(sent, JSON_STR) ? mcp_state_open(c, sent->s) : NULL;
    if (sent && !*state)
        return mcp_refuse(c, m, MCP_PARAMS, 400, "requestState failed verification");
    return ERR_OK;
}

static const char *sealed(struct ctx *c, const char *what, int64_t round, const char *name)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "fixture", what);
    json_set_int(c->arena, o, "round", round);
    json_set_str(c->arena, o, "name", name);
    return mcp_state_seal(c, o);
}

err fixture_input_name(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    const char *name = fixture_answer(m, "user_name", "name");

    (void)args;
    if (name)
        return mcp_fixture_ask_text(c, arena_printf(c->arena, "Hello, %s!", name), result);
    *result = fixture_ask_one(c, "user_name", "What is your name?", "name");
    return ERR_OK;
}

err fixture_input_sampling(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    const char *said = json_get_str(json_get(response(m, "capital_question"), "content"), "text");
    struct json *requests = json_obj(c->arena);

    (void)args;
    if (said)
        return mcp_fixture_ask_text(c, said, result);
    json_set(c->arena, requests, "capital_question", mcp_fixture_ask_sample(c, "What is the capital of France?", 100));
    *result = mcp_input_required(c->arena, requests, NULL);
    return ERR_OK;
}

err fixture_input_roots(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    const struct json *list = json_get(response(m, "client_roots"), "roots");
    struct json *requests = json_obj(c->arena);
    struct buf b;

    (void)args;
    if (!json_is(list, JSON_ARR)) {
        json_set(c->arena, requests, "client_roots", roots(c));
        *result = mcp_input_required(c->arena, requests, NULL);
        return ERR_OK;
    }
    buf_init(&b, c->arena, 64);
    for (const struct json *r = list->first; r; r = r->next)
        buf_printf(&b, "%s ", json_get_str(r, "uri") ? json_get_str(r, "uri") : "");
    return mcp_fixture_ask_text(c, buf_str(&b), result);
}

static err confirm_with_state(struct ctx *c, struct mcp *m, const char *what, const char *done, bool wants_answer, struct json **result)
{
    struct json *requests = json_obj(c->arena);
    const struct json *state;

    TRY(mcp_fixture_ask_state_of(c, m, &state));
    if (state && (!wants_answer || response(m, "confirm")))
        return mcp_fixture_ask_text(c, done, result);
    json_set(c->arena, requests, "confirm", mcp_elicitation(c->arena, "Please confirm", "ok", "boolean"));
    *result = mcp_input_required(c->arena, requests, sealed(c, what, 0, NULL));
    return ERR_OK;
}

err fixture_input_state(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    (void)args;
    return confirm_with_state(c, m, "state", "state-ok", true, result);
}

err fixture_input_tampered(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    (void)args;
    return confirm_with_state(c, m, "tampered", "ok", false, result);
}

err fixture_input_many(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    struct json *requests = json_obj(c->arena);
    const struct json *state;

    (void)args;
    TRY(mcp_fixture_ask_state_of(c, m, &state));
    if (state && response(m, "user_name") && response(m, "greeting") && response(m, "client_roots"))
        return mcp_fixture_ask_text(c, "all inputs received", result);
    json_set(c->arena, requests, "user_name", mcp_elicitation(c->arena, "What is your name?", "name", "string"));
    json_set(c->arena, requests, "greeting", mcp_fixture_ask_sample(c, "Generate a greeting", 50));
    json_set(c->arena, requests, "client_roots", roots(c));
    *result = mcp_input_required(c->arena, requests, sealed(c, "many", 0, NULL));
    return ERR_OK;
}

err fixture_input_rounds(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    struct json *requests = json_obj(c->arena);
    const struct json *state;
    int64_t round;

    (void)args;
    TRY(mcp_fixture_ask_state_of(c, m, &state));
    round = json_get_int(state, "round", 0);
    if (round == 1 && response(m, "step1")) {
        json_set(c->arena, requests, "step2", mcp_elicitation(c->arena, "Step 2: What is your favorite color?", "color", "string"));
        *result = mcp_input_required(c->arena, requests, sealed(c, "rounds", 2, fixture_answer(m, "step1", "name")));
        return ERR_OK;
    }
    if (round == 2 && response(m, "step2")) {
        const char *name = json_get_str(state, "name"), *color = fixture_answer(m, "step2", "color");

        return mcp_fixture_ask_text(c, arena_printf(c->arena, "%s %s", name ? name : "", color ? color : ""), result);
    }
    json_set(c->arena, requests, "step1", mcp_elicitation(c->arena, "Step 1: What is your name?", "name", "string"));
    *result = mcp_input_required(c->arena, requests, sealed(c, "rounds", 1, NULL));
    return ERR_OK;
}

err fixture_input_capabilities(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    struct json *requests = json_obj(c->arena);

    (void)args;
    if (mcp_param(m, "inputResponses"))
        return mcp_fixture_ask_text(c, "ok", result);
    if (mcp_client_can(m, "sampling"))
        json_set(c->arena, requests, "s", mcp_fixture_ask_sample(c, "hi", 10));
    if (mcp_client_can(m, "elicitation"))
        json_set(c->arena, requests, "e", mcp_elicitation(c->arena, "hi", "x", "string"));
    if (mcp_client_can(m, "roots"))
        json_set(c->arena, requests, "r", roots(c));
    if (!requests->first)
        return mcp_fixture_ask_text(c, "nothing to ask", result);
    *result = mcp_input_required(c->arena, requests, NULL);
    return ERR_OK;
}
