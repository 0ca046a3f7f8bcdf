/* The page Knowledge: the bases with a form for a new one, and one of them. */
#include "knowledge_base.h"
#include "limit.h"
#include "parts_html.h"
#include "rag_html.h"

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

static err knowledge_base_page(struct ctx *c, struct page_call *p)
{
    struct knowledge_base b;
    struct uuid id;
    bool manages;

    TRY(page_id(c, p, 0, &id));
    TRY(knowledge_base_get(c, id, &b));
    manages = b.access == ACCESS_MANAGE && page_may(c, PERM_RAG_WRITE);
    put_thing(c, json_set(c->arena, p->model, "base", json_obj(c->arena)), &KNOWLEDGE_BASE, &b);
    put_form(c, p, "fields", &KNOWLEDGE_BASE, COL_PATCH, &b);
    json_set_bool(c->arena, p->model, "is_archived", b.status == KB_ARCHIVED);
    json_set_bool(c->arena, p->model, "is_paused", b.status == KB_PAUSED);
    json_set_bool(c->arena, p->model, "may_manage", manages);
    json_set_bool(c->arena, p->model, "may_edit", manages && b.status != KB_ARCHIVED);
    return page_show(p, "knowledge_base");
}

#define BASE_POST(verb, say, to) \
    {.method = "POST", .path = "/admin/knowledge/:id/" verb, .name = "page.knowledge_base." verb, .perm = PERM_RAG_WRITE, \
     .does = "knowledge_base." verb, .said = say, .go = to, .again = knowledge_base_page}

const struct page_row knowledge_base_pages[] = {
    {.method = "GET", .path = "/admin/knowledge", .name = "page.knowledge_bases", .op = "knowledge_base.list", .perm = PERM_RAG_READ,
     .run = knowledge_bases_page, .nav = {.label = "Knowledge", .icon = "knowledge", .key = "b"}},
    {.method = "POST", .path = "/admin/knowledge", .name = "page.knowledge_base.create", .perm = PERM_RAG_WRITE,
     .does = "knowledge_base.create", .said = "Knowledge base created. Add its documents.", .go = "/admin/knowledge/:made",
         .again = knowledge_bases_page},
    {.method = "GET", .path = "/admin/knowledge/:id", .name = "page.knowledge_base", .op = "knowledge_base.get", .perm = PERM_RAG_READ,
     .run = knowledge_base_page},
    {.method = "POST", .path = "/admin/knowledge/:id", .name = "page.knowledge_base.update", .perm = PERM_RAG_WRITE,
     .does = "knowledge_base.update", .said = "Saved.", .go = "/admin/knowledge/:id", .again = knowledge_base_page},
    BASE_POST("pause", "Paused.", "/admin/knowledge/:id"),
    BASE_POST("resume", "Resumed.", "/admin/knowledge/:id"),
    BASE_POST("archive", "Archived.", "/admin/knowledge/:id"),
    BASE_POST("unarchive", "Unarchived.", "/admin/knowledge/:id"),
    BASE_POST("delete", "Knowledge base deleted. It can be restored for 30 days.", "/admin/knowledge"),
    {0},
};
