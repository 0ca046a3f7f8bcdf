/* Whose working and short-term memory to look at: the agents, with how much each keeps for hours. */
#include "memory_html.h"

#include "agent.h"
#include "limit.h"
#include "model.h"
#include "short_term.h"

static const struct short_term_count *working_page_count_of(const struct short_term_count *rows, size_t n, struct uuid agent)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(rows[i].agent_id, agent))
            return &rows[i];
    return NULL;
}

static void put_agent(struct ctx *c, struct json *row, const struct agent *a, const struct short_term_count *n)
{
    put_id(c, row, "id", a->id);
    json_set_str(c->arena, row, "name", a->name);
    put_badge(c, row, a->status == AGENT_ACTIVE ? "ok" : "off", enumx_name(&agent_status_enumx, (int)a->status));
    json_set_str(c->arena, row, "rows", n ? model_count(c->arena, n->rows) : NULL);
    json_set_str(c->arena, row, "queued", n && n->queued ? model_count(c->arena, n->queued) : NULL);
    put_time(c, row, "next_expiry", n ? n->next_expiry : (struct instant){0});
    put_time(c, row, "last_write", n ? n->last_write : (struct instant){0});
}

static err working_page(struct ctx *c, struct page_call *p)
{
    bool counts = page_may(c, PERM_MEMORY_MANAGE);
    struct json *list = put_list(c, p->model, "agents");
    struct short_term_count *rows = NULL;
    const struct agent *a;
    struct page page;
    struct uuid *ids;
    size_t n = 0;

    TRY(agent_list(c, &(struct agent_filter){.status = -1, .q = page_query(p, "q"), .limit = LIMIT_PAGE_DEFAULT,
                                             .cursor = page_query(p, "cursor")}, &page));
    a = page.items;
    ids = ARENA_ARRAY(c->arena, struct uuid, page.n + 1);
    for (size_t i = 0; i < page.n; i++)
        ids[i] = a[i].id;
    if (counts && page.n)
        TRY(short_term_counts(c, ids, page.n, &rows, &n));
    for (size_t i = 0; i < page.n; i++)
        put_agent(c, add_row(c, list), &a[i], working_page_count_of(rows, n, a[i].id));
    json_set_bool(c->arena, p->model, "has_counts", counts);
    put_memory_tabs(c, p, "working");
    put_listing(c, p, "/admin/memory/working", &page);
    return page_show(p, "working");
}

const struct page_row working_pages[] = {
    {.method = "GET", .path = "/admin/memory/working", .name = "page.working", .op = "agent.list", .perm = PERM_MEMORY_READ, .run = working_page},
    {0},
};
