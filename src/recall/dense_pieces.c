/* What a search reads: whole parts, or the cells of large ones that are near the query. */
#include <stdlib.h>
#include <string.h>

#include "dense_search.h"

struct near_cell {
    float limit;
    uint32_t source, cell;
    bool taken;
};

struct near_cells {
    struct near_cell *at;        /* the highest limit first */
    size_t n;
};

static size_t allow_source(struct search *s, const struct dense_source *source, const uint64_t **allowed)
{
    const struct dense_part *p = source->part;
    size_t visited = 0;
    uint64_t *words;

    *allowed = p->present;
    if (!source->filter) {
        s->trace.allowed += p->vectors;
        return dense_words(p) * SCAN_BLOCK;
    }
    words = ARENA_ARRAY(s->arena, uint64_t, dense_words(p));
    for (size_t b = 0; b < dense_words(p); b++) {
        words[b] = source->filter[b] & p->present[b];
        s->trace.allowed += (size_t)__builtin_popcountll(words[b]);
        visited += words[b] ? SCAN_BLOCK : 0;
    }
    *allowed = words;
    return visited;
}

size_t dense_allow(struct search *s)
{
    size_t visited = 0, most = s->n_sources;

    s->allowed = ARENA_ARRAY(s->arena, const uint64_t *, s->n_sources);
    for (size_t i = 0; i < s->n_sources; i++) {
        visited += allow_source(s, s->sources + i, s->allowed + i);
        most += dense_cells(s->sources[i].part);
    }
    s->pieces = ARENA_ARRAY(s->arena, struct piece, most);
    return visited;
}

/* The allowed rows of a part in cells, few of them, by slot. */
static const uint64_t *by_slot(struct search *s, const struct dense_part *p, const uint64_t *allowed)
{
    uint64_t *out = ARENA_ARRAY(s->arena, uint64_t, dense_words(p));

    for (size_t b = 0; b < dense_words(p); b++)
        for (uint64_t left = allowed[b]; left; left &= left - 1) {
            uint32_t slot = p->slot_of[b * SCAN_BLOCK + (size_t)__builtin_ctzll(left)];

            out[slot / SCAN_BLOCK] |= UINT64_C(1) << slot % SCAN_BLOCK;
        }
    return out;
}

void dense_add_whole(struct search *s, bool all)
{
    for (uint32_t i = 0; i < s->n_sources; i++) {
        const struct dense_part *p = s->sources[i].part;

        if (all || !p->cells)
            s->pieces[s->n_pieces++] =
                (struct piece){ .part = p, .source = i, .blocks = dense_words(p),
                                .wanted = p->cells ? by_slot(s, p, s->allowed[i]) : s->allowed[i] };
    }
}

/* ---- cells */

static int higher_limit(const void *a, const void *b)
{
    const struct near_cell *x = a, *y = b;

    if (x->limit > y->limit || x->limit < y->limit)
        return x->limit > y->limit ? -1 : 1;
    return x->source != y->source ? (x->source < y->source ? -1 : 1) : x->cell < y->cell ? -1 : x->cell > y->cell;
}

struct near_cells *dense_near_cells(struct search *s)
{
    struct near_cells *out = ARENA_NEW(s->arena, struct near_cells);
    size_t most = 0;

    for (size_t i = 0; i < s->n_sources; i++)
        most += dense_cells(s->sources[i].part);
    if (!most)
        return NULL;
    out->at = ARENA_ARRAY(s->arena, struct near_cell, most);
    for (uint32_t i = 0; i < s->n_sources; i++) {
        const struct dense_cells *c = s->sources[i].part->cells;
        float *cosines;

        if (!c)
            continue;
        cosines = ARENA_ARRAY(s->arena, float, c->n);
        dense_cells_cosines(c, s->query, cosines);
        for (uint32_t cell = 0; cell < c->n; cell++)
            out->at[out->n++] =
                (struct near_cell){ dense_cells_limit(c, cell, cosines[cell], s->options->exact ? c->reach_exact : c->reach), i,
                                    cell, false };
    }
    qsort(out->at, out->n, sizeof *out->at, higher_limit);
    return out;
}

/* Of the slots of a block, those from low to high whose rows are allowed. */
static uint64_t allowed_slots(const struct dense_part *p, const uint64_t *allowed, size_t block, uint32_t low, uint32_t high)
{
    size_t from = block * SCAN_BLOCK, to = from + SCAN_BLOCK;
    uint64_t word = 0;

    from = from < low ? low : from;
    to = to > high ? high : to;
    for (size_t slot = from; slot < to; slot++) {
        uint32_t row = p->row_of[slot];

        word |= (allowed[row / SCAN_BLOCK] >> row % SCAN_BLOCK & 1) << slot % SCAN_BLOCK;
    }
    return word;
}

/* Adds a cell's piece, and returns how many rows it has to offer. Cells share blocks where they meet: each has the rows
 * that are its own. */
static size_t add_cell(struct search *s, struct near_cell *near)
{
    const struct dense_part *p = s->sources[near->source].part;
    const uint64_t *allowed = s->allowed[near->source];
    uint32_t low = p->cells->first[near->cell], high = p->cells->first[near->cell + 1];
    size_t first = low / SCAN_BLOCK, blocks = low < high ? (high - 1) / SCAN_BLOCK + 1 - first : 0, rows = 0;
    uint64_t *wanted = ARENA_ARRAY(s->arena, uint64_t, blocks);

    for (size_t b = 0; b < blocks; b++) {
        wanted[b] = allowed_slots(p, allowed, first + b, low, high);
        rows += (size_t)__builtin_popcountll(wanted[b]);
    }
    near->taken = true;
    s->trace.cells++;
    if (rows)
        s->pieces[s->n_pieces++] =
            (struct piece){ .part = p, .source = near->source, .first = first, .blocks = blocks, .wanted = wanted };
    return rows;
}

void dense_add_nearest(struct search *s, struct near_cells *c, size_t rows)
{
    size_t have = 0;

    for (size_t i = 0; i < c->n && have < rows; i++)
        have += add_cell(s, c->at + i);
}

void dense_add_within(struct search *s, struct near_cells *c, float floor)
{
    for (size_t i = 0; i < c->n && c->at[i].limit >= floor; i++)
        if (!c->at[i].taken)
            add_cell(s, c->at + i);
}
