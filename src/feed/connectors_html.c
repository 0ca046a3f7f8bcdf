/* Connectors: the list with a form for a new one, and one of them. */
#include "connector.h"
#include "connector_html.h"
#include "knowledge_base.h"
#include "limit.h"
#include "parts_html.h"
#include "str.h"

/* A knowledge base is chosen by its name. */
static err connector_form_bases(struct ctx *c, struct page_call *p, struct json *form)
{
    const char *typed = page_form(p, "knowledge_base_id"), *chosen_ = typed ? typed : page_query(p, "knowledge_base_id");
    struct json *options = json_arr(c->arena);
    const struct knowledge_base *v;
    struct page bases;

    TRY(knowledge_base_list(c, &(struct knowledge_base_filter){.status = -1, .limit = LIMIT_PAGE}, &bases));
    v = bases.items;
    for (size_t i = 0; i < bases.n; i++) {
        const char *id = uuid_text(v[i].id, arena_alloc(c->arena, UUID_TEXT));

        add_choice(c, options, id, v[i].name, str_eq(id, chosen_));
    }
    form_choices(c, form, "knowledge_base_id", options);
    return ERR_OK;
}

static err connectors_page(struct ctx *c, struct page_call *p)
{
    struct page page;

    TRY(connector_list(c, &(struct thing_page){LIMIT_PAGE_DEFAULT, page_query(p, "cursor")}, &page));
    put_things(c, p->model, "connectors", &CONNECTOR, &page);
    put_listing(c, p, "/admin/connectors", &page);
    TRY(connector_form_bases(c, p, put_form(c, p, "fields", &CONNECTOR, COL_CREATE, NULL)));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "connectors");
}

static void put_sync_errors(struct ctx *c, struct json *list, const struct json *result)
{
    const struct json *errors = json_get(json_opened(c->arena, result), "errors");

    for (const struct json *e = errors ? errors->first : NULL; e; e = e->next) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "path", json_get_str(e, "path"));
        json_set_str(c->arena, row, "message", json_get_str(e, "message"));
    }
}

static void put_sync_counts(struct ctx *c, struct json *list, const struct json *result)
{
    static const char *const NAMES[] = {"added", "changed", "unchanged", "archived", "skipped", "failed"};
    const struct json *r = json_opened(c->arena, result);

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", NAMES[i]);
        json_set_str(c->arena, row, "n", arena_printf(c->arena, "%lld", (long long)json_get_int(r, NAMES[i], 0)));
    }
}

static err connector_page(struct ctx *c, struct page_call *p)
{
    struct connector k;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(connector_get(c, id, &k));
    put_thing(c, json_set(c->arena, p->model, "connector", json_obj(c->arena)), &CONNECTOR, &k);
    put_form(c, p, "fields", &CONNECTOR, COL_PATCH, &k);
    put_sync_counts(c, put_list(c, p->model, "counts"), k.last_sync_result);
    put_sync_errors(c, put_list(c, p->model, "failures"), k.last_sync_result);
    return page_show(p, "connector");
}

const struct page_row connectors_pages[] = {
    {.method = "GET", .path = "/admin/connectors", .name = "page.connectors", .op = "connector.list", .perm = PERM_RAG_MANAGE,
     .run = connectors_page},
    {.method = "POST", .path = "/admin/connectors", .name = "page.connector.create", .perm = PERM_RAG_MANAGE,
     .does = "connector.create", .said = "Connector created.", .go = "/admin/connectors/:made", .again = connectors_page},
    {.method = "GET", .path = "/admin/connectors/:id", .name = "page.connector", .op = "connector.get", .perm = PERM_RAG_MANAGE,
     .run = connector_page},
    {.method = "POST", .path = "/admin/connectors/:id", .name = "page.connector.update", .perm = PERM_RAG_MANAGE,
     .does = "connector.update", .said = "Saved.", .go = "/admin/connectors/:id", .again = connector_page},
    {.method = "POST", .path = "/admin/connectors/:id/sync", .name = "page.connector.sync", .perm = PERM_RAG_MANAGE,
     .does = "connector.sync", .said = "It looks now, in the background.", .go = "/admin/connectors/:id", .again = connector_page},
    {.method = "POST", .path = "/admin/connectors/:id/delete", .name = "page.connector.delete", .perm = PERM_RAG_MANAGE,
     .does = "connector.delete", .said = "Connector deleted. Its documents stay.", .go = "/admin/connectors", .again = connector_page},
    {0},
};
