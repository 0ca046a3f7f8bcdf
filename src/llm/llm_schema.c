/* A small judge of JSON Schema; see llm_schema.h. */
#include "llm_schema.h"

#include <string.h>

struct place {
    struct arena *a;
    const char *path; /* JSON pointer */
};

static const char *llm_schema_judge(struct place p, const struct json *schema, const struct json *v);

static const char *llm_schema_wrong(struct place p, const char *what)
{
    return arena_printf(p.a, "%s %s", *p.path ? p.path : "the answer", what);
}

static bool has_type(const char *type, const struct json *v)
{
    static const struct {
        const char *name;
        enum json_type type;
    } TYPES[] = {{"object", JSON_OBJ}, {"array", JSON_ARR}, {"string", JSON_STR}, {"boolean", JSON_BOOL}, {"null", JSON_NULL}};

    if (strcmp(type, "integer") == 0)
        return v->type == JSON_INT || (v->type == JSON_NUM && json_number(v) >= -9e15 && json_number(v) <= 9e15 && json_number(v) == (double)(int64_t)json_number(v));
    if (strcmp(type, "number") == 0)
        return v->type == JSON_INT || v->type == JSON_NUM;
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(type, TYPES[i].name) == 0)
            return v->type == TYPES[i].type;
    return false;
}

static bool is_of_type(const struct json *type, const struct json *v)
{
    if (!type)
        return true;
    if (type->type == JSON_STR)
        return has_type(type->s, v);
    for (const struct json *t = type->first; t; t = t->next)
        if (json_is(t, JSON_STR) && has_type(t->s, v))
            return true;
    return false;
}

static bool llm_schema_is_one_of(const struct json *list, const struct json *v)
{
    for (const struct json *x = list->first; x; x = x->next)
        if (json_equal(x, v))
            return true;
    return false;
}

/* min and max: keywords of the schema. */
static const char *llm_schema_in_range(struct place p, const struct json *schema, const char *min, const char *max, double v)
{
    const struct json *lo = json_get(schema, min), *hi = json_get(schema, max);

    if (lo && v < json_number(lo))
        return llm_schema_wrong(p, "is below the minimum");
    return hi && v > json_number(hi) ? llm_schema_wrong(p, "is above the maximum") : NULL;
}

static const char *judge_object(struct place p, const struct json *schema, const struct json *v)
{
    const struct json *known = json_get(schema, "properties"), *needed = json_get(schema, "required");
    const struct json *more = json_get(schema, "additionalProperties");
    const char *fault = NULL;

    for (const struct json *name = needed ? needed->first : NULL; name; name = name->next)
        if (!json_get(v, name->s))
            return llm_schema_wrong(p, arena_printf(p.a, "lacks '%s'", name->s));
    for (const struct json *m = v->first; m && !fault; m = m->next) {
        const struct json *of = json_get(known, m->key);
        struct place inner = {p.a, arena_printf(p.a, "%s/%s", p.path, m->key)};

        if (of)
            fault = llm_schema_judge(inner, of, m);
        else if (json_is(more, JSON_BOOL) && !more->b)
            fault = llm_schema_wrong(inner, "is not asked for");
    }
    return fault;
}

static const char *judge_array(struct place p, const struct json *schema, const struct json *v)
{
    const struct json *items = json_get(schema, "items");
    const char *fault = llm_schema_in_range(p, schema, "minItems", "maxItems", (double)v->len);
    size_t i = 0;

    for (const struct json *x = v->first; x && items && !fault; x = x->next, i++)
        fault = llm_schema_judge((struct place){p.a, arena_printf(p.a, "%s/%zu", p.path, i)}, items, x);
    return fault;
}

static const char *llm_schema_judge(struct place p, const struct json *schema, const struct json *v)
{
    const struct json *choices = json_get(schema, "enum");

    if (!is_of_type(json_get(schema, "type"), v))
        return llm_schema_wrong(p, "is of another type");
    if (choices && !llm_schema_is_one_of(choices, v))
        return llm_schema_wrong(p, "is not one of the choices");
    switch (v->type) {
    case JSON_OBJ: return judge_object(p, schema, v);
    case JSON_ARR: return judge_array(p, schema, v);
    case JSON_STR: return llm_schema_in_range(p, schema, "minLength", "maxLength", (double)str_code_points(v->s, v->len));
    case JSON_INT:
    case JSON_NUM: return llm_schema_in_range(p, schema, "minimum", "maximum", json_number(v));
    default: return NULL;
    }
}

const char *llm_schema_fault(struct arena *a, const struct json *schema, const struct json *value)
{
    return llm_schema_judge((struct place){a, ""}, schema, value);
}
