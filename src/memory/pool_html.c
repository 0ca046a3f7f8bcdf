/* The page Pools: documents that agents share, and how a new one comes to be. */
#include "pool_html.h"

#include "limit.h"

/* The others belong to workflow runs, which make theirs. */
static void add_new_types(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "new_types");
    const char *shown = chosen(p, "pool_type", enumx_name(&pool_type_enumx, POOL_SHARED));

    for (int t = POOL_SHARED; t <= POOL_GLOBAL; t++)
        add_choice(c, list, enumx_name(&pool_type_enumx, t), enumx_name(&pool_type_enumx, t),
                   str_eq(enumx_name(&pool_type_enumx, t), shown));
}

static err pools(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "pools");
    const struct pool *x;
    struct names *names;
    struct page page;

    TRY(pool_list(c, &(struct pool_filter){.pool_type = query_enum(p, "type", &pool_type_enumx),
                                           .scope = query_enum(p, "scope", &pool_scope_enumx), .limit = LIMIT_PAGE_DEFAULT,
                                           .cursor = page_query(p, "cursor")}, &page));
    TRY(names_load(c, &names));
    x = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_pool(c, add_row(c, list), &x[i], names);
    put_listing(c, p, "/admin/pools", &page);
    json_set(c->arena, p->model, "types", enum_choices(c, &pool_type_enumx, "any", page_query(p, "type")));
    json_set(c->arena, p->model, "scopes", enum_choices(c, &pool_scope_enumx, "any", page_query(p, "scope")));
    put_undo(c, p);
    add_new_types(c, p);
    json_set_bool(c->arena, p->model, "may_create", page_may(c, PERM_POOLS_MANAGE));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    json_set_bool(c->arena, p->model, "is_public", str_eq(chosen(p, "is_public", ""), "1"));
    if (!page.n)
        pool_first_write(c, p, POOL_DEFAULT, "market.rate.eur", json_num(c->arena, 3.5));
    TRY(put_owners(c, p, "owner_agent_id"));
    return page_show(p, "pools");
}

static err pool_page_create(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r;

    if (page_form(p, "is_public"))
        json_set_bool(c->arena, json_set(c->arena, extra, "access_control", json_obj(c->arena)), "public", true);
    TRY(page_run(c, p, "pool.create", extra, &r));
    page_say(c, p, "ok", "Pool created. Write its first key below.");
    return page_go(c, p, "/admin/pools/%s", UUID_STR(r.id));
}

const struct page_row pool_pages[] = {
    {.method = "GET", .path = "/admin/pools", .name = "page.pools", .op = "pool.list", .perm = PERM_MEMORY_READ, .run = pools,
     .nav = {.label = "Pools", .icon = "pools", .key = "p"}},
    {.method = "POST", .path = "/admin/pools", .name = "page.pool.create", .perm = PERM_POOLS_MANAGE, .run = pool_page_create, .again = pools},
    {0},
};
