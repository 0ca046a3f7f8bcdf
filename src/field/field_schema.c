/* JSON Schema (2020-12) of field tables, for OpenAPI, MCP and the tests. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "field.h"
#include "limit.h"

#define SCHEMA_TEXT_MAX 4194304 /* characters of a text in an answer, where its field names no limit */
#define SCHEMA_ITEMS_MAX 10000

/* {"type": t} or {"type": [t, "null"]} */
static void set_type(struct arena *a, struct json *s, const char *type, const struct field *f)
{
    struct json *both;

    if (!(f->flags & FIELD_NULLABLE)) {
        json_set_str(a, s, "type", type);
        return;
    }
    both = json_arr(a);
    json_push(both, json_str(a, type));
    json_push(both, json_str(a, "null"));
    json_set(a, s, "type", both);
}

static void bounds(struct arena *a, struct json *s, const char *low, const char *high, double min, double max)
{
    json_set(a, s, low, json_num(a, min));
    json_set(a, s, high, json_num(a, max));
}

static void text_schema(struct arena *a, struct json *s, const struct field *f, bool as_input)
{
    set_type(a, s, "string", f);
    if (as_input && f->min > 0)
        json_set_int(a, s, "minLength", (int64_t)f->min);
    json_set_int(a, s, "maxLength", f->max > 0 ? (int64_t)f->max : SCHEMA_TEXT_MAX);
    if (f->flags & FIELD_SLUG && as_input)
        json_set_str(a, s, "pattern", "^[a-z0-9][a-z0-9_.-]{0,99}$");
    if (f->flags & FIELD_EMAIL)
        json_set_str(a, s, "format", "email");
    if (f->flags & FIELD_SECRET)
        json_set_str(a, s, "format", "password");
}

static void enum_schema(struct arena *a, struct json *s, const struct field *f)
{
    struct json *names = json_arr(a);

    set_type(a, s, "string", f);
    for (size_t i = 0; i < f->enumx->n; i++)
        if (*f->enumx->names[i])
            json_push(names, json_str(a, f->enumx->names[i]));
    if (f->flags & FIELD_NULLABLE)
        json_push(names, json_new(a, JSON_NULL));
    json_set(a, s, "enum", names);
}

static void format_schema(struct arena *a, struct json *s, const struct field *f, const char *format, int length)
{
    set_type(a, s, "string", f);
    json_set_str(a, s, "format", format);
    json_set_int(a, s, "maxLength", length);
}

/* An id, or a name that stands for it. */
static void name_schema(struct arena *a, struct json *s, const struct field *f)
{
    set_type(a, s, "string", f);
    json_set_int(a, s, "minLength", 1);
    json_set_int(a, s, "maxLength", LIMIT_SLUG);
}

/* Of the table below a field: named where the document names schemas. */
static struct json *sub_schema(struct arena *a, struct schema_names *names, const struct field *f, bool as_input)
{
    return names ? field_schema_named(names, f->sub, f->schema, f->sub_named) : field_schema(a, f->sub, as_input);
}

static struct json *item_schema(struct arena *a, struct schema_names *names, const struct field *f, bool as_input)
{
    struct field item = {.flags = f->flags & (FIELD_SLUG | FIELD_EMAIL | FIELD_AGENT | FIELD_SPACE), .name = f->name, .min = 1, .max = 255};

    if (f->type == FT_LIST)
        return sub_schema(a, names, f, as_input);
    item.type = f->type == FT_UUIDS ? FT_UUID : f->type == FT_NUMS ? FT_NUM : FT_STR;
    if (item.type == FT_NUM) {
        item.min = -1e300;
        item.max = 1e300;
    }
    return field_schema_one(a, &item, as_input);
}

static void array_schema(struct arena *a, struct schema_names *names, struct json *s, const struct field *f, bool as_input)
{
    set_type(a, s, "array", f);
    if (f->min > 0)
        json_set_int(a, s, "minItems", (int64_t)f->min);
    json_set_int(a, s, "maxItems", f->max > 0 ? (int64_t)f->max : SCHEMA_ITEMS_MAX);
    json_set(a, s, "items", item_schema(a, names, f, as_input));
}

