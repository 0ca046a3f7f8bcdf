/* Ids and what they mean here; see transfer_map.h. */
#include "transfer_map.h"

#include <string.h>

#include "vector.h"

struct transfer_pair {
    struct uuid from, to;
    bool used;
};

#define ID_CHARS (UUID_TEXT - 1)

static struct transfer_pair *transfer_map_slot_of(struct transfer_pair *slots, size_t size, struct uuid id)
{
    size_t i = hash_bytes(id.b, sizeof id.b, 11) & (size - 1);

    while (slots[i].used && !uuid_eq(slots[i].from, id))
        i = (i + 1) & (size - 1);
    return &slots[i];
}

static void transfer_map_grow(struct transfer_map *m)
{
    size_t size = m->size ? 2 * m->size : 64;
    struct transfer_pair *slots = ARENA_ARRAY(m->arena, struct transfer_pair, size);

    for (size_t i = 0; i < m->size; i++)
        if (m->slots[i].used)
            *transfer_map_slot_of(slots, size, m->slots[i].from) = m->slots[i];
    m->slots = slots;
    m->size = size;
}

void transfer_map_add(struct transfer_map *m, struct uuid from, struct uuid to)
{
    struct transfer_pair *at;

    if (2 * m->n >= m->size)
        transfer_map_grow(m);
    at = transfer_map_slot_of(m->slots, m->size, from);
    m->n += !at->used;
    *at = (struct transfer_pair){from, to, true};
}

struct uuid transfer_map_of(const struct transfer_map *m, struct uuid id)
{
    const struct transfer_pair *at;

    if (!m->n)
        return id;
    at = transfer_map_slot_of(m->slots, m->size, id);
    return at->used ? at->to : id;
}

static void map_text(const struct transfer_map *m, struct arena *a, struct transfer_value *v)
{
    size_t n = strlen(v->text);
    struct uuid id, to;

    if (n < ID_CHARS || !uuid_parse(v->text + n - ID_CHARS, &id))
        return;
    to = transfer_map_of(m, id);
    if (!uuid_eq(id, to))
        v->text = arena_printf(a, "%.*s%s", (int)(n - ID_CHARS), v->text, UUID_STR(to));
}

static void map_vector(const struct transfer_map *m, struct arena *a, struct transfer_value *v)
{
    struct uuid model, to;
    const float *numbers;
    size_t dim;
    float norm;

    if (!vector_read_blob(a, v->bytes, &model, &numbers, &dim, &norm))
        return;
    to = transfer_map_of(m, model);
    if (!uuid_eq(model, to))
        v->bytes = vector_blob(a, to, numbers, dim, norm);
}

void transfer_map_row(const struct transfer_map *m, struct arena *a, struct transfer_row *row)
{
    for (size_t i = 0; m->n && i < row->table->n_columns; i++) {
        struct transfer_value *v = &row->v[i];

        if (v->is_null || v->is_left_out)
            continue;
        if (row->table->columns[i].type == TT_ID)
            v->uuid = transfer_map_of(m, v->uuid);
        else if (row->table->columns[i].type == TT_REF)
            map_text(m, a, v);
        else if (row->table->columns[i].type == TT_VECTOR)
            map_vector(m, a, v);
    }
}
