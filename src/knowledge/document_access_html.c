/* Who may read a document, on its page: the list, and the forms that change it. */
#include <string.h>

#include "document.h"
#include "grant.h"
#include "graph_html.h"
#include "knowledge_base_html.h"
#include "limit.h"
#include "parts_html.h"
#include "team.h"

err put_document_access(struct ctx *c, struct page_call *p, const struct document *d)
{
    bool may = access_may_manage(c, d->knowledge_base_id) && page_may(c, PERM_RAG_WRITE);
    struct page teams;
    struct names *names;

    json_set_bool(c->arena, p->model, "may_grant", may);
    json_set_bool(c->arena, p->model, "is_restricted", !uuid_eq(d->space_id, d->knowledge_base_id));
    if (!may)
        return ERR_OK;
    TRY(names_load(c, &names));
    TRY(team_list(c, &(struct team_filter){.limit = LIMIT_PAGE}, &teams));
    return put_grants(c, p, d->space_id, arena_printf(c->arena, "/admin/documents/%s", UUID_STR(d->id)), names, &teams);
}

static const char *section_key(enum grantee_kind kind)
{
    static const char *const KEYS[] = {[GRANTEE_USER] = "users", [GRANTEE_AGENT] = "agents", [GRANTEE_TEAM] = "teams",
                                       [GRANTEE_ROLE] = "roles"};

    return kind < sizeof KEYS / sizeof *KEYS ? KEYS[kind] : NULL;
}

static void list_add(struct ctx *c, struct json *access, const char *level, const char *key, const char *id)
{
    struct json *of = json_get(access, level), *ids;

    of = of ? of : json_set(c->arena, access, level, json_obj(c->arena));
    ids = json_get(of, key);
    ids = ids ? ids : json_set(c->arena, of, key, json_arr(c->arena));
    json_push(ids, json_str(c->arena, id));
}

/* The list as it is, without that row. */
static err list_without(struct ctx *c, const struct document *d, const char *key, const char *id, struct json **out)
{
    struct grant *g;
    size_t n;

    *out = json_obj(c->arena);
    if (uuid_eq(d->space_id, d->knowledge_base_id))
        return ERR_OK;
    TRY(grants_of(c, d->space_id, &g, &n));
    for (size_t i = 0; i < n; i++) {
        const char *its = section_key(g[i].grantee_kind);

        if (its && !(str_eq(its, key) && str_eq(g[i].grantee_id, id)))
            list_add(c, *out, enumx_name(&access_level_enumx, (int)g[i].level), its, g[i].grantee_id);
    }
    return ERR_OK;
}

static err document_page_set_access(struct ctx *c, struct page_call *p, struct json *access)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r;

    json_set_str(c->arena, extra, "id", p->params[0]);
    json_set(c->arena, extra, "access", access);
    TRY(page_run(c, p, "document.update", extra, &r));
    page_say(c, p, "ok", "Access changed. It works from the next request.");
    return page_go(c, p, "/admin/documents/%s", p->params[0]);
}

/* grantee: "kind:id"; level: read, write, or none, which takes it off the list. */
static err document_page_access(struct ctx *c, struct page_call *p)
{
    const char *who = page_form(p, "grantee"), *level = page_form(p, "level"), *colon = who ? strchr(who, ':') : NULL, *key = NULL;
    struct json *access;
    struct document d;
    struct uuid id;
    int kind;

    TRY(page_id(c, p, 0, &id));
    TRY(document_get(c, id, &d));
    if (colon && enumx_parse(&grantee_kind_enumx, arena_strndup(c->arena, who, (size_t)(colon - who)), &kind))
        key = section_key((enum grantee_kind)kind);
    if (!key)
        return fail_field(c, "/grantee", "choose a user, an agent, a team or a role");
    TRY(list_without(c, &d, key, colon + 1, &access));
    if (!str_eq(level, "none"))
        list_add(c, access, str_eq(level, "write") ? "write" : "read", key, colon + 1);
    return document_page_set_access(c, p, access);
}

static err document_page_restrict(struct ctx *c, struct page_call *p)
{
    return document_page_set_access(c, p, json_obj(c->arena));
}

static err document_page_open(struct ctx *c, struct page_call *p)
{
    return document_page_set_access(c, p, json_raw(c->arena, NULL));
}

const struct page_row document_access_pages[] = {
    {.method = "POST", .path = "/admin/documents/:id/access", .name = "page.document.access", .perm = PERM_RAG_WRITE,
     .run = document_page_access, .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id/restrict", .name = "page.document.restrict", .perm = PERM_RAG_WRITE,
     .run = document_page_restrict, .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id/open", .name = "page.document.open", .perm = PERM_RAG_WRITE,
     .run = document_page_open, .again = document_page},
    {0},
};