static void any_schema(struct arena *a, struct json *s)
{
    static const char *const TYPES[] = {"object", "array", "string", "number", "boolean", "null"};
    struct json *all = json_arr(a);

    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        json_push(all, json_str(a, TYPES[i]));
    json_set(a, s, "type", all);
    json_set_int(a, s, "maxLength", SCHEMA_TEXT_MAX);
    json_set_int(a, s, "maxItems", SCHEMA_ITEMS_MAX);
    json_set(a, s, "items", json_obj(a));
}

static void number_schema(struct arena *a, struct json *s, const struct field *f, bool as_input)
{
    bool ranged = as_input || f->max > f->min;

    set_type(a, s, f->type == FT_INT ? "integer" : "number", f);
    json_set_str(a, s, "format", f->type == FT_INT ? "int64" : "double");
    if (ranged)
        bounds(a, s, "minimum", "maximum", f->min, f->max);
    else if (f->type == FT_INT)
        bounds(a, s, "minimum", "maximum", -9007199254740991.0, 9007199254740991.0);
}

bool field_has_default(const struct field *f)
{
    if (f->flags & (FIELD_REQUIRED | FIELD_NULLABLE | FIELD_UNSAID))
        return false;
    /* What nobody can send stands for "not said", too: its help tells what then happens. */
    if (f->type == FT_INT || f->type == FT_NUM)
        return f->otherwise >= f->min && f->otherwise <= f->max;
    if (f->type == FT_STR)
        return f->preset;
    return f->type == FT_BOOL || (f->type == FT_ENUM && *enumx_name(f->enumx, (int)f->otherwise));
}

static void add_default(struct arena *a, struct json *s, const struct field *f)
{
    if (!field_has_default(f))
        return;
    if (f->type == FT_INT)
        json_set_int(a, s, "default", (int64_t)f->otherwise);
    else if (f->type == FT_NUM)
        json_set(a, s, "default", json_num(a, f->otherwise));
    else if (f->type == FT_STR)
        json_set_str(a, s, "default", f->preset);
    else if (f->type == FT_BOOL)
        json_set_bool(a, s, "default", f->otherwise > 0);
    else
        json_set_str(a, s, "default", enumx_name(f->enumx, (int)f->otherwise));
}

static void nested_schema(struct arena *a, struct schema_names *names, struct json *s, const struct field *f, bool as_input)
{
    struct json *sub = sub_schema(a, names, f, as_input), *either;

    if (!(f->flags & FIELD_NULLABLE)) {
        for (struct json *m = sub->first; m; m = m->next)
            json_set(a, s, m->key, arena_memdup(a, m, sizeof *m));
        return;
    }
    either = json_arr(a);
    json_push(either, sub);
    json_push(either, json_obj(a));
    json_set_str(a, either->last, "type", "null");
    json_set(a, s, "anyOf", either);
}

static struct json *one_schema(struct arena *a, struct schema_names *names, const struct field *f, bool as_input)
{
    const char *stands_for = field_is_agent(f) ? "an id, a slug, or me" : field_is_space(f) ? "an id, or a slug such as global" : NULL;
    struct json *s = json_obj(a);

    if (f->type == FT_STR)
        text_schema(a, s, f, as_input);
    else if (f->type == FT_INT || f->type == FT_NUM)
        number_schema(a, s, f, as_input);
    else if (f->type == FT_BOOL)
        set_type(a, s, "boolean", f);
    else if (f->type == FT_ENUM)
        enum_schema(a, s, f);
    else if (f->type == FT_UUID && as_input && stands_for)
        name_schema(a, s, f);
    else if (f->type == FT_UUID)
        format_schema(a, s, f, "uuid", UUID_TEXT - 1);
    else if (f->type == FT_TIME)
        format_schema(a, s, f, "date-time", 35);
    else if (f->type == FT_OBJECT)
        set_type(a, s, "object", f);
    else if (f->type == FT_JSON)
        any_schema(a, s);
    else if (f->type == FT_OBJ)
        nested_schema(a, names, s, f, as_input);
    else
        array_schema(a, names, s, f, as_input);
    if (as_input)
        add_default(a, s, f);
    if (f->help)
        json_set_str(a, s, "description", f->type == FT_UUID && as_input && stands_for ? arena_printf(a, "%s: %s", f->help, stands_for) : f->help);
    return s;
}

