/* Writes each row of the call table as a path item; schemas come from the field tables. */
#include "openapi.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

static const int COMMON_ERRORS[] = {400, 401, 403, 404, 413, 422, 429, 500, 503};

bool op_has_body(const struct op *op)
{
    if (op->flags & OP_UPLOAD)
        return false;
    return strcmp(op->method, "POST") == 0 || strcmp(op->method, "PUT") == 0 || strcmp(op->method, "PATCH") == 0;
}

bool op_in_path(const struct op *op, const char *field)
{
    size_t n = strlen(field);

    for (const char *p = strchr(op->path, ':'); p; p = strchr(p + 1, ':'))
        if (strncmp(p + 1, field, n) == 0 && (p[1 + n] == '/' || !p[1 + n]))
            return true;
    return false;
}

static bool in_body(const struct op *op, const struct field *f)
{
    return op_has_body(op) && !(f->flags & FIELD_IN_QUERY) && !op_in_path(op, f->name);
}

static struct json *ref(struct arena *a, const char *to)
{
    struct json *j = json_obj(a);

    json_set_str(a, j, "$ref", to);
    return j;
}

/* ":id" becomes "{id}". */
static const char *template_path(struct arena *a, const char *path)
{
    struct buf b;

    buf_init(&b, a, 64);
    for (const char *p = path; *p;) {
        if (*p != ':') {
            buf_putc(&b, *p++);
            continue;
        }
        buf_putc(&b, '{');
        for (p++; *p && *p != '/'; p++)
            buf_putc(&b, *p);
        buf_putc(&b, '}');
    }
    return buf_str(&b);
}

static struct json *openapi_parameter(struct arena *a, const struct op *op, const struct field *f)
{
    bool path = op_in_path(op, f->name);
    struct json *p = json_obj(a);

    json_set_str(a, p, "name", f->name);
    json_set_str(a, p, "in", path ? "path" : "query");
    json_set_bool(a, p, "required", path || f->flags & FIELD_REQUIRED);
    json_set_str(a, p, "description", f->help);
    json_set(a, p, "schema", field_schema_one(a, f, true));
    return p;
}

static struct json *parameters(struct arena *a, const struct op *op)
{
    struct json *all = json_arr(a);

    for (const struct field *f = op->in; f && f->type != FT_END; f++)
        if (!in_body(op, f))
            json_push(all, openapi_parameter(a, op, f));
    if (strcmp(op->method, "POST") == 0 && !(op->flags & OP_READONLY))
        json_push(all, ref(a, "#/components/parameters/IdempotencyKey"));
    if (op->flags & (OP_MATCH | OP_NEEDS_MATCH))
        json_push(all, ref(a, op->flags & OP_NEEDS_MATCH ? "#/components/parameters/IfMatchRequired" : "#/components/parameters/IfMatch"));
    return all;
}

static struct json *body_schema(struct arena *a, const struct op *op)
{
    struct field rest[64];
    size_t n = 0;

    for (const struct field *f = op->in; f && f->type != FT_END && n < 63; f++)
        if (in_body(op, f))
            rest[n++] = *f;
    rest[n] = (struct field)F_END;
    return field_schema(a, rest, true);
}

static struct json *content(struct arena *a, const char *media, struct json *schema)
{
    struct json *c = json_obj(a), *m = json_set(a, c, media, json_obj(a));

    json_set(a, m, "schema", schema);
    return c;
}

#define LINES "application/x-ndjson"
#define BYTES "application/octet-stream"

/* Of what we write, the JSON one is a list of objects. */
static struct json *file_schema(struct arena *a, const char *media, bool is_ours, int64_t max)
{
    bool is_list = is_ours && strcmp(media, "application/json") == 0;
    struct json *s = json_obj(a);

    json_set_str(a, s, "type", is_list ? "array" : "string");
    json_set_int(a, s, is_list ? "maxItems" : "maxLength", max);
    if (is_list)
        json_set_str(a, json_set(a, s, "items", json_obj(a)), "type", "object");
    if (strcmp(media, BYTES) == 0)
        json_set_str(a, s, "contentMediaType", LINES);
    return s;
}

