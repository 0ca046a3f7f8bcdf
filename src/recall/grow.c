/* Arrays that grow; see grow.h. */
#include "grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void *grow_add(struct grow *g, size_t k)
{
    void *at;

    if (g->n + k > g->cap) {
        size_t cap = g->cap ? g->cap + g->cap / 2 : 16;

        if (cap < g->n + k)
            cap = g->n + k;
        g->p = reallocarray(g->p, cap, g->size);
        assert(g->p);
        g->cap = cap;
    }
    at = g->n + k ? (char *)g->p + g->n * g->size : g->p;
    if (k)
        memset(at, 0, k * g->size);
    g->n += k;
    return at;
}

void *grow_take(struct grow *g, size_t *bytes)
{
    size_t n = g->n ? g->n * g->size : 1;
    void *p = realloc(g->p, n);

    assert(p);
    *bytes += n;
    *g = (struct grow){.size = g->size};
    return p;
}

void grow_done(struct grow *g)
{
    free(g->p);
    *g = (struct grow){.size = g->size};
}

static size_t grow_slot(const struct grow_map *m, uint64_t key)
{
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (m->cap - 1);

    while (m->keys[at] && m->keys[at] != key)
        at = (at + 1) & (m->cap - 1);
    return at;
}

static void grow_widen(struct grow_map *m)
{
    struct grow_map old = *m;

    m->cap = old.cap ? 2 * old.cap : 64;
    m->keys = calloc(m->cap, sizeof *m->keys);
    m->values = calloc(m->cap, sizeof *m->values);
    assert(m->keys && m->values);
    for (size_t i = 0; i < old.cap; i++) {
        if (!old.keys[i])
            continue;
        size_t at = grow_slot(m, old.keys[i]);

        m->keys[at] = old.keys[i];
        m->values[at] = old.values[i];
    }
    free(old.keys);
    free(old.values);
}

uint32_t *grow_map_at(struct grow_map *m, uint64_t key)
{
    size_t at;

    if (2 * m->n >= m->cap)
        grow_widen(m);
    at = grow_slot(m, key ? key : 1);
    if (!m->keys[at]) {
        m->keys[at] = key ? key : 1;
        m->values[at] = UINT32_MAX;
        m->n++;
    }
    return &m->values[at];
}

void grow_map_done(struct grow_map *m)
{
    free(m->keys);
    free(m->values);
    *m = (struct grow_map){0};
}
