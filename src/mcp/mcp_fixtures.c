/* What the MCP conformance suite calls by fixed names, so that a suite from outside can judge the transport. */
#include <string.h>

#include "config.h"
#include "mcp_fixture_ask.h"
#include "mcp_impl.h"

#define PNG "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
#define WAV "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
#define BOTH (MCP_OLD | MCP_NEW)
#define NONE "{\"type\":\"object\",\"properties\":{}}"

typedef struct json json_tree;

/* ---- tools that answer with something fixed */

static err fixed(struct ctx *c, const char *json, struct json **result)
{
    const char *why;

    if (json_parse(c->arena, json, strlen(json), result, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "a fixture is no JSON: %s", why);
    return ERR_OK;
}

#define FIXED(name, text) \
    static err name(struct ctx *c, struct mcp *m, const struct json *args, struct json **result) \
    { \
        (void)m; \
        (void)args; \
        return fixed(c, text, result); \
    }
#define TEXT(t) "{\"content\":[{\"type\":\"text\",\"text\":\"" t "\"}]}"

FIXED(simple_text, TEXT("This is a simple text response for testing."))
FIXED(image, "{\"content\":[{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}]}")
FIXED(audio, "{\"content\":[{\"type\":\"audio\",\"data\":\"" WAV "\",\"mimeType\":\"audio/wav\"}]}")
FIXED(embedded, "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\",\"mimeType\":\"text/plain\","
      "\"text\":\"This is an embedded resource content.\"}}]}")
FIXED(mixed, "{\"content\":[{\"type\":\"text\",\"text\":\"Multiple content types test:\"},{\"type\":\"image\",\"data\":\"" PNG "\","
      "\"mimeType\":\"image/png\"},{\"type\":\"resource\",\"resource\":{\"uri\":\"test://mixed-content-resource\",\"mimeType\":"
      "\"application/json\",\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}]}")
FIXED(error, "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"This tool intentionally returns an error for testing\"}]}")
FIXED(ok, TEXT("ok"))
FIXED(streaming, TEXT("Streaming complete"))

/* ---- tools that say something meanwhile */

static err logging(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    static const char *const SAID[] = {"Tool execution started", "Tool processing data", "Tool execution completed"};

    (void)args;
    for (size_t i = 0; i < sizeof SAID / sizeof *SAID; i++)
        mcp_say(c, m, "info", json_str(c->arena, SAID[i]));
    return fixed(c, TEXT("logged"), result);
}

static err progress(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    (void)args;
    for (int i = 0; i <= 100; i += 50)
        mcp_progress(c, m, i, 100);
    return fixed(c, TEXT("done"), result);
}

static err region(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    const char *region = json_get_str(args, "region");

    (void)m;
    *result = mcp_tool_result(c, arena_printf(c->arena, "region %s", region ? region : ""), NULL, false);
    return ERR_OK;
}

static err missing_capability(struct ctx *c, struct mcp *m, const struct json *args, struct json **result)
{
    (void)args;
    if (mcp_client_can(m, "sampling"))
        return fixed(c, TEXT("Success"), result);
    m->fault.data = json_raw(c->arena, "{\"requiredCapabilities\":{\"sampling\":{}}}");
    return mcp_refuse(c, m, MCP_NO_CAPABILITY, 400, "Missing required client capability");
}

#define SCHEMA_2020 \
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"$defs\":{\"address\":{\"$anchor\":\"addressDef\"," \
    "\"type\":\"object\",\"properties\":{\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},\"properties\":{\"name\":{\"type\":" \
    "\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"},\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},\"phone\":" \
    "{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}]," \
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":[\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]}," \
    "\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}"

