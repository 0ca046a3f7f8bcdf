/* The page Work: items with a form for a new one, and one of them with its parts. */
#include "work_html.h"

#include "limit.h"
#include "parts_html.h"
#include "space.h"
#include "work.h"

#define SPACES_SHOWN 100
#define TREE_SHOWN 8

/* Spaces that may be written, for the form: people name one. */
static err work_put_spaces(struct ctx *c, struct page_call *p)
{
    struct json *options = put_list(c, p->model, "spaces");
    const char *now = chosen(p, "target_namespace", NULL);
    const struct space *v;
    struct page page;

    TRY(space_list(c, &(struct space_filter){.kind = -1, .status = SPACE_ACTIVE, .limit = SPACES_SHOWN}, &page));
    v = page.items;
    for (size_t i = 0; i < page.n; i++)
        if (v[i].access >= ACCESS_WRITE && (v[i].kind == SPACE_CONTEXT || v[i].kind == SPACE_NAMESPACE || v[i].kind == SPACE_DOMAIN))
            add_choice(c, options, arena_strdup(c->arena, UUID_STR(v[i].id)), v[i].name, str_eq(now, UUID_STR(v[i].id)));
    return ERR_OK;
}

static err work_list_page(struct ctx *c, struct page_call *p)
{
    struct work_filter f = {.work_status = query_enum(p, "work_status", &work_status_enumx), .level = page_query(p, "level"),
                            .q = page_query(p, "q"), .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    struct page page;

    TRY(work_query(c, &f, &page));
    put_things(c, p->model, "items", &WORK_ITEM, &page);
    put_listing(c, p, "/admin/work", &page);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &work_status_enumx, "any", page_query(p, "work_status")));
    put_form(c, p, "fields", &WORK_ITEM, COL_CREATE, NULL);
    TRY(work_put_spaces(c, p));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "work");
}

static err work_put_tree(struct ctx *c, struct page_call *p, struct uuid id)
{
    struct json *rows = put_list(c, p->model, "parts");
    const struct work_node *v;
    struct work_tree t;

    TRY(work_tree(c, &(struct work_tree_in){id, TREE_SHOWN}, &t));
    v = t.items.v;
    for (size_t i = 1; i < t.items.n; i++) {
        struct json *row = add_row(c, rows);

        put_id(c, row, "id", v[i].id);
        json_set_str(c->arena, row, "title", v[i].title);
        json_set_str(c->arena, row, "level", v[i].level);
        json_set_str(c->arena, row, "work_status", enumx_name(&work_status_enumx, (int)v[i].work_status));
        json_set_int(c->arena, row, "depth", v[i].depth);
    }
    json_set_bool(c->arena, p->model, "truncated", t.truncated);
    return ERR_OK;
}

static err work_page(struct ctx *c, struct page_call *p)
{
    struct json *moves = put_list(c, p->model, "moves");
    struct work_item w;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(work_get(c, id, &w));
    put_thing(c, json_set(c->arena, p->model, "item", json_obj(c->arena)), &WORK_ITEM, &w);
    for (int i = 0; i < (int)work_status_enumx.n; i++)
        if (i != (int)w.work_status)
            json_set_str(c->arena, add_row(c, moves), "to", enumx_name(&work_status_enumx, i));
    TRY(work_put_tree(c, p, id));
    put_form(c, p, "fields", &WORK_ITEM, COL_PATCH, &w);
    json_set_bool(c->arena, p->model, "may_edit", access_may_write(c, w.space_id) && page_may(c, PERM_MEMORY_WRITE));
    return page_show(p, "work_item");
}

const struct page_row work_pages[] = {
    {.method = "GET", .path = "/admin/work", .name = "page.work", .op = "work.query", .perm = PERM_MEMORY_READ, .run = work_list_page,
     .nav = {.label = "Work", .icon = "jobs", .key = "q"}},
    {.method = "POST", .path = "/admin/work", .name = "page.work.create", .perm = PERM_MEMORY_WRITE, .does = "work.create",
     .said = "Work item created.", .go = "/admin/work/:made", .again = work_list_page},
    {.method = "GET", .path = "/admin/work/:id", .name = "page.work_item", .op = "work.get", .perm = PERM_MEMORY_READ, .run = work_page},
    {.method = "POST", .path = "/admin/work/:id", .name = "page.work.update", .perm = PERM_MEMORY_WRITE, .does = "work.update",
     .said = "Saved.", .go = "/admin/work/:id", .again = work_page},
    {.method = "POST", .path = "/admin/work/:id/advance", .name = "page.work.advance", .perm = PERM_MEMORY_WRITE, .does = "work.advance",
     .said = "Status changed.", .go = "/admin/work/:id", .again = work_page},
    {.method = "POST", .path = "/admin/work/:id/links", .name = "page.work.link", .perm = PERM_MEMORY_WRITE, .does = "work.link",
     .said = "Tag added.", .go = "/admin/work/:id", .again = work_page},
    {0},
};
