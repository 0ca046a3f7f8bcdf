/* What a search reads: whole parts, or the cells of large ones that are near the query. */
#include "dense_search.h"

struct near_cell {
    float limit;
    uint32_t source, cell;
};

struct near_cells {
    struct near_cell *at;        /* those not looked into yet */
    size_t n;
};

static bool is_nearer(const struct near_cell *x, const struct near_cell *y)
{
    if (x->limit > y->limit || x->limit < y->limit)
        return x->limit > y->limit;
    return x->source != y->source ? x->source < y->source : x->cell < y->cell;
}

static size_t allow_source(struct search *s, const struct dense_source *source, const uint64_t **allowed)
{
    const struct dense_part *p = source->part;
    size_t visited = 0;
    uint64_t *words, left_out = 0;

    *allowed = p->present;
    if (!source->filter) {
        s->trace.allowed += p->vectors;
        return dense_words(p) * SCAN_BLOCK;
    }
    words = ARENA_ARRAY(s->arena, uint64_t, dense_words(p));
    for (size_t b = 0; b < dense_words(p); b++) {
        words[b] = source->filter[b] & p->present[b];
        s->trace.allowed += (size_t)__builtin_popcountll(words[b]);
        left_out |= words[b] ^ p->present[b];
        visited += words[b] ? SCAN_BLOCK : 0;
    }
    if (left_out)
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

/* A heap: no cell is farther than the two below it. Only the first few are ever wanted in order. */
static void sift(struct near_cells *c, size_t i)
{
    struct near_cell moving = c->at[i];

    for (size_t child; (child = 2 * i + 1) < c->n; i = child) {
        child += child + 1 < c->n && is_nearer(&c->at[child + 1], &c->at[child]);
        if (!is_nearer(&c->at[child], &moving))
            break;
        c->at[i] = c->at[child];
    }
    c->at[i] = moving;
}

static struct near_cell take_nearest(struct near_cells *c)
{
    struct near_cell nearest = c->at[0];

    c->at[0] = c->at[--c->n];
    if (c->n)
        sift(c, 0);
    return nearest;
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
                                    cell };
    }
    for (size_t i = out->n / 2; i-- > 0;)
        sift(out, i);
    return out;
}

/* Of the slots of a block, those from low to high; there are some. */
static uint64_t slots_between(size_t first, uint32_t low, uint32_t high)
{
    uint64_t word = UINT64_MAX;

    if (first < low)
        word &= UINT64_MAX << (low - first);
    if (first + SCAN_BLOCK > high)
        word &= UINT64_MAX >> (first + SCAN_BLOCK - high);
    return word;
}

/* Whether no row of the part is left out. */
static bool has_all(const struct dense_part *p, const uint64_t *allowed)
{
    return allowed == p->present;
}

/* Adds a cell's piece. Cells share blocks where they meet: each has the rows that are its own. */
static void add_cell(struct search *s, const struct near_cell *near)
{
    const struct dense_part *p = s->sources[near->source].part;
    uint32_t low = p->cells->first[near->cell], high = p->cells->first[near->cell + 1];
    size_t first = low / SCAN_BLOCK, blocks = low < high ? (high - 1) / SCAN_BLOCK + 1 - first : 0;
    uint64_t *wanted = ARENA_ARRAY(s->arena, uint64_t, blocks);

    for (size_t b = 0; b < blocks; b++)
        wanted[b] = slots_between((first + b) * SCAN_BLOCK, low, high);
    s->trace.cells++;
    if (blocks)
        s->pieces[s->n_pieces++] =
            (struct piece){ .part = p, .source = near->source, .first = first, .blocks = blocks, .wanted = wanted,
                            .check = has_all(p, s->allowed[near->source]) ? NULL : s->allowed[near->source] };
}

/* How many rows of a cell may be found. */
static size_t rows_of(const struct search *s, const struct near_cell *near)
{
    const struct dense_part *p = s->sources[near->source].part;
    const uint64_t *allowed = s->allowed[near->source];
    uint32_t low = p->cells->first[near->cell], high = p->cells->first[near->cell + 1];
    size_t rows = 0;

    if (has_all(p, allowed))
        return high - low;
    for (uint32_t slot = low; slot < high; slot++) {
        uint32_t row = p->row_of[slot];

        rows += allowed[row / SCAN_BLOCK] >> row % SCAN_BLOCK & 1;
    }
    return rows;
}

void dense_add_nearest(struct search *s, struct near_cells *c, size_t rows)
{
    size_t have = 0;

    while (c->n && have < rows) {
        struct near_cell nearest = take_nearest(c);

        add_cell(s, &nearest);
        have += rows_of(s, &nearest);
    }
}

void dense_add_within(struct search *s, struct near_cells *c, float floor)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i].limit >= floor)
            add_cell(s, c->at + i);
}