static const struct mcp_fixture FIXTURES[] = {
    {"test_simple_text", "text", NONE, BOTH, simple_text},
    {"test_image_content", "an image", NONE, BOTH, image},
    {"test_audio_content", "a sound", NONE, BOTH, audio},
    {"test_embedded_resource", "a resource", NONE, BOTH, embedded},
    {"test_multiple_content_types", "several kinds of content", NONE, BOTH, mixed},
    {"test_tool_with_logging", "log messages", NONE, BOTH, logging},
    {"test_logging_tool", "log messages for who asks for them", NONE, MCP_NEW, logging},
    {"test_error_handling", "an error", NONE, BOTH, error},
    {"test_tool_with_progress", "progress", NONE, BOTH, progress},
    {"json_schema_2020_12_tool", "a schema with all that JSON Schema 2020-12 has", SCHEMA_2020, BOTH, ok},
    {"test_missing_capability", "needs a client that samples", NONE, MCP_NEW, missing_capability},
    {"test_streaming_elicitation", "streams", NONE, MCP_NEW, streaming},
    {"test_trigger_tool_change", "changes nothing", NONE, MCP_NEW, ok},
    {"test_trigger_prompt_change", "changes nothing", NONE, MCP_NEW, ok},
    {"test_x_mcp_header", "a parameter that a header says, too", "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\","
     "\"x-mcp-header\":\"Region\"}},\"required\":[\"region\"]}", MCP_NEW, region},
    {"test_sampling", "asks the client's model", "{\"type\":\"object\",\"properties\":{\"prompt\":{\"type\":\"string\"}},\"required\":"
     "[\"prompt\"]}", MCP_OLD, fixture_sampling},
    {"test_elicitation", "asks the user", "{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"}},\"required\":[\"message\"]}",
     MCP_OLD, fixture_elicitation},
    {"test_elicitation_sep1034_defaults", "asks the user, with defaults", NONE, MCP_OLD, fixture_defaults},
    {"test_elicitation_sep1330_enums", "asks the user, with choices", NONE, MCP_OLD, fixture_enums},
    {"test_input_required_result_elicitation", "asks the user by its result", NONE, MCP_NEW, fixture_input_name},
    {"test_input_required_result_sampling", "asks the client's model by its result", NONE, MCP_NEW, fixture_input_sampling},
    {"test_input_required_result_list_roots", "asks for roots by its result", NONE, MCP_NEW, fixture_input_roots},
    {"test_input_required_result_request_state", "asks, with state", NONE, MCP_NEW, fixture_input_state},
    {"test_input_required_result_multiple_inputs", "asks for three things", NONE, MCP_NEW, fixture_input_many},
    {"test_input_required_result_multi_round", "asks twice", NONE, MCP_NEW, fixture_input_rounds},
    {"test_input_required_result_tampered_state", "refuses state that was changed", NONE, MCP_NEW, fixture_input_tampered},
    {"test_input_required_result_capabilities", "asks for what the client can", NONE, MCP_NEW, fixture_input_capabilities},
    {0},
};

static bool are_on(const struct ctx *c)
{
    return c->app->conf->mcp_conformance_fixtures;
}

const struct mcp_fixture *mcp_fixtures(const struct ctx *c)
{
    static const struct mcp_fixture NOTHING[] = {{0}};

    return are_on(c) ? FIXTURES : NOTHING;
}

const struct mcp_fixture *mcp_fixture_find(const struct ctx *c, const char *name)
{
    for (const struct mcp_fixture *f = mcp_fixtures(c); name && f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

/* ---- resources */

static void mcp_fixtures_add(struct ctx *c, struct json *list, const char *json)
{
    struct json *o;

    if (fixed(c, json, &o) == ERR_OK)
        json_push(list, o);
}

void mcp_fixture_resources(struct ctx *c, struct json *list)
{
    if (!are_on(c))
        return;
    mcp_fixtures_add(c, list, "{\"uri\":\"test://static-text\",\"name\":\"static-text\",\"mimeType\":\"text/plain\"}");
    mcp_fixtures_add(c, list, "{\"uri\":\"test://static-binary\",\"name\":\"static-binary\",\"mimeType\":\"image/png\"}");
    mcp_fixtures_add(c, list, "{\"uri\":\"test://watched-resource\",\"name\":\"watched\",\"mimeType\":\"text/plain\"}");
}

void mcp_fixture_templates(struct ctx *c, struct json *list)
{
    if (are_on(c))
        mcp_fixtures_add(c, list, "{\"uriTemplate\":\"test://template/{id}/data\",\"name\":\"tpl\",\"description\":\"a template\","
                     "\"mimeType\":\"application/json\"}");
}

static struct json *text_contents(struct arena *a, const char *uri, const char *mime, const char *text)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "uri", uri);
    json_set_str(a, o, "mimeType", mime);
    json_set_str(a, o, "text", text);
    return o;
}

err mcp_fixture_resource(struct ctx *c, struct mcp *m, const char *uri, struct json **contents)
{
    static const char HEAD[] = "test://template/", TAIL[] = "/data";
    size_t n = strlen(uri), head = sizeof HEAD - 1, tail = sizeof TAIL - 1;

    (void)m;
    *contents = NULL;
    if (!are_on(c))
        return ERR_OK;
    if (strcmp(uri, "test://static-text") == 0 || strcmp(uri, "test://watched-resource") == 0)
        *contents = text_contents(c->arena, uri, "text/plain", "This is the content of the static text resource.");
    if (strcmp(uri, "test://static-binary") == 0)
        return fixed(c, "{\"uri\":\"test://static-binary\",\"mimeType\":\"image/png\",\"blob\":\"" PNG "\"}", contents);
    if (n > head + tail && str_starts(uri, HEAD) && strcmp(uri + n - tail, TAIL) == 0) {
        struct json *o = json_obj(c->arena);
        const char *id = arena_strndup(c->arena, uri + head, n - head - tail);

        json_set_str(c->arena, o, "id", id);
        json_set_bool(c->arena, o, "templateTest", true);
        json_set_str(c->arena, o, "data", arena_printf(c->arena, "Data for ID: %s", id));
        *contents = text_contents(c->arena, uri, "application/json", json_text(c->arena, o));
    }
    return ERR_OK;
}

