/* Chunks of a text by difference; see chunk_diff.h. */
#include "chunk_diff.h"

#include <string.h>

#include "app.h"
#include "chunker.h"
#include "content.h"
#include "limit.h"
#include "node_many.h"

#define NODES_AT_ONCE 500

static const char *chunk_title(struct ctx *c, const char *name, const char *path)
{
    char *title = path ? arena_printf(c->arena, "%s › %s", name, path) : arena_strdup(c->arena, name);

    title[str_first_bytes(title, LIMIT_TITLE)] = 0;
    return title;
}

struct chunk_text chunk_text_of(struct ctx *c, const char *name, const char *text, const struct chunk_cut *cut)
{
    struct chunk_text t = {.title = chunk_title(c, name, cut->heading_path),
                           .body = arena_strndup(c->arena, text + cut->start, cut->end - cut->start)};

    t.hash = content_hash(c->arena, t.title, t.body, NULL);
    return t;
}

/* The old chunks by hash: open addressing, every equal one in a place of its own, in the order of the old text. */
struct kept_table {
    const struct chunk_kept *rows;
    size_t n, mask;
    uint32_t *slots; /* index + 1; 0: free */
    bool *is_taken;
};

static void kept_table_make(struct ctx *c, struct kept_table *t)
{
    size_t size = 16;

    while (size < 2 * t->n)
        size *= 2;
    t->mask = size - 1;
    t->slots = ARENA_ARRAY(c->arena, uint32_t, size);
    t->is_taken = ARENA_ARRAY(c->arena, bool, t->n + 1);
    memset(t->slots, 0, size * sizeof *t->slots);
    memset(t->is_taken, 0, t->n + 1);
    for (size_t i = 0; i < t->n; i++) {
        size_t at = hash_bytes(t->rows[i].embed_hash.p, t->rows[i].embed_hash.n, 1) & t->mask;

        while (t->slots[at])
            at = (at + 1) & t->mask;
        t->slots[at] = (uint32_t)i + 1;
    }
}

/* NULL: no old chunk that is still free says the same. */
static const struct chunk_kept *kept_table_take(struct kept_table *t, struct bytes hash)
{
    for (size_t at = hash_bytes(hash.p, hash.n, 1) & t->mask; t->slots[at]; at = (at + 1) & t->mask) {
        size_t i = t->slots[at] - 1;

        if (t->is_taken[i] || t->rows[i].embed_hash.n != hash.n || memcmp(t->rows[i].embed_hash.p, hash.p, hash.n) != 0)
            continue;
        t->is_taken[i] = true;
        return &t->rows[i];
    }
    return NULL;
}

static err chunk_nodes_put(struct ctx *c, const struct chunk_diff *d)
{
    struct node_new *fresh = ARENA_ARRAY(c->arena, struct node_new, d->n_made + 1);
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++)
        if (!uuid_is_nil(d->nodes[i].id))
            fresh[n++] = d->nodes[i];
    for (size_t i = 0; i < n; i += NODES_AT_ONCE)
        TRY(node_put_many(c, fresh + i, n - i < NODES_AT_ONCE ? n - i : NODES_AT_ONCE));
    return n && c->app->vectors_later ? c->app->vectors_later(c, d->made, n) : ERR_OK;
}

err chunk_diff_put(struct ctx *c, struct uuid space_id, struct chunk_diff *d)
{
    struct kept_table t = {.rows = d->old, .n = d->n_old};

    kept_table_make(c, &t);
    d->ids = ARENA_ARRAY(c->arena, struct uuid, d->n + 1);
    d->made = ARENA_ARRAY(c->arena, struct uuid, d->n + 1);
    d->gone = ARENA_ARRAY(c->arena, struct uuid, t.n + 1);
    d->n_made = d->n_gone = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct chunk_kept *same = kept_table_take(&t, d->hashes[i]);

        d->nodes[i].id = same ? (struct uuid){0} : uuid_new(c->now.us);
        d->ids[i] = same ? same->id : d->nodes[i].id;
        if (!same)
            d->made[d->n_made++] = d->ids[i];
    }
    for (size_t i = 0; i < t.n; i++)
        if (!t.is_taken[i])
            d->gone[d->n_gone++] = t.rows[i].id;
    TRY(chunk_nodes_put(c, d));
    return node_drop_many(c, space_id, d->gone, d->n_gone);
}
