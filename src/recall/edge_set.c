/* Edges in memory; see edge_set.h. */
#include "edge_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "str.h"

#define SETS_MAX 64

struct edge_builder {
    struct grow rows, names;
    struct grow_map name_of;
    bool is_mixed; /* ids do not ascend */
};

struct edge_builder *edge_builder_new(void)
{
    struct edge_builder *b = calloc(1, sizeof *b);

    assert(b);
    b->rows.size = sizeof(struct edge_row);
    b->names.size = 1;
    return b;
}

void edge_builder_free(struct edge_builder *b)
{
    if (!b)
        return;
    grow_done(&b->rows);
    grow_done(&b->names);
    grow_map_done(&b->name_of);
    free(b);
}

static uint32_t name_at(struct edge_builder *b, const char *relation)
{
    size_t n = strlen(relation) + 1;

    for (uint64_t key = hash_bytes(relation, n, 2);; key++) {
        uint32_t *at = grow_map_at(&b->name_of, key);

        if (*at == UINT32_MAX) {
            *at = (uint32_t)b->names.n;
            memcpy(grow_add(&b->names, n), relation, n);
            return *at;
        }
        if (strcmp((const char *)b->names.p + *at, relation) == 0)
            return *at;
    }
}

void edge_builder_add(struct edge_builder *b, const struct edge_row *row, const char *relation)
{
    struct edge_row *at;

    b->is_mixed |= b->rows.n && uuid_cmp(((const struct edge_row *)b->rows.p)[b->rows.n - 1].id, row->id) >= 0;
    at = grow_add(&b->rows, 1);
    *at = *row;
    at->relation = name_at(b, relation);
}

static struct uuid end_of(const struct edge_set *s, bool by_target, uint32_t i)
{
    return by_target ? s->rows[i].target : s->rows[i].source;
}

struct end {
    const struct edge_set *set;
    bool by_target;
};

static int by_end(const void *a, const void *b, void *arg)
{
    const struct end *e = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = uuid_cmp(end_of(e->set, e->by_target, x), end_of(e->set, e->by_target, y));

    return order ? order : x < y ? -1 : x > y;
}

static uint32_t *sorted(struct edge_set *s, bool by_target)
{
    struct grow g = {.size = sizeof(uint32_t)};
    uint32_t *order = grow_add(&g, s->n);

    for (uint32_t i = 0; i < s->n; i++)
        order[i] = i;
    qsort_r(order, s->n, sizeof *order, by_end, &(struct end){s, by_target});
    return grow_take(&g, &s->bytes);
}

static int edge_by_id(const void *a, const void *b)
{
    return uuid_cmp(((const struct edge_row *)a)->id, ((const struct edge_row *)b)->id);
}

struct edge_set *edge_build(struct edge_builder *b)
{
    struct edge_set *s;

    if (!b->rows.n)
        return NULL;
    s = calloc(1, sizeof *s);
    assert(s);
    *s = (struct edge_set){.n = (uint32_t)b->rows.n, .bytes = sizeof *s, .refs = 1};
    s->rows = grow_take(&b->rows, &s->bytes);
    if (b->is_mixed)
        qsort(s->rows, s->n, sizeof *s->rows, edge_by_id);
    b->is_mixed = false;
    s->names = grow_take(&b->names, &s->bytes);
    s->by_source = sorted(s, false);
    s->by_target = sorted(s, true);
    grow_map_done(&b->name_of);
    return s;
}

static uint32_t next_live(const struct edge_set *s, const uint64_t *live, uint32_t r)
{
    while (r < s->n && live && !(live[r >> 6] >> (r & 63) & 1))
        r++;
    return r;
}

struct edge_set *edge_set_merge(const struct edge_set *const *in, const uint64_t *const *live, size_t n)
{
    struct edge_builder *b = edge_builder_new();
    struct edge_set *out;
    uint32_t at[SETS_MAX];

    assert(n <= SETS_MAX);
    for (size_t i = 0; i < n; i++)
        at[i] = next_live(in[i], live[i], 0);
    for (;;) {
        size_t least = n;
        const struct edge_row *row;

        for (size_t i = 0; i < n; i++)
            if (at[i] < in[i]->n && (least == n || uuid_cmp(in[i]->rows[at[i]].id, in[least]->rows[at[least]].id) < 0))
                least = i;
        if (least == n)
            break;
        row = &in[least]->rows[at[least]];
        edge_builder_add(b, row, in[least]->names + row->relation);
        at[least] = next_live(in[least], live[least], at[least] + 1);
    }
    out = edge_build(b);
    edge_builder_free(b);
    return out;
}

struct edge_set *edge_set_hold(struct edge_set *s)
{
    __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

void edge_set_drop(struct edge_set *s)
{
    if (!s || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    free(s->rows);
    free(s->names);
    free(s->by_source);
    free(s->by_target);
    free(s);
}

uint32_t edge_set_find(const struct edge_set *s, struct uuid id)
{
    uint32_t low = 0, high = s->n;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int order = uuid_cmp(s->rows[mid].id, id);

        if (order == 0)
            return mid;
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return UINT32_MAX;
}

uint32_t edge_set_first(const struct edge_set *s, bool by_target, struct uuid node)
{
    const uint32_t *order = by_target ? s->by_target : s->by_source;
    uint32_t low = 0, high = s->n;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (uuid_cmp(end_of(s, by_target, order[mid]), node) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
