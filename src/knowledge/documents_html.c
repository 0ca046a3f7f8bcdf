/* Documents on the pages: adding one to its base, and one of them with its chunks. */
#include <string.h>

#include "document.h"
#include "grant.h"
#include "graph_html.h"
#include "knowledge_base_html.h"
#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "team.h"

#define CHUNKS_SHOWN 20

static void put_document_errors(struct ctx *c, struct json *list, const struct json *errors)
{
    for (const struct json *e = errors ? errors->first : NULL; e; e = e->next) {
        struct json *row = add_row(c, list);
        struct instant at;

        if (instant_parse(json_get_str(e, "at"), &at))
            put_time(c, row, "at", at);
        json_set_str(c->arena, row, "stage", json_get_str(e, "stage"));
        json_set_str(c->arena, row, "code", json_get_str(e, "code"));
        json_set_str(c->arena, row, "message", json_get_str(e, "message"));
    }
}

static int64_t first_chunk(const struct page_call *p)
{
    int64_t from;

    return page_query(p, "from") && str_to_i64(page_query(p, "from"), &from) && from > 0 && from < 1000000 ? from : 0;
}

/* What repeats the chunk before is marked. */
static void put_chunk_rows(struct ctx *c, struct json *list, const struct page *page)
{
    const struct chunk *v = page->items;

    for (size_t i = 0; i < page->n; i++) {
        struct json *row = put_thing(c, add_row(c, list), &CHUNK, &v[i]);

        json_set_str(c->arena, row, "repeated", v[i].overlap ? arena_strndup(c->arena, v[i].content, (size_t)v[i].overlap) : NULL);
        json_set_str(c->arena, row, "own", v[i].content + v[i].overlap);
    }
}

static const char *chunks_href(struct ctx *c, struct uuid id, int64_t from)
{
    return arena_printf(c->arena, "/admin/documents/%s?from=%lld", UUID_STR(id), (long long)from);
}

/* The list, for who manages the base. */
static err put_document_access(struct ctx *c, struct page_call *p, const struct document *d)
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

static err document_page(struct ctx *c, struct page_call *p)
{
    struct chunk_filter f = {.from = first_chunk(p), .limit = CHUNKS_SHOWN};
    struct knowledge_base base;
    struct document d;
    struct page page;

    TRY(page_id(c, p, 0, &f.id));
    TRY(document_get(c, f.id, &d));
    TRY(knowledge_base_get(c, d.knowledge_base_id, &base));
    TRY(chunk_list(c, &f, &page));
    put_thing(c, json_set(c->arena, p->model, "document", json_obj(c->arena)), &DOCUMENT, &d);
    put_thing(c, json_set(c->arena, p->model, "base", json_obj(c->arena)), &KNOWLEDGE_BASE, &base);
    put_document_errors(c, put_list(c, p->model, "failures"), json_opened(c->arena, d.processing_errors));
    put_chunk_rows(c, put_list(c, p->model, "chunks"), &page);
    json_set_str(c->arena, p->model, "size", model_bytes(c->arena, d.content_size_bytes));
    json_set_str(c->arena, p->model, "next", page.has_more ? chunks_href(c, d.id, f.from + f.limit) : NULL);
    json_set_str(c->arena, p->model, "first", f.from ? chunks_href(c, d.id, 0) : NULL);
    json_set_str(c->arena, p->model, "pages", d.page_count ? model_count(c->arena, d.page_count) : NULL);
    json_set_str(c->arena, p->model, "original", d.original_bytes ? model_bytes(c->arena, d.original_bytes) : NULL);
    json_set_bool(c->arena, p->model, "may_download", d.original_bytes && access_may_manage(c, d.space_id));
    json_set_bool(c->arena, p->model, "may_cancel", d.status == DOCUMENT_PENDING || d.status == DOCUMENT_PROCESSING);
    json_set_bool(c->arena, p->model, "is_quarantined", d.is_quarantined);
    json_set_bool(c->arena, p->model, "is_archived", d.status == DOCUMENT_ARCHIVED);
    json_set_bool(c->arena, p->model, "is_fetched", d.source_type == DOCUMENT_OF_URL);
    json_set_bool(c->arena, p->model, "may_revert", d.served_version > 1);
    json_set_bool(c->arena, p->model, "may_write", access_may_write(c, d.space_id) && page_may(c, PERM_RAG_WRITE));
    TRY(put_document_access(c, p, &d));
    return page_show(p, "document");
}

/* ---- who may read it */

static const char *document_section_key(enum grantee_kind kind)
{
    static const char *const KEYS[] = {[GRANTEE_USER] = "users", [GRANTEE_AGENT] = "agents", [GRANTEE_TEAM] = "teams",
                                       [GRANTEE_ROLE] = "roles"};

    return kind < sizeof KEYS / sizeof *KEYS ? KEYS[kind] : NULL;
}

