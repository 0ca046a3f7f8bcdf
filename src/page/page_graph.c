/* Wanted names, orphans, hubs and the graph of links; see content_links.h. */

#include <math.h>

#include "content_links.h"
#include "page_link.h"
#include "page_link_store.h"
#include "wiki_page_store.h"
#include "wiki_space.h"

err page_links_wanted(struct ctx *c, int64_t limit, struct list *out)
{
    return page_link_store_wanted(c, wiki_spaces_readable(c), limit, out);
}

err page_links_orphans(struct ctx *c, int64_t limit, struct list *out)
{
    const struct wiki_page *rows;
    struct content_item *items;
    struct list found;

    TRY(page_link_store_orphans(c, wiki_spaces_readable(c), limit, &found));
    rows = found.v;
    items = ARENA_ARRAY(c->arena, struct content_item, found.n + 1);
    for (size_t i = 0; i < found.n; i++)
        items[i] = (struct content_item){.id = rows[i].id, .title = rows[i].title, .slug = rows[i].slug, .type = rows[i].type,
            .excerpt = rows[i].excerpt};
    *out = (struct list){items, found.n};
    return ERR_OK;
}

static const struct wiki_page *page_of(const struct list *pages, struct uuid id)
{
    const struct wiki_page *rows = pages->v;

    for (size_t i = 0; i < pages->n; i++)
        if (uuid_eq(rows[i].id, id))
            return &rows[i];
    return NULL;
}

err page_links_hubs(struct ctx *c, int64_t limit, struct list *out)
{
    struct link_hub *hubs;
    struct page_hub *items;
    struct list found;
    struct uuid *ids;
    size_t n, k = 0;

    TRY(page_link_store_hubs(c, wiki_spaces_readable(c), limit, &hubs, &n));
    ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    items = ARENA_ARRAY(c->arena, struct page_hub, n + 1);
    for (size_t i = 0; i < n; i++)
        ids[i] = hubs[i].id;
    TRY(wiki_page_store_items(c, ids, n, wiki_spaces_readable(c), &found));
    for (size_t i = 0; i < n; i++) {
        const struct wiki_page *p = page_of(&found, hubs[i].id);

        if (p)
            items[k++] = (struct page_hub){p->id, p->title, p->slug, p->type, hubs[i].n};
    }
    *out = (struct list){items, k};
    return ERR_OK;
}

static bool is_among(const struct uuids *ids, struct uuid id)
{
    for (size_t i = 0; i < ids->n; i++)
        if (uuid_eq(ids->v[i], id))
            return true;
    return false;
}

err page_links_shown(struct ctx *c, struct uuid id, struct list *out)
{
    struct page_link *rows;
    struct uuids seen;
    struct uuid *ids;
    size_t n = 0;

    TRY(page_links_of(c, id, out));
    rows = out->v;
    ids = ARENA_ARRAY(c->arena, struct uuid, out->n + 1);
    for (size_t i = 0; i < out->n; i++)
        if (rows[i].state == LINK_RESOLVED)
            ids[n++] = rows[i].target_id;
    TRY(page_link_store_readable(c, ids, n, &seen));
    for (size_t i = 0; i < out->n; i++) {
        if (rows[i].state != LINK_RESOLVED || is_among(&seen, rows[i].target_id))
            continue;
        rows[i].state = LINK_PENDING;
        rows[i].target_id = (struct uuid){{0}};
        rows[i].resolved_at = (struct instant){0};
        rows[i].ambiguous = 0;
    }
    return ERR_OK;
}

/* ---- the graph: level by level from the root, or from the most linked pages */

struct page_walk {
    struct page_graph_node *nodes;
    size_t n, max;
    bool is_full;
};

static bool walk_has(const struct page_walk *w, struct uuid id)
{
    for (size_t i = 0; i < w->n; i++)
        if (uuid_eq(w->nodes[i].id, id))
            return true;
    return false;
}

static err page_graph_add(struct ctx *c, struct page_walk *w, const struct uuid *ids, size_t n, int64_t depth)
{
    const struct wiki_page *rows;
    struct list found;

    TRY(wiki_page_store_items(c, ids, n, wiki_spaces_readable(c), &found));
    rows = found.v;
    for (size_t i = 0; i < found.n; i++) {
        if (walk_has(w, rows[i].id))
            continue;
        if (w->n == w->max) {
            w->is_full = true;
            break;
        }
        w->nodes[w->n++] = (struct page_graph_node){rows[i].id, rows[i].title, rows[i].slug, rows[i].type, depth};
    }
    return ERR_OK;
}

static err walk_begin(struct ctx *c, const struct page_graph_wish *wish, struct page_walk *w)
{
    struct link_hub *hubs;
    struct wiki_page p;
    struct uuid *ids;
    size_t n;

    if (wish->root) {
        TRY(wiki_page_find(c, WIKI_PAGE, wish->root, &p));
        return page_graph_add(c, w, &p.id, 1, 0);
    }
    TRY(page_link_store_hubs(c, wiki_spaces_readable(c), wish->limit, &hubs, &n));
    ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    for (size_t i = 0; i < n; i++)
        ids[i] = hubs[i].id;
    return page_graph_add(c, w, ids, n, 0);
}

err page_graph_of(struct ctx *c, const struct page_graph_wish *wish, struct page_graph *out)
{
    struct page_walk w = {.nodes = ARENA_ARRAY(c->arena, struct page_graph_node, (size_t)wish->limit + 1), .max = (size_t)wish->limit};
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, w.max + 1), *ends;
    size_t from = 0, n_ends;

    TRY(walk_begin(c, wish, &w));
    for (int64_t depth = 1; depth <= wish->depth && from < w.n && !w.is_full; depth++) {
        size_t n = w.n - from;

        for (size_t i = 0; i < n; i++)
            ids[i] = w.nodes[from + i].id;
        from = w.n;
        TRY(page_link_store_around(c, ids, n, PAGE_GRAPH_EDGES, &ends, &n_ends));
        TRY(page_graph_add(c, &w, ends, n_ends, depth));
    }
    for (size_t i = 0; i < w.n; i++)
        ids[i] = w.nodes[i].id;
    *out = (struct page_graph){.nodes = {w.nodes, w.n}, .truncated = w.is_full};
    return page_link_store_between(c, ids, w.n, PAGE_GRAPH_EDGES, &out->edges);
}