struct json *field_schema_one(struct arena *a, const struct field *f, bool as_input)
{
    return one_schema(a, NULL, f, as_input);
}

static struct json *table_schema(struct arena *a, struct schema_names *names, const struct field *table, bool as_input)
{
    struct json *s = json_obj(a), *properties, *required = json_arr(a);

    json_set_str(a, s, "type", "object");
    properties = json_set(a, s, "properties", json_obj(a));
    for (const struct field *f = table; f && f->type != FT_END; f++) {
        json_set(a, properties, f->name, one_schema(a, names, f, as_input));
        if (!as_input || f->flags & FIELD_REQUIRED)
            json_push(required, json_str(a, f->name));
    }
    if (required->len)
        json_set(a, s, "required", required);
    json_set_bool(a, s, "additionalProperties", false);
    return s;
}

struct json *field_schema(struct arena *a, const struct field *table, bool as_input)
{
    return table_schema(a, NULL, table, as_input);
}

/* ---- names */

/* Words with underscores between, of any case, as one name: "pool_value" and "POOL_VALUE" are "PoolValue". */
static const char *camel(struct arena *a, const char *words, size_t n)
{
    struct buf b;
    bool begins = true;

    buf_init(&b, a, n + 1);
    for (size_t i = 0; i < n; i++) {
        int ch = (unsigned char)words[i];

        if (ch != '_')
            buf_putc(&b, (char)(begins ? toupper(ch) : tolower(ch)));
        begins = ch == '_';
    }
    return buf_str(&b);
}

/* The words before "_out". */
static size_t without_out(const char *words, size_t n)
{
    return n > 4 && strncasecmp(words + n - 4, "_out", 4) == 0 ? n - 4 : n;
}

/* "NODE_OUT:struct node" is Node, "ROW_OUT:struct node" NodeRow, "HITS_OUT:struct pool_hits" PoolHits. */
static const char *field_schema_name_of(struct arena *a, const char *named)
{
    const char *type = strchr(named, ':') + 1;
    const char *table = camel(a, named, without_out(named, (size_t)(type - 1 - named))), *base;

    type += strncmp(type, "struct ", 7) == 0 ? 7 : 0;
    base = camel(a, type, without_out(type, strlen(type)));
    return strstr(base, table) ? base : arena_printf(a, "%s%s", base, table);
}

/* The name under which the schema stands, or may stand: one that a different schema has already gets a prefix, then a number. */
static const char *free_name(struct schema_names *n, const char *name, const char *text)
{
    const char *tried = name;

    for (int i = 1;; i++) {
        const struct json *there = json_get(n->schemas, tried);

        if (!there || strcmp(json_text(n->arena, there), text) == 0)
            return tried;
        tried = i == 1 ? arena_printf(n->arena, "%s%s", n->prefix, name) : arena_printf(n->arena, "%s%s%d", n->prefix, name, i);
    }
}

struct json *field_schema_named(struct schema_names *n, const struct field *table, const char *called, const char *named)
{
    struct json *schema = table_schema(n->arena, n, table, false), *ref = json_obj(n->arena);
    const char *name = free_name(n, called ? called : field_schema_name_of(n->arena, named), json_text(n->arena, schema));

    if (!json_get(n->schemas, name))
        json_set(n->arena, n->schemas, name, schema);
    json_set_str(n->arena, ref, "$ref", arena_printf(n->arena, "#/components/schemas/%s", name));
    return ref;
}
