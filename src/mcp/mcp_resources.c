/* Resources: a node, a value of a pool, the notes of a session, each under an address of its own. */
#include <string.h>

#include "exchange.h"
#include "mcp_impl.h"

#define PLAIN "text/plain"

static const struct template {
    const char *uri, *name, *title, *help;
    enum permission perm;
} TEMPLATES[] = {
    {"loci://node/{id}", "node", "A memory", "One memory by its id: text, kind, versions, scores.", PERM_MEMORY_READ},
    {"loci://page/{slug}", "page", "A page", "One page by its slug or id: text, links, headings.", PERM_CONTENT_READ},
    {"loci://pool/{pool_id}/{key}", "pool", "A value in a shared pool", "The value at a path in a memory pool.", PERM_MEMORY_READ},
    {"skill://{space}/{skill}/{+path}", "skill", "A file of a skill", "SKILL.md or a file beside it, byte for byte.", PERM_SKILLS_READ},
    {"loci://session/{id}", "session", "Notes of a session", "Your notes of a session, newest first.", PERM_MEMORY_READ},
};
#define N_TEMPLATES (sizeof TEMPLATES / sizeof *TEMPLATES)

/* ---- lists */

err mcp_resources_templates(struct ctx *c, struct mcp *m, struct json **result)
{
    struct arena *a = c->arena;
    struct json *list;

    (void)m;
    *result = json_obj(a);
    list = json_set(a, *result, "resourceTemplates", json_arr(a));
    for (size_t i = 0; i < N_TEMPLATES; i++) {
        struct json *o;

        if (!permissions_have(c->who->perms, TEMPLATES[i].perm))
            continue;
        json_push(list, o = json_obj(a));
        json_set_str(a, o, "uriTemplate", TEMPLATES[i].uri);
        json_set_str(a, o, "name", TEMPLATES[i].name);
        json_set_str(a, o, "title", TEMPLATES[i].title);
        json_set_str(a, o, "description", TEMPLATES[i].help);
        if (str_starts(TEMPLATES[i].uri, "loci:"))
            json_set_str(a, o, "mimeType", PLAIN);
    }
    mcp_fixture_templates(c, list);
    return ERR_OK;
}

static void mcp_resources_add_node(struct arena *a, struct json *list, const struct json *node)
{
    const char *id = json_get_str(node, "id"), *title = json_get_str(node, "title");
    struct json *o = json_obj(a);

    json_push(list, o);
    json_set_str(a, o, "uri", arena_printf(a, "loci://node/%s", id));
    json_set_str(a, o, "name", arena_printf(a, "%s %.8s", json_get_str(node, "kind"), id));
    if (!str_empty(title))
        json_set_str(a, o, "title", title);
    json_set_str(a, o, "mimeType", PLAIN);
}

/* The memories that the caller can read, newest first; a page of ours is a page of theirs. */
err mcp_resources_list(struct ctx *c, struct mcp *m, struct json **result)
{
    const char *cursor = mcp_param_str(m, "cursor"), *next;
    struct json *args = json_obj(c->arena), *list;
    struct call_result r;
    err e;

    *result = json_obj(c->arena);
    list = json_set(c->arena, *result, "resources", json_arr(c->arena));
    if (!cursor) {
        mcp_fixture_resources(c, list);
        mcp_skills_resources(c, m, list);
    }
    if (!permissions_have(c->who->perms, PERM_MEMORY_READ))
        return ERR_OK;
    json_set_int(c->arena, args, "limit", MCP_LIST_MAX);
    if (cursor)
        json_set_str(c->arena, args, "cursor", cursor);
    e = mcp_run(c, "node.list", args, &r);
    if (e == ERR_INVALID || e == ERR_BAD_REQUEST)
        return mcp_refuse(c, m, MCP_PARAMS, 200, "invalid cursor: begin without one");
    TRY(e);
    for (const struct json *n = r.data->first; n; n = n->next)
        mcp_resources_add_node(c->arena, list, n);
    next = json_get_str(r.meta, "next_cursor");
    if (next)
        json_set_str(c->arena, *result, "nextCursor", next);
    return ERR_OK;
}

/* ---- reading */

static err not_found(struct ctx *c, struct mcp *m, const char *uri)
{
    struct json *data = json_obj(c->arena);

    json_set_str(c->arena, data, "uri", uri);
    m->fault.data = data;
    return mcp_refuse(c, m, m->is_modern ? MCP_PARAMS : MCP_NO_RESOURCE, 200, "no such resource, or it is not visible to you");
}

