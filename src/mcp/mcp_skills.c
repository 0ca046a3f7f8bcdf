/* The skills extension (SEP-2640): what skills there are, their files byte for byte, and folders. */
#include <string.h>

#include "exchange.h"
#include "mcp_impl.h"

#define DIRECTORY "inode/directory"
#define MAIN "/SKILL.md"

static err skills_unknown(struct ctx *c, struct mcp *m, const char *uri)
{
    struct json *data = json_obj(c->arena);

    json_set_str(c->arena, data, "uri", uri);
    m->fault.data = data;
    return mcp_refuse(c, m, MCP_PARAMS, 200, "no such skill, file or folder, or it is not visible to you");
}

static bool skills_is_missing(err e)
{
    return e == ERR_NOT_FOUND || e == ERR_INVALID || e == ERR_FORBIDDEN;
}

/* ---- entries */

static struct json *skills_resource(struct arena *a, const struct json *file)
{
    static const char *const KEEP[] = {"uri", "digest", "size"};
    struct json *o = json_obj(a);

    for (size_t i = 0; i < sizeof KEEP / sizeof *KEEP; i++)
        json_set(a, o, KEEP[i], arena_memdup(a, json_get(file, KEEP[i]), sizeof *o));
    return o;
}

static struct json *skills_entry(struct arena *a, const struct json *skill)
{
    struct json *o = json_obj(a), *files;

    json_set_str(a, o, "uri", json_get_str(skill, "uri"));
    json_set(a, o, "frontmatter", arena_memdup(a, json_get(skill, "frontmatter"), sizeof *o));
    files = json_set(a, o, "resources", json_arr(a));
    for (const struct json *f = json_get(skill, "resources")->first; f; f = f->next)
        json_push(files, skills_resource(a, f));
    return o;
}

static err mcp_skills_page(struct ctx *c, struct mcp *m, const char *cursor, struct call_result *r)
{
    struct json *args = json_obj(c->arena);
    err e;

    json_set_int(c->arena, args, "limit", MCP_LIST_MAX / 2);
    if (cursor)
        json_set_str(c->arena, args, "cursor", cursor);
    e = mcp_run(c, "skill.served", args, r);
    if (e == ERR_INVALID || e == ERR_BAD_REQUEST)
        return mcp_refuse(c, m, MCP_PARAMS, 200, "invalid cursor: begin without one");
    return e;
}

err mcp_skills_list(struct ctx *c, struct mcp *m, struct json **result)
{
    struct json *list;
    struct call_result r;

    *result = json_obj(c->arena);
    list = json_set(c->arena, *result, "skills", json_arr(c->arena));
    if (!permissions_have(c->who->perms, PERM_SKILLS_READ))
        return ERR_OK;
    TRY(mcp_skills_page(c, m, mcp_param_str(m, "cursor"), &r));
    for (const struct json *s = r.data->first; s; s = s->next)
        json_push(list, skills_entry(c->arena, s));
    if (json_get_str(r.meta, "next_cursor"))
        json_set_str(c->arena, *result, "nextCursor", json_get_str(r.meta, "next_cursor"));
    return ERR_OK;
}

static err skills_find(struct ctx *c, struct mcp *m, const char *asked, const char *uri, struct call_result *r)
{
    struct json *args = json_obj(c->arena);
    err e;

    json_set_str(c->arena, args, "uri", uri);
    e = mcp_run(c, "skill.served_entry", args, r);
    return skills_is_missing(e) ? skills_unknown(c, m, asked) : e;
}

err mcp_skills_get(struct ctx *c, struct mcp *m, struct json **result)
{
    const char *uri = mcp_param_str(m, "uri");
    struct call_result r;

    if (!uri)
        return mcp_refuse(c, m, MCP_PARAMS, 200, "uri is missing");
    TRY(skills_find(c, m, uri, uri, &r));
    *result = json_obj(c->arena);
    json_set(c->arena, *result, "skill", skills_entry(c->arena, r.data));
    return ERR_OK;
}

/* ---- resources */

