/* What a search reads: whole parts, or the cells of large ones that are near the query. */
#include "dense_search.h"

#include <math.h>
#include <string.h>

enum {
    BUCKETS = 1024, /* of limits, which are from −1 to 2 */
    ROUNDS = 3      /* of nearest cells, at most */
};

struct near_cells {
    float **limits;               /* by source, then cell; NULL: has none */
    float added;                  /* those from this limit on have been */
    size_t rows_in[BUCKETS], low; /* the rows of each, and where the next begin */
    int rounds;
};

static size_t bucket_of(float limit)
{
    float at = (limit + 1) * (BUCKETS / 3);

    return at < 0 ? 0 : at < BUCKETS - 1 ? (size_t)at : BUCKETS - 1;
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
    size_t visited = 0;

    s->allowed = ARENA_ARRAY(s->arena, const uint64_t *, s->n_sources);
    for (size_t i = 0; i < s->n_sources; i++)
        visited += allow_source(s, s->sources + i, s->allowed + i);
    s->pieces = ARENA_ARRAY(s->arena, struct piece, s->n_sources * (ROUNDS + 1));
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
                (struct piece){ .part = p,
                                .source = i,
                                .blocks = dense_words(p),
                                .wanted = p->cells ? by_slot(s, p, s->allowed[i]) : s->allowed[i] };
    }
}

/* ---- cells */

/* How far the rows of each cell are expected to reach, and how many rows there are in each bucket of that. */
static float *limits_of(struct search *s, const struct dense_cells *c, size_t *rows_in)
{
    float *limits = ARENA_ARRAY(s->arena, float, dense_cells_slots(c)),
          reach = s->options->exact ? c->reach_exact : c->reach;

    dense_cells_cosines(c, s->query, s->arena, limits);
    for (uint32_t cell = 0; cell < c->n; cell++) {
        limits[cell] = dense_cells_limit(c, cell, limits[cell], reach);
        rows_in[bucket_of(limits[cell])] += c->first[cell + 1] - c->first[cell];
    }
    return limits;
}

struct near_cells *dense_near_cells(struct search *s)
{
    struct near_cells *out = ARENA_NEW(s->arena, struct near_cells);
    bool some = false;

    out->limits = ARENA_ARRAY(s->arena, float *, s->n_sources);
    out->low = BUCKETS;
    out->added = INFINITY;
    for (uint32_t i = 0; i < s->n_sources; i++)
        if (dense_cells(s->sources[i].part)) {
            out->limits[i] = limits_of(s, s->sources[i].part->cells, out->rows_in);
            some = true;
        }
    return some ? out : NULL;
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

/* Adds a cell's blocks to those of the cells before it. Where two meet they may share one: each has the rows of its own. */
static size_t add_cell(const struct dense_cells *c, uint32_t cell, uint32_t *list, uint64_t *wanted, size_t n)
{
    uint32_t low = c->first[cell], high = c->first[cell + 1];

    for (uint32_t block = low / SCAN_BLOCK; low < high && block * SCAN_BLOCK < high; block++) {
        if (!n || list[n - 1] != block)
            list[n++] = block;
        wanted[n - 1] |= slots_between((size_t)block * SCAN_BLOCK, low, high);
    }
    return n;
}

/* Lists the cells whose limits are from low to high; returns how many. */
static uint32_t list_cells(const float *limits, uint32_t n, float low, float high, uint32_t *out)
{
    uint32_t listed = 0;

    for (uint32_t cell = 0; cell < n; cell++) {
        out[listed] = cell;
        listed += limits[cell] >= low && limits[cell] < high;
    }
    return listed;
}

static void add_cells_of(struct search *s, uint32_t source, const float *limits, float low, float high)
{
    const struct dense_part *p = s->sources[source].part;
    const struct dense_cells *c = p->cells;
    uint32_t *cells = ARENA_ARRAY(s->arena, uint32_t, c->n + 1u),
             n = list_cells(limits, c->n, low, high, cells), *list;
    size_t most = 0, blocks = 0;
    uint64_t *wanted;

    for (uint32_t i = 0; i < n; i++)
        most += (c->first[cells[i] + 1] - c->first[cells[i]]) / SCAN_BLOCK + 2;
    list = ARENA_ARRAY(s->arena, uint32_t, most);
    wanted = ARENA_ARRAY(s->arena, uint64_t, most);
    for (uint32_t i = 0; i < n; i++)
        blocks = add_cell(c, cells[i], list, wanted, blocks);
    s->trace.cells += n;
    if (blocks)
        s->pieces[s->n_pieces++] =
            (struct piece){ .part = p,
                            .source = source,
                            .blocks = blocks,
                            .list = list,
                            .wanted = wanted,
                            .check = s->allowed[source] == p->present ? NULL : s->allowed[source] };
}

/* Those from a limit on that were not yet. */
static void add_cells(struct search *s, struct near_cells *c, float low)
{
    for (uint32_t i = 0; i < s->n_sources; i++)
        if (c->limits[i])
            add_cells_of(s, i, c->limits[i], low, c->added);
    c->added = low;
}

bool dense_add_nearest(struct search *s, struct near_cells *c, size_t rows)
{
    size_t have = 0;

    while (c->low > 0 && (have < rows || c->rounds == ROUNDS - 1))
        have += c->rows_in[--c->low];
    c->rounds++;
    add_cells(s, c, c->low ? (float)c->low / (BUCKETS / 3) - 1 : -INFINITY);
    return c->low > 0;
}

void dense_add_within(struct search *s, struct near_cells *c, float floor)
{
    add_cells(s, c, floor);
}
