/* Reading rows of nodes, and keeping them; see node_row.h. */
#include "node_row.h"

#include "app.h"
#include "changes.h"
#include "db.h"
#include "node_cache.h"
#include "node_store.h"

/* NULL: rows are read as the transaction sees them, or nothing is kept. */
static struct node_cache *node_row_cache_of(struct ctx *c)
{
    return c->app && !db_in_tx(c) ? c->app->node_cache : NULL;
}

/* Nothing is used or kept where locks of other programs cannot be seen. */
static uint64_t node_row_listen(struct ctx *c)
{
    return db_is_home(c) ? changes_listen(c->app) : 0;
}

/* A row is kept in memory when no transaction had it locked as it was read: one that changes it later tells so before it
 * commits. */
err node_row_read(struct ctx *c, struct uuid id, bool *found, struct node *out)
{
    struct node_cache *cache = node_row_cache_of(c);
    const struct node_key key = {c->account_id, id};
    struct node_moment at;

    if (!cache)
        return node_store_get(c, id, found, out);
    if (node_cache_find(cache, node_row_listen(c), &key, c->arena, out, &at)) {
        *found = true;
        return ERR_OK;
    }
    if (!at.subscription)
        return node_store_get(c, id, found, out);
    TRY(node_store_get_settled(c, id, found, out));
    if (!*found)
        return node_store_get(c, id, found, out);
    node_cache_keep(cache, &at, &key, out);
    return ERR_OK;
}

/* ---- many */

struct reading {
    struct node_cache *cache;
    uint64_t subscription;
    const struct uuid *ids;
    size_t n, chars;
    struct node_content *out;
    struct node_moment *at; /* of each */
};

static void node_row_cut(struct ctx *c, struct node_content *one, size_t chars)
{
    size_t bytes = str_first_bytes(one->node.body, chars);

    one->body_cut = one->node.body[bytes] != 0;
    if (one->body_cut)
        one->node.body = arena_strndup(c->arena, one->node.body, bytes);
}

static void find_in_memory(struct ctx *c, struct reading *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct node_key key = {c->account_id, r->ids[i]};
        struct node_content *one = &r->out[i];

        one->found = node_cache_find_content(r->cache, r->subscription, &key, c->arena, &one->node, &r->at[i]);
        if (one->found)
            node_row_cut(c, one, r->chars);
    }
}

static void node_row_take(struct ctx *c, struct reading *r, size_t i, const struct node *row, bool settled)
{
    const struct node_key key = {c->account_id, row->id};
    struct node_content *one = &r->out[i];

    *one = (struct node_content){.node = *row, .found = true};
    one->node.excerpt = NULL;
    node_row_cut(c, one, r->chars);
    if (settled && !one->body_cut)
        node_cache_keep(r->cache, &r->at[i], &key, &one->node);
}

/* Those that were not found yet. */
static err read_rest(struct ctx *c, struct reading *r, bool settled)
{
    struct uuid *open = ARENA_ARRAY(c->arena, struct uuid, r->n + 1);
    struct node *rows = ARENA_ARRAY(c->arena, struct node, r->n + 1);
    size_t n_open = 0, n = 0;

    for (size_t i = 0; i < r->n; i++)
        if (!r->out[i].found)
            open[n_open++] = r->ids[i];
    if (n_open)
        TRY(node_store_get_many(c, open, n_open, (int64_t)r->chars + 1, settled, rows, &n));
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < r->n; i++)
            if (uuid_eq(r->ids[i], rows[k].id))
                node_row_take(c, r, i, &rows[k], settled);
    return ERR_OK;
}

err node_contents_read(struct ctx *c, const struct uuid *ids, size_t n, size_t chars, struct node_content *out)
{
    struct reading r = {node_row_cache_of(c), 0, ids, n, chars, out, ARENA_ARRAY(c->arena, struct node_moment, n + 1)};

    if (r.cache)
        r.subscription = node_row_listen(c);
    find_in_memory(c, &r);
    if (r.subscription)
        TRY(read_rest(c, &r, true));
    return read_rest(c, &r, false);
}
