/* What changed in a pool, the newest first, by whom; of all keys, or of the bulletins that agents post for each other. */
#include "pool_html.h"

#include "limit.h"

/* What a program would ask: the changes after a version, and so on from there. */
static const struct json *pool_feed_page_asked(struct ctx *c, const struct pool_view *v, bool bulletins)
{
    struct json *args = json_obj(c->arena);

    json_set_str(c->arena, args, "pool_id", v->pool.pool_id);
    if (bulletins)
        json_set_str(c->arena, args, "prefix", POOL_BULLETINS);
    json_set_int(c->arena, args, "since_version", v->pool.version > LIMIT_PAGE_DEFAULT ? v->pool.version - LIMIT_PAGE_DEFAULT : 0);
    return args;
}

static err feed_page(struct ctx *c, struct page_call *p)
{
    bool bulletins = page_query(p, "bulletins") != NULL;
    struct json *list = put_list(c, p->model, "changes");
    const struct pool_entry *e;
    struct pool_view v;
    struct page page;

    TRY(pool_view_open(c, p, "feed", &v));
    TRY(pool_entries(c, v.ref, &(struct pool_entry_filter){.prefix = bulletins ? POOL_BULLETINS : NULL, .newest_first = true,
                                                           .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")}, &page));
    e = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_pool_entry(c, add_row(c, list), v.ref, &e[i], v.names);
    json_set_bool(c->arena, p->model, "bulletins", bulletins);
    put_listing(c, p, arena_printf(c->arena, "/admin/pools/%s/feed", v.ref), &page);
    if (!page.n && bulletins && json_get_bool(p->model, "may_write", false))
        pool_first_write(c, p, v.pool.pool_id, POOL_BULLETINS ".storm", json_str(c->arena, "Stay inside until noon."));
    else
        p->asked = pool_feed_page_asked(c, &v, bulletins);
    return page_show(p, "pool_feed");
}

const struct page_row pool_feed_pages[] = {
    {.method = "GET", .path = "/admin/pools/:id/feed", .name = "page.pool.feed", .op = "pool.entries", .perm = PERM_MEMORY_READ, .run = feed_page},
    {0},
};
