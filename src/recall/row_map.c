/* See row_map.h. */
#include "row_map.h"

static size_t row_map_slot(const struct row_map *m, uint64_t key)
{
    size_t at = (size_t)((key + 1) * 0x9e3779b97f4a7c15u >> 24) & (m->cap - 1);

    while (m->keys[at] && m->keys[at] != key + 1)
        at = (at + 1) & (m->cap - 1);
    return at;
}

static void row_map_widen(struct row_map *m)
{
    struct row_map old = *m;

    m->cap = old.cap ? 2 * old.cap : 256;
    m->keys = ARENA_ARRAY(m->arena, uint64_t, m->cap);
    m->values = ARENA_ARRAY(m->arena, uint32_t, m->cap);
    for (size_t i = 0; i < old.cap; i++)
        if (old.keys[i]) {
            size_t at = row_map_slot(m, old.keys[i] - 1);

            m->keys[at] = old.keys[i];
            m->values[at] = old.values[i];
        }
}

uint32_t *row_map_at(struct row_map *m, uint64_t key)
{
    size_t at;

    if (2 * m->n >= m->cap)
        row_map_widen(m);
    at = row_map_slot(m, key);
    if (!m->keys[at]) {
        m->keys[at] = key + 1;
        m->values[at] = NO_PLACE;
        m->n++;
    }
    return &m->values[at];
}

uint32_t row_map_get(const struct row_map *m, uint64_t key)
{
    size_t at;

    if (!m->cap)
        return NO_PLACE;
    at = row_map_slot(m, key);
    return m->keys[at] ? m->values[at] : NO_PLACE;
}