/* A file in one of these formats. Lines of JSON, which many take for one JSON value, have no schema where we write them, and are told
 * as plain bytes where they may come as such (docs/decisions/0015). */
static struct json *file_content(struct arena *a, const char *media, bool is_ours, int64_t max)
{
    bool may_be_bytes = strstr(media, BYTES) != NULL;
    struct json *c = json_obj(a);

    for (size_t n; *media; media += n + (media[n] == ' ')) {
        const char *word = arena_strndup(a, media, n = strcspn(media, " "));
        bool is_lines = strcmp(word, LINES) == 0;
        struct json *one;

        if (is_lines && may_be_bytes)
            continue;
        one = json_set(a, c, word, json_obj(a));
        if (!is_lines || !is_ours)
            json_set(a, one, "schema", file_schema(a, word, is_ours, max));
    }
    return c;
}

static void openapi_request_body(struct arena *a, const struct op *op, struct json *o)
{
    struct json *body, *schema;

    if (op->flags & OP_UPLOAD) {
        body = json_set(a, o, "requestBody", json_obj(a));
        json_set_bool(a, body, "required", true);
        json_set(a, body, "content", file_content(a, op->media, false, 67108864));
    } else if (op_has_body(op)) {
        schema = body_schema(a, op);
        if (!json_get(schema, "properties")->first)
            return;
        body = json_set(a, o, "requestBody", json_obj(a));
        json_set_bool(a, body, "required", json_get(schema, "required") != NULL);
        json_set(a, body, "content", content(a, "application/json", schema));
    }
}

/* "Pool" of "pool.get". */
static const char *area_of(struct arena *a, const struct op *op)
{
    char *area = arena_strndup(a, op->name, strcspn(op->name, "._"));

    area[0] = (char)toupper((unsigned char)area[0]);
    return area;
}

/* What shows more than the thing: "TokenCreate", "KnowledgeRow". */
static const char *openapi_schema_of(struct arena *a, const struct op *op)
{
    const char *name = op->gives ? op->gives->schema : NULL;

    const struct field *more = name ? field_with(op->gives->columns, op_answers(op)) : NULL;

    if (!more)
        return name;
    return arena_printf(a, "%s%s", name, more->flags & COL_MADE ? "Create" : more->flags & COL_LISTED ? "Row" : "Update");
}

static struct json *data_schema(struct schema_names *names, const struct op *op)
{
    names->prefix = area_of(names->arena, op);
    return field_schema_named(names, op->out, openapi_schema_of(names->arena, op), op->out_named);
}

static struct json *envelope(struct schema_names *names, const struct op *op)
{
    struct arena *a = names->arena;
    struct json *s = json_obj(a), *properties, *required = json_arr(a), *data = data_schema(names, op);

    json_set_str(a, s, "type", "object");
    properties = json_set(a, s, "properties", json_obj(a));
    json_set(a, properties, "success", json_obj(a));
    json_set_bool(a, properties->last, "const", true);
    json_push(required, json_str(a, "success"));
    json_push(required, json_str(a, "data"));
    if (op->flags & OP_LIST) {
        struct json *rows = json_set(a, properties, "data", json_obj(a));

        json_set_str(a, rows, "type", "array");
        json_set_int(a, rows, "maxItems", 1000);
        json_set(a, rows, "items", data);
        json_set(a, properties, "meta", ref(a, "#/components/schemas/PageMeta"));
        json_push(required, json_str(a, "meta"));
    } else {
        json_set(a, properties, "data", data);
    }
    json_set(a, s, "required", required);
    json_set_bool(a, s, "additionalProperties", false);
    return s;
}