/* ---- prompts and completion */

void mcp_fixture_prompts(struct ctx *c, struct json *list)
{
    if (!are_on(c))
        return;
    mcp_fixtures_add(c, list, "{\"name\":\"test_simple_prompt\",\"description\":\"simple\",\"arguments\":[]}");
    mcp_fixtures_add(c, list, "{\"name\":\"test_prompt_with_arguments\",\"description\":\"arguments\",\"arguments\":[{\"name\":\"arg1\",\"required\":true},"
                 "{\"name\":\"arg2\",\"required\":true}]}");
    mcp_fixtures_add(c, list, "{\"name\":\"test_prompt_with_embedded_resource\",\"description\":\"resource\",\"arguments\":[{\"name\":\"resourceUri\","
                 "\"required\":true}]}");
    mcp_fixtures_add(c, list, "{\"name\":\"test_prompt_with_image\",\"description\":\"image\",\"arguments\":[]}");
    mcp_fixtures_add(c, list, "{\"name\":\"test_input_required_result_prompt\",\"description\":\"asks the user\",\"arguments\":[]}");
}

static json_tree *messages(struct ctx *c, struct json **list)
{
    struct json *o = json_obj(c->arena);

    *list = json_set(c->arena, o, "messages", json_arr(c->arena));
    return o;
}

static void mcp_fixtures_say(struct ctx *c, struct json *list, struct json *content)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "role", "user");
    json_set(c->arena, o, "content", content);
    json_push(list, o);
}

static struct json *with_resource(struct ctx *c, const char *uri)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "type", "resource");
    json_set(c->arena, o, "resource", text_contents(c->arena, uri ? uri : "", "text/plain", "Embedded resource content for testing."));
    return o;
}

err mcp_fixture_prompt(struct ctx *c, struct mcp *m, const char *name, struct json **result)
{
    const struct json *args = mcp_param(m, "arguments");
    struct json *o, *list;

    *result = NULL;
    if (!are_on(c) || !name)
        return ERR_OK;
    o = messages(c, &list);
    if (strcmp(name, "test_simple_prompt") == 0) {
        mcp_fixtures_say(c, list, mcp_text_block(c->arena, "This is a simple prompt for testing."));
    } else if (strcmp(name, "test_prompt_with_arguments") == 0) {
        const char *one = json_get_str(args, "arg1"), *two = json_get_str(args, "arg2");

        mcp_fixtures_say(c, list, mcp_text_block(c->arena, arena_printf(c->arena, "Prompt with arguments: arg1='%s', arg2='%s'", one ? one : "",
                                                                        two ? two : "")));
    } else if (strcmp(name, "test_prompt_with_embedded_resource") == 0) {
        mcp_fixtures_say(c, list, with_resource(c, json_get_str(args, "resourceUri")));
        mcp_fixtures_say(c, list, mcp_text_block(c->arena, "Please process the embedded resource above."));
    } else if (strcmp(name, "test_prompt_with_image") == 0) {
        mcp_fixtures_say(c, list, json_raw(c->arena, "{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}"));
        mcp_fixtures_say(c, list, mcp_text_block(c->arena, "Please analyze the image above."));
    } else if (strcmp(name, "test_input_required_result_prompt") == 0 && m->is_modern) {
        const char *context = fixture_answer(m, "user_context", "context");

        if (!context) {
            *result = fixture_ask_one(c, "user_context", "What context should the prompt use?", "context");
            return ERR_OK;
        }
        mcp_fixtures_say(c, list, mcp_text_block(c->arena, arena_printf(c->arena, "Context: %s", context)));
    } else {
        return ERR_OK;
    }
    *result = o;
    return ERR_OK;
}

err mcp_fixture_complete(struct ctx *c, struct mcp *m, struct json *values)
{
    const char *name = json_get_str(mcp_param(m, "ref"), "name");

    if (are_on(c) && name && str_starts(name, "test_")) {
        json_push(values, json_str(c->arena, "paris"));
        json_push(values, json_str(c->arena, "park"));
    }
    return ERR_OK;
}
