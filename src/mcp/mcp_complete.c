/* completion/complete: names for what is being typed, of what the caller may read. */
#include <string.h>

#include "mcp_impl.h"

#define VALUES_MAX 100 /* the protocol's limit */

/* Where the values of an argument come from: a list operation and the member of its rows. */
struct source {
    const char *of; /* prompt name or template */
    const char *argument;
    const char *op, *member;
    const char *filter; /* argument of the operation that takes what was typed; NULL: none does */
    const char *needs;  /* an argument that must be known before; NULL: none */
};

static const struct source SOURCES[] = {
    {"recall_context", "space", "space.list", "slug", "q", NULL},
    {"end_of_session", "session_id", "short_term.list", "session_id", NULL, NULL},
    {"loci://session/{id}", "id", "short_term.list", "session_id", NULL, NULL},
    {"loci://pool/{pool_id}/{key}", "pool_id", "pool.list", "pool_id", NULL, NULL},
    {"loci://pool/{pool_id}/{key}", "key", "pool.entries", "key", "prefix", "pool_id"},
    {"loci://page/{slug}", "slug", "page.list", "slug", NULL, NULL},
    {"loci://node/{id}", "id", "node.list", "id", NULL, NULL},
};

static const struct source *mcp_complete_find(const char *of, const char *argument)
{
    for (size_t i = 0; i < sizeof SOURCES / sizeof *SOURCES; i++)
        if (str_eq(of, SOURCES[i].of) && str_eq(argument, SOURCES[i].argument))
            return &SOURCES[i];
    return NULL;
}

static bool mcp_complete_has(const struct json *list, const char *s)
{
    for (const struct json *v = list->first; v; v = v->next)
        if (strcmp(v->s, s) == 0)
            return true;
    return false;
}

static err mcp_complete_ask(struct ctx *c, const struct mcp *m, const struct source *s, const char *typed, struct json *values)
{
    const char *known = s->needs ? json_get_str(json_get(mcp_param(m, "context"), "arguments"), s->needs) : NULL;
    struct json *args = json_obj(c->arena);
    struct call_result r;

    if (s->needs && !known)
        return ERR_OK;
    json_set_int(c->arena, args, "limit", MCP_LIST_MAX);
    if (known)
        json_set_str(c->arena, args, s->needs, known);
    if (s->filter && *typed)
        json_set_str(c->arena, args, s->filter, typed);
    if (str_eq(s->op, "short_term.list")) {
        if (c->who->kind != PRINCIPAL_AGENT)
            return ERR_OK;
        json_set_str(c->arena, args, "agent_id", arena_strdup(c->arena, UUID_STR(c->who->id)));
    }
    TRY(mcp_run(c, s->op, args, &r));
    for (const struct json *row = r.data->first; row && values->len < VALUES_MAX; row = row->next) {
        const char *v = json_get_str(row, s->member);

        if (v && str_starts(v, typed) && !mcp_complete_has(values, v))
            json_push(values, json_str(c->arena, v));
    }
    return ERR_OK;
}

err mcp_complete(struct ctx *c, struct mcp *m, struct json **result)
{
    const struct json *ref = mcp_param(m, "ref"), *argument = mcp_param(m, "argument");
    const char *type = json_get_str(ref, "type"), *name = json_get_str(argument, "name"), *typed = json_get_str(argument, "value");
    const char *of = json_get_str(ref, str_eq(type, "ref/prompt") ? "name" : "uri");
    struct json *completion, *values = json_arr(c->arena);
    const struct source *s = mcp_complete_find(of, name);
    err e = ERR_OK;

    if ((!str_eq(type, "ref/prompt") && !str_eq(type, "ref/resource")) || !of || !name || !typed)
        return mcp_refuse(c, m, MCP_PARAMS, 200, "completion takes ref (ref/prompt or ref/resource) and argument {name, value}");
    TRY(mcp_fixture_complete(c, m, values));
    if (s)
        e = mcp_complete_ask(c, m, s, typed, values);
    if (e == ERR_FORBIDDEN || e == ERR_NOT_FOUND || e == ERR_INVALID)
        ctx_forgive(c); /* what may not be read has no names */
    else
        TRY(e);
    *result = json_obj(c->arena);
    completion = json_set(c->arena, *result, "completion", json_obj(c->arena));
    json_set_int(c->arena, completion, "total", (int64_t)values->len);
    json_set_bool(c->arena, completion, "hasMore", values->len == VALUES_MAX);
    json_set(c->arena, completion, "values", values);
    return ERR_OK;
}