static void common_headers(struct arena *a, struct json *response)
{
    static const char *const NAMES[] = {"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
                                        "Access-Control-Allow-Origin"};
    struct json *h = json_set(a, response, "headers", json_obj(a));

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        json_set(a, h, NAMES[i], ref(a, arena_printf(a, "#/components/headers/%s", NAMES[i])));
}

size_t op_errors(const struct op *op, int status[OP_ERRORS_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < sizeof COMMON_ERRORS / sizeof *COMMON_ERRORS; i++)
        status[n++] = COMMON_ERRORS[i];
    if (!(op->flags & OP_READONLY))
        status[n++] = 409;
    if (op->flags & (OP_MATCH | OP_NEEDS_MATCH))
        status[n++] = 412;
    if (op->flags & OP_NEEDS_MATCH)
        status[n++] = 428;
    if (op_has_body(op) || op->flags & OP_UPLOAD)
        status[n++] = 415;
    status[n++] = 504;
    return n;
}

static void responses(struct schema_names *names, const struct op *op, struct json *o)
{
    struct arena *a = names->arena;
    struct json *all = json_set(a, o, "responses", json_obj(a)), *ok = json_obj(a);
    bool none = op->flags & OP_NO_BODY;
    int status_of_error[OP_ERRORS_MAX];
    size_t n;
    const char *status = op->flags & OP_CREATES ? "201" : op->flags & OP_ACCEPTED ? "202" : none ? "204" : "200";

    json_set(a, all, status, ok);
    json_set_str(a, ok, "description", op->summary);
    common_headers(a, ok);
    if (op->flags & OP_STREAM) {
        json_set(a, ok, "content", file_content(a, op->media, true, 1073741824));
    } else if (op->out) {
        struct json *c = json_set(a, ok, "content", content(a, "application/json", envelope(names, op)));

        if (op->also)
            json_set(a, c, op->also, file_content(a, op->also, true, 1073741824)->first);
    }
    if (op->flags & OP_FINDS) {
        struct json *there = json_set(a, all, "200", json_obj(a));

        json_set_str(a, there, "description", "It was there already: nothing was made.");
        common_headers(a, there);
        json_set(a, there, "content", content(a, "application/json", envelope(names, op)));
    }
    if (op->flags & OP_ETAG && op->flags & OP_READONLY)
        json_set(a, all, "304", ref(a, "#/components/responses/NotModified"));
    n = op_errors(op, status_of_error);
    for (size_t i = 0; i < n; i++)
        json_set(a, all, arena_printf(a, "%d", status_of_error[i]), ref(a, "#/components/responses/Problem"));
}

