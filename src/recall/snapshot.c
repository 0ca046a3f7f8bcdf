/* Reading a snapshot; see snapshot.h. */
#include "snapshot.h"

#include <stdlib.h>

struct row_at snapshot_at(const struct snapshot *s, uint32_t row)
{
    uint32_t i = snapshot_segment(s, row);

    return (struct row_at){s->segments[i], row - s->base[i]};
}

struct uuid snapshot_id(const struct snapshot *s, uint32_t row)
{
    struct row_at at = snapshot_at(s, row);

    return at.in->ids[at.r];
}

uint32_t snapshot_find(const struct snapshot *s, struct uuid id)
{
    for (size_t i = s->n_segments; i-- > 0;) {
        uint32_t r = segment_find(s->segments[i], id);

        if (r != NO_ROW && bit_is_set(s->live, s->base[i] + r))
            return s->base[i] + r;
    }
    return NO_ROW;
}

static int snapshot_by_score(const void *a, const void *b, void *arg)
{
    const struct scored *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->row == y->row ? 0 : uuid_cmp(snapshot_id(arg, x->row), snapshot_id(arg, y->row));
}

void snapshot_sort(const struct snapshot *s, struct scored *list, size_t n)
{
    if (n > 1)
        qsort_r(list, n, sizeof *list, snapshot_by_score, (void *)(uintptr_t)s);
}

/* ---- edges ---------------------------------------------------------------------------------------------- */

const struct edge_row *snapshot_find_edge(const struct snapshot *s, struct uuid id)
{
    for (size_t i = s->n_edge_sets; i-- > 0;) {
        uint32_t r = edge_set_find(s->edge_sets[i], id);

        if (r != UINT32_MAX && bit_is_set(s->edge_live[i], r))
            return &s->edge_sets[i]->rows[r];
    }
    return NULL;
}

static bool snapshot_holds(const struct edge_row *e, int64_t as_of)
{
    if ((e->flags & EDGE_OUT_OF_USE) || e->retired)
        return false;
    return !as_of || ((!e->valid_from || e->valid_from <= as_of) && (!e->valid_to || as_of < e->valid_to));
}

struct edges_out {
    struct edge_end *at;
    size_t n, cap;
};

static void snapshot_put(struct arena *a, struct edges_out *out, struct edge_end e)
{
    if (out->n == out->cap) {
        size_t cap = out->cap ? 2 * out->cap : 8;
        struct edge_end *at = ARENA_ARRAY(a, struct edge_end, cap);

        for (size_t i = 0; i < out->n; i++)
            at[i] = out->at[i];
        out->at = at;
        out->cap = cap;
    }
    out->at[out->n++] = e;
}

static void from_set(const struct snapshot *s, size_t set, struct uuid node, bool by_target, int64_t as_of, struct arena *a,
                     struct edges_out *out)
{
    const struct edge_set *e = s->edge_sets[set];
    const uint32_t *order = by_target ? e->by_target : e->by_source;

    for (uint32_t i = edge_set_first(e, by_target, node); i < e->n; i++) {
        const struct edge_row *row = &e->rows[order[i]];
        uint32_t other;

        if (!uuid_eq(by_target ? row->target : row->source, node))
            return;
        if (!bit_is_set(s->edge_live[set], order[i]) || !snapshot_holds(row, as_of))
            continue;
        other = snapshot_find(s, by_target ? row->source : row->target);
        if (other != NO_ROW)
            snapshot_put(a, out, (struct edge_end){row, e->names + row->relation, other, !by_target});
    }
}

static int by_edge(const void *a, const void *b)
{
    const struct edge_end *x = a, *y = b;
    int order = uuid_cmp(x->edge->id, y->edge->id);

    return order ? order : (int)y->outward - (int)x->outward;
}

size_t snapshot_edges(const struct snapshot *s, uint32_t row, int64_t as_of, struct arena *a, struct edge_end **out)
{
    struct edges_out list = {0};
    struct uuid node = snapshot_id(s, row);

    for (size_t i = 0; i < s->n_edge_sets; i++) {
        from_set(s, i, node, false, as_of, a, &list);
        from_set(s, i, node, true, as_of, a, &list);
    }
    if (list.n > 1)
        qsort(list.at, list.n, sizeof *list.at, by_edge);
    *out = list.at;
    return list.n;
}
