/* Schemas as every client can take them: one type a schema, where the field tables' own name several. */
#include <string.h>

#include "mcp_impl.h"

static struct json *mcp_schema_copy(struct arena *a, const struct json *j)
{
    return arena_memdup(a, j, sizeof *j);
}

/* Members that say what a value is for, beside those that say what it may be. */
static bool is_about(const char *key)
{
    return strcmp(key, "description") == 0 || strcmp(key, "default") == 0 || strcmp(key, "title") == 0;
}

static struct json *without_null(struct arena *a, const struct json *list)
{
    struct json *kept = json_arr(a);

    for (const struct json *v = list->first; v; v = v->next)
        if (v->type != JSON_NULL)
            json_push(kept, mcp_schema_copy(a, v));
    return kept;
}

static struct json *branch(struct arena *a, const char *type)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "type", type);
    return o;
}

/* {"type": [t, "null"], …} becomes {"anyOf": [{"type": t, …}, {"type": "null"}]}; with more types each has a bare branch. */
static void mcp_schema_split(struct arena *a, struct json *s, const struct json *types)
{
    struct json *o = json_obj(a), *either = json_arr(a), *main = NULL;

    for (const struct json *t = types->first; t; t = t->next) {
        json_push(either, branch(a, t->s));
        if (strcmp(t->s, "null") != 0 && types->len == 2)
            main = either->last;
    }
    for (const struct json *p = s->first; p; p = p->next) {
        if (strcmp(p->key, "type") == 0)
            continue;
        if (is_about(p->key))
            json_set(a, o, p->key, mcp_schema_copy(a, p));
        else if (main)
            json_set(a, main, p->key, strcmp(p->key, "enum") == 0 ? without_null(a, p) : mcp_schema_copy(a, p));
    }
    json_set(a, o, "anyOf", either);
    s->first = o->first;
    s->last = o->last;
    s->len = o->len;
}

void mcp_portable(struct arena *a, struct json *schema)
{
    struct json *types;

    if (!json_is(schema, JSON_OBJ))
        return;
    for (struct json *p = schema->first; p; p = p->next) {
        if (strcmp(p->key, "properties") == 0 && p->type == JSON_OBJ)
            for (struct json *k = p->first; k; k = k->next)
                mcp_portable(a, k);
        else if (strcmp(p->key, "anyOf") == 0 && p->type == JSON_ARR)
            for (struct json *k = p->first; k; k = k->next)
                mcp_portable(a, k);
        else if (strcmp(p->key, "items") == 0)
            mcp_portable(a, p);
    }
    types = json_get(schema, "type");
    if (json_is(types, JSON_ARR))
        mcp_schema_split(a, schema, types);
}