void mcp_skills_resources(struct ctx *c, struct mcp *m, struct json *list)
{
    struct arena *a = c->arena;
    struct call_result r;

    if (!permissions_have(c->who->perms, PERM_SKILLS_READ) || mcp_skills_page(c, m, NULL, &r) != ERR_OK)
        return;
    for (const struct json *s = r.data->first; s; s = s->next) {
        struct json *o = json_obj(a);

        json_push(list, o);
        json_set_str(a, o, "uri", json_get_str(s, "uri"));
        json_set_str(a, o, "name", json_get_str(s, "name"));
        json_set_str(a, o, "description", json_get_str(s, "description"));
        json_set_str(a, o, "mimeType", "text/markdown");
    }
}

/* As it was written, without a fence: a client compares it with its digest. */
err mcp_skills_read(struct ctx *c, const char *uri, struct json **contents)
{
    struct json *args = json_obj(c->arena), *o;
    struct call_result r;

    json_set_str(c->arena, args, "uri", uri);
    TRY(mcp_run(c, "skill.served_file", args, &r));
    o = *contents = json_obj(c->arena);
    json_set_str(c->arena, o, "uri", uri);
    json_set_str(c->arena, o, "mimeType", json_get_str(r.data, "media"));
    if (json_get_str(r.data, "text"))
        json_set_str(c->arena, o, "text", json_get_str(r.data, "text"));
    else
        json_set_str(c->arena, o, "blob", json_get_str(r.data, "base64"));
    return ERR_OK;
}

/* ---- folders */

/* "skill://space/skill": how long that is at the beginning of uri; 0: there are not so many parts. */
static size_t skills_root(const char *uri)
{
    const char *p = str_starts(uri, "skill://") ? uri + 8 : "";
    size_t n = strcspn(p, "/"), m = p[n] ? strcspn(p + n + 1, "/") : 0;

    return n && m ? 8 + n + 1 + m : 0;
}

static bool skills_has(const struct json *list, const char *uri)
{
    for (const struct json *i = list->first; i; i = i->next)
        if (str_eq(json_get_str(i, "uri"), uri))
            return true;
    return false;
}

/* A child of the folder: the file itself, or the folder that it is below. */
static void skills_child(struct arena *a, struct json *list, const char *folder, const struct json *file)
{
    const char *uri = json_get_str(file, "uri"), *rest = uri + strlen(folder) + 1;
    size_t n = strcspn(rest, "/");
    const char *own = arena_strndup(a, uri, (size_t)(rest - uri) + n);
    const char *name = percent_decode(a, rest, n, false);
    struct json *o;

    if (skills_has(list, own))
        return;
    json_push(list, o = json_obj(a));
    json_set_str(a, o, "uri", own);
    json_set_str(a, o, "name", name ? name : arena_strndup(a, rest, n));
    json_set_str(a, o, "mimeType", rest[n] ? DIRECTORY : json_get_str(file, "media"));
    if (!rest[n])
        json_set(a, o, "size", arena_memdup(a, json_get(file, "size"), sizeof *o));
}

err mcp_directory_read(struct ctx *c, struct mcp *m, struct json **result)
{
    const char *uri = mcp_param_str(m, "uri"), *main_uri;
    struct call_result r;
    struct json *list;
    size_t root, n;

    if (!uri)
        return mcp_refuse(c, m, MCP_PARAMS, 200, "uri is missing");
    root = skills_root(uri);
    n = strlen(uri);
    if (!root)
        return skills_unknown(c, m, uri);
    main_uri = arena_printf(c->arena, "%.*s" MAIN, (int)root, uri);
    TRY(skills_find(c, m, uri, main_uri, &r));
    *result = json_obj(c->arena);
    list = json_set(c->arena, *result, "resources", json_arr(c->arena));
    for (const struct json *f = json_get(r.data, "resources")->first; f; f = f->next) {
        const char *own = json_get_str(f, "uri");

        if (strncmp(own, uri, n) == 0 && own[n] == '/')
            skills_child(c->arena, list, uri, f);
    }
    return list->first ? ERR_OK : skills_unknown(c, m, uri);
}
