/* The page Knowledge: the bases with a form for a new one, and one of them. */
#include "document.h"
#include "knowledge_base.h"
#include "knowledge_base_html.h"
#include "limit.h"
#include "parts_html.h"

static err knowledge_bases_page(struct ctx *c, struct page_call *p)
{
    struct knowledge_base_filter f = {.status = query_enum(p, "status", &knowledge_base_status_enumx), .q = page_query(p, "q"),
                                      .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    struct page page;

    TRY(knowledge_base_list(c, &f, &page));
    put_things(c, p->model, "bases", &KNOWLEDGE_BASE, &page);
    put_listing(c, p, "/admin/knowledge", &page);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &knowledge_base_status_enumx, "all but archived", page_query(p, "status")));
    put_form(c, p, "fields", &KNOWLEDGE_BASE, COL_CREATE, NULL);
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "knowledge_bases");
}

err knowledge_base_page(struct ctx *c, struct page_call *p)
{
    struct document_filter f = {.status = query_enum(p, "status", &document_status_enumx), .q = page_query(p, "q"),
                                .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    struct knowledge_base b;
    struct page documents;
    struct uuid id;
    bool manages;

    TRY(page_id(c, p, 0, &id));
    TRY(knowledge_base_get(c, id, &b));
    manages = b.access == ACCESS_MANAGE && page_may(c, PERM_RAG_WRITE);
    put_thing(c, json_set(c->arena, p->model, "base", json_obj(c->arena)), &KNOWLEDGE_BASE, &b);
    f.knowledge_base_id = id;
    TRY(document_list(c, &f, &documents));
    put_things(c, p->model, "documents", &DOCUMENT, &documents);
    put_listing(c, p, arena_printf(c->arena, "/admin/knowledge/%s", UUID_STR(id)), &documents);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &document_status_enumx, "any", page_query(p, "status")));
    put_form(c, p, "fields", &KNOWLEDGE_BASE, COL_PATCH, &b);
    json_set_bool(c->arena, p->model, "may_add", b.access >= ACCESS_WRITE && page_may(c,
        PERM_RAG_WRITE) && b.status != KB_ARCHIVED && b.status != KB_PAUSED);
    json_set_bool(c->arena, p->model, "form_open", p->is_again && (page_form(p, "content") || page_form(p, "source_url") || p->file));
    json_set_bool(c->arena, p->model, "is_archived", b.status == KB_ARCHIVED);
    json_set_bool(c->arena, p->model, "is_paused", b.status == KB_PAUSED);
    json_set_bool(c->arena, p->model, "may_manage", manages);
    json_set_bool(c->arena, p->model, "may_edit", manages && b.status != KB_ARCHIVED);
    return page_show(p, "knowledge_base");
}

/* An empty field is the account's model. */
static err knowledge_base_page_model(struct ctx *c, struct page_call *p)
{
    const char *model = page_form(p, "embedding_model");
    struct json *extra = json_obj(c->arena);
    struct call_result r;

    json_set_str(c->arena, extra, "id", p->params[0]);
    json_set_str(c->arena, extra, "embedding_model", str_empty(model) ? NULL : model);
    TRY(page_run(c, p, "knowledge_base.update", extra, &r));
    page_say(c, p, "ok", "The model is changed. Its vectors are made in the background; until then the old one answers.");
    return page_go(c, p, "/admin/knowledge/%s", p->params[0]);
}

const struct page_row knowledge_base_pages[] = {
    {.method = "GET", .path = "/admin/knowledge", .name = "page.knowledge_bases", .op = "knowledge_base.list", .perm = PERM_RAG_READ,
     .run = knowledge_bases_page,
     .nav = {.label = "Knowledge", .icon = "knowledge", .key = "b", .also = {"/admin/documents", "/admin/connectors"}}},
    {.method = "POST", .path = "/admin/knowledge", .name = "page.knowledge_base.create", .perm = PERM_RAG_WRITE,
     .does = "knowledge_base.create", .said = "Knowledge base created. Add its documents.", .go = "/admin/knowledge/:made",
         .again = knowledge_bases_page},
    {.method = "GET", .path = "/admin/knowledge/:id", .name = "page.knowledge_base", .op = "knowledge_base.get", .perm = PERM_RAG_READ,
     .run = knowledge_base_page},
    {.method = "POST", .path = "/admin/knowledge/:id", .name = "page.knowledge_base.update", .perm = PERM_RAG_WRITE,
     .does = "knowledge_base.update", .said = "Saved.", .go = "/admin/knowledge/:id", .again = knowledge_base_page},
    {.method = "POST", .path = "/admin/knowledge/:id/pause", .name = "page.knowledge_base.pause", .perm = PERM_RAG_WRITE,
     .does = "knowledge_base.pause", .said = "Paused.", .go = "/admin/knowledge/:id", .again = knowledge_base_page},
    {.method = "POST", .path = "/admin/knowledge/:id/resume", .name = "page.knowledge_base.resume", .perm = PERM_RAG_WRITE,
     .does = "knowledge_base.resume", .said = "Resumed.", .go = "/admin/knowledge/:id", .again = knowledge_base_page},
    {.method = "POST", .path = "/admin/knowledge/:id/archive", .name = "page.knowledge_base.archive", .perm = PERM_RAG_WRITE,
     .does = "knowledge_base.archive", .said = "Archived.", .go = "/admin/knowledge/:id", .again = knowledge_base_page},
    {.method = "POST", .path = "/admin/knowledge/:id/unarchive", .name = "page.knowledge_base.unarchive", .perm = PERM_RAG_WRITE,
     .does = "knowledge_base.unarchive", .said = "Unarchived.", .go = "/admin/knowledge/:id", .again = knowledge_base_page},
    {.method = "POST", .path = "/admin/knowledge/:id/model", .name = "page.knowledge_base.model", .perm = PERM_RAG_WRITE,
     .run = knowledge_base_page_model, .again = knowledge_base_page},
    {.method = "POST", .path = "/admin/knowledge/:id/switch_back", .name = "page.knowledge_base.switch_back", .perm = PERM_RAG_WRITE,
     .does = "knowledge_base.switch_back", .said = "The model before answers again.", .go = "/admin/knowledge/:id",
         .again = knowledge_base_page},
    {.method = "POST", .path = "/admin/knowledge/:id/delete", .name = "page.knowledge_base.delete", .perm = PERM_RAG_WRITE,
     .does = "knowledge_base.delete", .said = "Knowledge base deleted. It can be restored for 30 days.", .go = "/admin/knowledge",
         .again = knowledge_base_page},
    {0},
};
