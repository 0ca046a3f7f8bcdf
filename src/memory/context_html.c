/* The entries of a context, and what is written to it. */
#include "context_html.h"

#include "limit.h"

static void context_page_add_filter(struct ctx *c, struct page_call *p)
{
    json_set(c->arena, p->model, "entry_types", enum_choices(c, &entry_type_enumx, "any", page_query(p, "entry_type")));
    json_set(c->arena, p->model, "memory_types", enum_choices(c, &memory_type_enumx, "any", page_query(p, "memory_type")));
    json_set(c->arena, p->model, "orders", enum_choices(c, &entry_order_enumx, NULL, page_query(p, "order")));
    json_set_str(c->arena, p->model, "tag", page_query(p, "tag"));
    json_set_str(c->arena, p->model, "prefix", page_query(p, "prefix"));
    json_set_bool(c->arena, p->model, "archived", page_query(p, "archived") != NULL);
}

static err context_page_add_entries(struct ctx *c, struct page_call *p, const char *ref)
{
    struct json *m = json_set(c->arena, p->model, "listing", json_obj(c->arena)), *list = put_list(c, m, "rows");
    int order = query_enum(p, "order", &entry_order_enumx);
    const struct entry *e;
    struct page page;

    TRY(entry_list(c, ref, &(struct entry_filter){.entry_type = query_enum(p, "entry_type", &entry_type_enumx),
                                                  .memory_type = query_enum(p, "memory_type", &memory_type_enumx),
                                                  .tag = page_query(p, "tag"), .prefix = page_query(p, "prefix"),
                                                  .include_archived = page_query(p, "archived") != NULL,
                                                  .order = order < 0 ? ENTRY_BY_RECENCY : (enum entry_order)order,
                                                  .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")}, &page));
    e = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_entry(c, add_row(c, list), &e[i]);
    json_set_bool(c->arena, m, "of_hits", false);
    json_set_bool(c->arena, m, "may_archive", json_get_bool(p->model, "may_write", false));
    context_page_add_filter(c, p);
    put_listing(c, p, arena_printf(c->arena, "/admin/memory/%s", ref), &page);
    return ERR_OK;
}

/* How a program would write the first entry. */
static void show_first_write(struct ctx *c, struct page_call *p, const struct context_view *v)
{
    struct json *args = json_obj(c->arena);

    json_set_str(c->arena, args, "id", v->context.context_id);
    json_set_str(c->arena, args, "entry_key", "ferry.times");
    json_set_str(c->arena, args, "content", "The ferry leaves at seven.");
    p->op = "entry.put";
    p->asked = args;
}

static err context_page(struct ctx *c, struct page_call *p)
{
    struct context_view v;

    TRY(context_view_open(c, p, "entries", &v));
    TRY(context_page_add_entries(c, p, v.ref));
    TRY(put_found(c, p, v.ref));
    json_set(c->arena, p->model, "new_types", enum_choices(c, &entry_type_enumx, NULL, chosen(p, "entry_type", "observation")));
    put_formats(c, p, NULL);
    json_set_bool(c->arena, p->model, "form_open", p->is_again && page_form(p, "format"));
    if (!v.context.entry_count && json_get_bool(p->model, "may_write", false))
        show_first_write(c, p, &v);
    return page_show(p, "context");
}

static err context_page_write_entry(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena), *content;

    TRY(form_value(c, p, "content", &content));
    json_set(c->arena, extra, "content", content);
    json_set(c->arena, extra, "context_tags", form_tags(c, p, "tags"));
    TRY(context_run(c, p, "entry.put", extra, ""));
    page_say(c, p, "ok", "Entry saved. An existing entry with this key got a new version.");
    return ERR_OK;
}

#define AT "/admin/memory/:id"

const struct page_row context_pages[] = {
    {.method = "GET", .path = AT, .name = "page.context", .op = "entry.list", .perm = PERM_CONTEXT_READ, .run = context_page},
    {.method = "POST", .path = AT "/entries", .name = "page.entry.put", .perm = PERM_CONTEXT_UPDATE, .run = context_page_write_entry,
     .again = context_page},
    {0},
};