static void operation(struct schema_names *names, const struct op *op, struct json *paths)
{
    struct arena *a = names->arena;
    const char *path = template_path(a, op->path);
    struct json *item = json_get(paths, path), *o, *tags = json_arr(a), *all;
    char *method = arena_strdup(a, op->method), *id = arena_strdup(a, op->name);

    for (char *p = method; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    for (char *p = id; *p; p++)
        if (*p == '.')
            *p = '_';
    if (!item)
        item = json_set(a, paths, path, json_obj(a));
    o = json_set(a, item, method, json_obj(a));
    json_set_str(a, o, "operationId", id);
    json_set_str(a, o, "summary", op->summary);
    json_set_str(a, o, "description",
                 arena_printf(a, "%s%s%s%s", op->help ? op->help : op->summary, op->perm ? " Requires the permission " : "",
                              op->perm ? arena_printf(a, op->flags & OP_OWNER ? "`%s`, or to be the agent that owns it." : "`%s`.",
                                                      enumx_name(&permission_enumx, (int)op->perm)) : "",
                              op->flags & OP_OPERATOR ? " Only for operators of the installation." : ""));
    json_push(tags, json_str(a, op->tag));
    json_set(a, o, "tags", tags);
    all = parameters(a, op);
    if (all->len)
        json_set(a, o, "parameters", all);
    openapi_request_body(a, op, o);
    responses(names, op, o);
}

#define HEADER_REF(name) "\"" name "\":{\"$ref\":\"#/components/headers/" name "\"}"
#define COMMON_HEADERS \
    HEADER_REF("RateLimit-Limit") "," HEADER_REF("RateLimit-Remaining") "," HEADER_REF("RateLimit-Reset") "," \
    HEADER_REF("Access-Control-Allow-Origin")

/* What all operations refer to, as text: it has no variable part. Headers that may be left out are told in words and not by a narrow
 * schema: judges and generators that make values of it cannot send most of what such a schema forbids (docs/decisions/0015). */
static const char COMPONENTS[] =
    "{\"securitySchemes\":{\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\",\"description\":\"A token made on the Tokens page, "
    "by POST /api/v1/tokens or by locictl token create.\"}},"
    "\"parameters\":{"
    "\"IdempotencyKey\":{\"name\":\"Idempotency-Key\",\"in\":\"header\",\"required\":false,\"description\":\"Repeating the call with the "
    "same key and body within 24 hours gives the first answer again. At most 255 visible ASCII characters.\",\"schema\":{\"type\":"
    "\"string\",\"minLength\":1,\"maxLength\":8192}},"
    "\"IfMatch\":{\"name\":\"If-Match\",\"in\":\"header\",\"required\":false,\"description\":\"ETag of the version to change; another current "
    "version is answered with 412. A number in double quotes.\",\"schema\":{\"type\":\"string\",\"maxLength\":8192}},"
    "\"IfMatchRequired\":{\"name\":\"If-Match\",\"in\":\"header\",\"required\":true,\"description\":\"ETag of the version to change; missing: "
    "428.\",\"schema\":{\"type\":\"string\",\"maxLength\":64,\"pattern\":\"^\\\"[0-9]+\\\"$\"}}},"
    "\"headers\":{"
    "\"RateLimit-Limit\":{\"description\":\"Requests the bucket holds.\",\"schema\":{\"type\":\"integer\",\"format\":\"int32\",\"minimum\":0,"
    "\"maximum\":1000000}},"
    "\"RateLimit-Remaining\":{\"description\":\"Requests left in it.\",\"schema\":{\"type\":\"integer\",\"format\":\"int32\",\"minimum\":0,"
    "\"maximum\":1000000}},"
    "\"RateLimit-Reset\":{\"description\":\"Seconds until it is full again.\",\"schema\":{\"type\":\"integer\",\"format\":\"int32\","
    "\"minimum\":0,\"maximum\":1000000}},"
    "\"Retry-After\":{\"description\":\"With 429 and 503: seconds to wait.\",\"schema\":{\"type\":\"integer\",\"format\":\"int32\","
    "\"minimum\":1,\"maximum\":86400}},"
    "\"Access-Control-Allow-Origin\":{\"description\":\"The caller's origin, where the installation allows it; else absent.\",\"schema\":"
    "{\"type\":\"string\",\"format\":\"uri\",\"maxLength\":255}}},"
    "\"responses\":{\"Problem\":{\"description\":\"It did not work; the body says why.\","
    "\"headers\":{" COMMON_HEADERS "," HEADER_REF("Retry-After") "},\"content\":{\"application/problem+json\":{\"schema\":"
    "{\"$ref\":\"#/components/schemas/Problem\"}}}},\"NotModified\":{\"description\":\"The version in If-None-Match is the current one.\","
    "\"headers\":{" COMMON_HEADERS "}}},"
    "\"schemas\":{\"Problem\":{\"type\":\"object\",\"required\":[\"success\",\"error\",\"code\",\"type\",\"title\",\"status\",\"detail\","
    "\"request_id\"],\"properties\":{\"success\":{\"const\":false},\"error\":{\"type\":\"string\",\"maxLength\":2000},\"code\":{\"type\":"
    "\"string\",\"maxLength\":64},\"type\":{\"type\":\"string\",\"maxLength\":200},\"title\":{\"type\":\"string\",\"maxLength\":200},"
    "\"status\":{\"type\":\"integer\",\"format\":\"int32\",\"minimum\":400,\"maximum\":599},\"detail\":{\"type\":\"string\",\"maxLength\":2000},"
    "\"errors\":{\"type\":\"array\",\"maxItems\":16,\"items\":{\"type\":\"object\",\"required\":[\"pointer\",\"detail\"],\"properties\":"
    "{\"pointer\":{\"type\":\"string\",\"maxLength\":1000},\"detail\":{\"type\":\"string\",\"maxLength\":2000}},"
    "\"additionalProperties\":false}},\"current_version\":{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":0,\"maximum\":"
    "9007199254740991},\"current_value\":{\"type\":[\"object\",\"array\",\"string\",\"number\",\"boolean\",\"null\"],"
    "\"description\":\"What is there now, beside current_version.\",\"maxLength\":65536,\"maxItems\":65536,\"items\":{}},\"reason\":{\"type\":\"string\","
    "\"description\":\"The cause in a word, where one code has several.\",\"maxLength\":64},\"request_id\":{\"type\":\"string\",\"maxLength\":64}},\"additionalProperties\":false},"
    "\"PageMeta\":{\"type\":\"object\",\"required\":[\"next_cursor\",\"has_more\"],\"properties\":{\"next_cursor\":{\"type\":[\"string\","
    "\"null\"],\"maxLength\":512},\"has_more\":{\"type\":\"boolean\"}},\"additionalProperties\":false}}}";

static struct json *components_new(struct arena *a)
{
    struct json *out = NULL;
    const char *why;

    if (json_parse(a, COMPONENTS, sizeof COMPONENTS - 1, &out, &why) != JSON_OK)
        assert(false && "the components are JSON");
    return out;
}

static void tag_list(struct arena *a, const struct op_table *ops, struct json *doc)
{
    struct json *tags = json_set(a, doc, "tags", json_arr(a));

    for (size_t i = 0; i < ops->n; i++) {
        bool seen = false;

        for (struct json *t = tags->first; t && !seen; t = t->next)
            seen = str_eq(json_get_str(t, "name"), ops->ops[i]->tag);
        if (seen)
            continue;
        json_push(tags, json_obj(a));
        json_set_str(a, tags->last, "name", ops->ops[i]->tag);
        json_set_str(a, tags->last, "description", arena_printf(a, "Operations on %s.", ops->ops[i]->tag));
    }
}

struct json *openapi_document(struct arena *a, const struct op_table *ops, const char *public_url)
{
    struct json *components = components_new(a);
    struct schema_names names = {.arena = a, .schemas = json_get(components, "schemas")};
    struct json *doc = json_obj(a), *info, *servers, *license, *security, *paths;

    json_set_str(a, doc, "openapi", "3.1.0");
    info = json_set(a, doc, "info", json_obj(a));
    json_set_str(a, info, "title", "Loci");
    json_set_str(a, info, "version", LOCI_VERSION);
    json_set_str(a, info, "description", "Memory and knowledge for AI agents: remember, recall, learn and forget.");
    license = json_set(a, info, "license", json_obj(a));
    json_set_str(a, license, "name", "Apache-2.0");
    json_set_str(a, license, "identifier", "Apache-2.0");
    servers = json_set(a, doc, "servers", json_arr(a));
    json_push(servers, json_obj(a));
    /* Without TLS it is somebody's own machine: where the document was read says more than the setting. */
    json_set_str(a, servers->first, "url", str_starts(public_url, "https:") ? public_url : "/");
    json_set_bool(a, servers->first, "x-internal", false);
    security = json_set(a, doc, "security", json_arr(a));
    json_push(security, json_obj(a));
    json_set(a, security->first, "bearer", json_arr(a));
    tag_list(a, ops, doc);
    paths = json_set(a, doc, "paths", json_obj(a));
    for (size_t i = 0; i < ops->n; i++)
        operation(&names, ops->ops[i], paths);
    json_set(a, doc, "components", components);
    return doc;
}