static void document_list_add(struct ctx *c, struct json *access, const char *level, const char *key, const char *id)
{
    struct json *of = json_get(access, level), *ids;

    of = of ? of : json_set(c->arena, access, level, json_obj(c->arena));
    ids = json_get(of, key);
    ids = ids ? ids : json_set(c->arena, of, key, json_arr(c->arena));
    json_push(ids, json_str(c->arena, id));
}

/* The list as it is, without that row. */
static err document_list_without(struct ctx *c, const struct document *d, const char *key, const char *id, struct json **out)
{
    struct grant *g;
    size_t n;

    *out = json_obj(c->arena);
    if (uuid_eq(d->space_id, d->knowledge_base_id))
        return ERR_OK;
    TRY(grants_of(c, d->space_id, &g, &n));
    for (size_t i = 0; i < n; i++) {
        const char *its = document_section_key(g[i].grantee_kind);

        if (its && !(str_eq(its, key) && str_eq(g[i].grantee_id, id)))
            document_list_add(c, *out, enumx_name(&access_level_enumx, (int)g[i].level), its, g[i].grantee_id);
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
        key = document_section_key((enum grantee_kind)kind);
    if (!key)
        return fail_field(c, "/grantee", "choose a user, an agent, a team or a role");
    TRY(document_list_without(c, &d, key, colon + 1, &access));
    if (!str_eq(level, "none"))
        document_list_add(c, access, str_eq(level, "write") ? "write" : "read", key, colon + 1);
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

/* ---- adding and deleting */

static err document_page_add(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r;

    json_set_str(c->arena, extra, "knowledge_base_id", p->params[0]);
    if (p->file)
        TRY(page_take(c, p, "document.upload", extra, &r));
    else
        TRY(page_run(c, p, "document.add", extra, &r));
    page_say(c, p, "ok", "Document added. It is processed in the background.");
    return page_go(c, p, "/admin/documents/%s", UUID_STR(r.id));
}

static err document_page_delete(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r;
    struct document d;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(document_get(c, id, &d));
    json_set_str(c->arena, extra, "id", p->params[0]);
    TRY(page_run(c, p, "document.delete", extra, &r));
    page_say(c, p, "ok", "Document deleted.");
    return page_go(c, p, "/admin/knowledge/%s", UUID_STR(d.knowledge_base_id));
}

const struct page_row document_pages[] = {
    {.method = "POST", .path = "/admin/documents/:id/access", .name = "page.document.access", .perm = PERM_RAG_WRITE,
     .run = document_page_access, .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id/restrict", .name = "page.document.restrict", .perm = PERM_RAG_WRITE,
     .run = document_page_restrict, .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id/open", .name = "page.document.open", .perm = PERM_RAG_WRITE,
     .run = document_page_open, .again = document_page},
    {.method = "POST", .path = "/admin/knowledge/:id/documents", .name = "page.document.add", .perm = PERM_RAG_WRITE,
     .run = document_page_add, .again = knowledge_base_page, .takes_file = true},
    {.method = "GET", .path = "/admin/documents/:id", .name = "page.document", .op = "document.get", .perm = PERM_RAG_READ,
     .run = document_page},
    {.method = "POST", .path = "/admin/documents/:id/process", .name = "page.document.process", .perm = PERM_RAG_WRITE,
     .does = "document.process", .said = "It is processed again.", .go = "/admin/documents/:id", .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id/cancel", .name = "page.document.cancel", .perm = PERM_RAG_WRITE,
     .does = "document.cancel", .said = "Its processing is ended.", .go = "/admin/documents/:id", .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id/release", .name = "page.document.release", .perm = PERM_RAG_WRITE,
     .does = "document.release", .said = "It is processed.", .go = "/admin/documents/:id", .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id/archive", .name = "page.document.archive", .perm = PERM_RAG_WRITE,
     .does = "document.archive", .said = "Archived: searches no longer find it.", .go = "/admin/documents/:id", .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id/unarchive", .name = "page.document.unarchive", .perm = PERM_RAG_WRITE,
     .does = "document.unarchive", .said = "Unarchived.", .go = "/admin/documents/:id", .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id/refresh", .name = "page.document.refresh", .perm = PERM_RAG_WRITE,
     .does = "document.refresh", .said = "Its address is fetched again in the background.",
     .go = "/admin/documents/:id", .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id/revert", .name = "page.document.revert", .perm = PERM_RAG_WRITE,
     .does = "document.revert", .said = "The text before is processed in the background.",
     .go = "/admin/documents/:id", .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id", .name = "page.document.update", .perm = PERM_RAG_WRITE,
     .does = "document.update", .said = "Saved.", .go = "/admin/documents/:id", .again = document_page},
    {.method = "POST", .path = "/admin/documents/:id/delete", .name = "page.document.delete", .perm = PERM_RAG_WRITE,
     .run = document_page_delete, .again = document_page},
    {0},
};