/* The next part of a path, percent-decoded; *at moves behind it. NULL: none, or malformed. */
static const char *mcp_resources_part(struct arena *a, const char **at, bool is_last)
{
    size_t n = is_last ? strlen(*at) : strcspn(*at, "/");
    const char *text = n ? percent_decode(a, *at, n, false) : NULL;

    *at += n + ((*at)[n] == '/');
    return text;
}

static err mcp_resources_read_pool(struct ctx *c, const char *rest, struct call_result *r, const struct op **op)
{
    struct json *args = json_obj(c->arena);
    const char *pool = mcp_resources_part(c->arena, &rest, false), *key = mcp_resources_part(c->arena, &rest, true);

    if (!pool || !key)
        return fail(c, ERR_NOT_FOUND, "no such resource");
    json_set_str(c->arena, args, "pool_id", pool);
    json_set_str(c->arena, args, "key", key);
    *op = op_find(c->app->ops, "pool.read_data");
    TRY(mcp_run(c, "pool.read_data", args, r));
    return json_get_bool(r->data, "found", false) ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such resource");
}

/* Of the calling agent: whoever else's session it may be, there is none. */
static err read_session(struct ctx *c, const char *rest, struct call_result *r, const struct op **op)
{
    struct json *args = json_obj(c->arena);
    const char *id = mcp_resources_part(c->arena, &rest, true);

    if (!id || c->who->kind != PRINCIPAL_AGENT)
        return fail(c, ERR_NOT_FOUND, "no such resource");
    json_set_str(c->arena, args, "agent_id", arena_strdup(c->arena, UUID_STR(c->who->id)));
    json_set_str(c->arena, args, "session_id", id);
    json_set_int(c->arena, args, "limit", MCP_LIST_MAX);
    *op = op_find(c->app->ops, "short_term.list");
    TRY(mcp_run(c, "short_term.list", args, r));
    return r->data->first ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such resource");
}

/* By the last part of the address. */
static err mcp_resources_read_one(struct ctx *c, const char *rest, const char *name, struct call_result *r, const struct op **op)
{
    struct json *args = json_obj(c->arena);
    const char *id = mcp_resources_part(c->arena, &rest, true);

    if (!id)
        return fail(c, ERR_NOT_FOUND, "no such resource");
    json_set_str(c->arena, args, "id", id);
    *op = op_find(c->app->ops, name);
    return mcp_run(c, name, args, r);
}

static err read_any(struct ctx *c, const char *uri, struct call_result *r, const struct op **op)
{
    if (str_starts(uri, "loci://node/"))
        return mcp_resources_read_one(c, uri + strlen("loci://node/"), "node.get", r, op);
    if (str_starts(uri, "loci://page/"))
        return mcp_resources_read_one(c, uri + strlen("loci://page/"), "page.get", r, op);
    if (str_starts(uri, "loci://pool/"))
        return mcp_resources_read_pool(c, uri + strlen("loci://pool/"), r, op);
    if (str_starts(uri, "loci://session/"))
        return read_session(c, uri + strlen("loci://session/"), r, op);
    return fail(c, ERR_NOT_FOUND, "no such resource");
}

static struct json *contents_of(struct ctx *c, const char *uri, const struct op *op, const struct call_result *r)
{
    struct json *o = json_obj(c->arena), *meta;

    json_set_str(c->arena, o, "uri", uri);
    json_set_str(c->arena, o, "mimeType", PLAIN);
    json_set_str(c->arena, o, "text", mcp_fenced(c->arena, mcp_structured(c, op, r)));
    meta = json_set(c->arena, o, "_meta", json_obj(c->arena));
    json_set_bool(c->arena, meta, "untrusted", true);
    return o;
}

err mcp_resources_read(struct ctx *c, struct mcp *m, struct json **result)
{
    const char *uri = mcp_param_str(m, "uri");
    struct json *contents = json_arr(c->arena), *other = NULL; /* a fixture, or a file of a skill */
    const struct op *op = NULL;
    struct call_result r;
    err e;

    if (!uri)
        return mcp_refuse(c, m, MCP_PARAMS, 200, "uri is missing");
    TRY(mcp_fixture_resource(c, m, uri, &other));
    if (!other) {
        e = str_starts(uri, "skill://") ? mcp_skills_read(c, uri, &other) : read_any(c, uri, &r, &op);
        if (e == ERR_NOT_FOUND || e == ERR_INVALID || e == ERR_FORBIDDEN)
            return not_found(c, m, uri);
        TRY(e);
    }
    json_push(contents, other ? other : contents_of(c, uri, op, &r));
    *result = json_obj(c->arena);
    json_set(c->arena, *result, "contents", contents);
    return ERR_OK;
}
