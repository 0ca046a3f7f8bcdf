/* Puts the rows of a large part into cells: rows that point the same way, as k-means over their bytes finds them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dense_learn.h"
#include "random.h"

enum {
    CELLS_PER_ROOT = 8,   /* of the number of rows: more cells are read less of, and looked at longer */
    ROWS_OF_A_CELL = 128, /* at least, on average: fewer do not fill the blocks they are read in */
    ROUNDS = 4,
    SAMPLE = 16 /* rows for each cell that it is learned from */
};

/* A part whose rows are being put into cells. */
struct learning {
    const struct dense_part *part;
    struct dense_cells *cells;
    uint32_t *rows; /* all of the part: the n that have a vector, then the others */
    size_t n;
};

/* ---- learning */

static const int8_t *bytes_of(const struct dense_part *p, uint32_t row)
{
    return p->bytes + (size_t)dense_slot(p, row) * codec_width(p->codec);
}

/* In the first round, the first rows of the sample are the centres. */
static void learn_round(const struct learning *l, const uint32_t *sample, size_t n, bool first)
{
    const struct codec *codec = l->part->codec;
    size_t width = codec_width(codec);
    float *sums = dense_room(l->cells->n * width, sizeof *sums);
    struct cell_finder *finder = cell_finder_new(l->cells, codec);

    for (size_t i = 0; i < (first ? l->cells->n : n); i++) {
        const int8_t *bytes = bytes_of(l->part, sample[i]);
        size_t cell = first ? i : cell_finder_find(finder, bytes);

        dense_add_direction(sums + cell * width, codec, bytes);
    }
    for (uint32_t i = 0; i < l->cells->n; i++)
        dense_cells_set(l->cells, codec, i, sums + i * width);
    cell_finder_free(finder);
    free(sums);
}

static uint32_t cells_for(size_t rows)
{
    double by_root = CELLS_PER_ROOT * sqrt((double)rows), by_rows = (double)rows / ROWS_OF_A_CELL;

    return (uint32_t)fmax(fmin(by_root, by_rows), 1);
}

/* From rows drawn without regard to what they are. */
static void learn(struct learning *l)
{
    uint32_t cells = cells_for(l->n);
    size_t n = (size_t)cells * SAMPLE;
    uint32_t *sample = dense_room(n, sizeof *sample);
    uint64_t state = l->n;

    l->cells = dense_cells_new(cells, codec_width(l->part->codec));
    for (size_t i = 0; l->n && i < n; i++)
        sample[i] = l->rows[random_next(&state) % l->n];
    for (int round = 0; l->n && round <= ROUNDS; round++)
        learn_round(l, sample, n, round == 0);
    free(sample);
}

/* ---- putting rows into cells */

static void list_rows(struct learning *l)
{
    size_t n = dense_rows(l->part), at = 0;

    l->rows = dense_room(n + 1, sizeof *l->rows);
    for (int has = 1; has >= 0; has--) {
        for (uint32_t r = 0; r < n; r++)
            if (dense_has(l->part, r) == has)
                l->rows[at++] = r;
        l->n = has ? at : l->n;
    }
}

/* By cell, in their order within each. */
static void sort_rows(struct learning *l)
{
    uint32_t *cell = dense_room(l->n, sizeof *cell), *sorted = dense_room(l->n, sizeof *sorted);
    uint32_t *first = l->cells->first, *next = dense_room(l->cells->n + 1u, sizeof *next);
    struct cell_finder *finder = cell_finder_new(l->cells, l->part->codec);

    for (size_t i = 0; i < l->n; i++) {
        cell[i] = cell_finder_find(finder, bytes_of(l->part, l->rows[i]));
        first[cell[i] + 1]++;
    }
    for (uint32_t i = 0; i < l->cells->n; i++)
        next[i + 1] = first[i + 1] += first[i];
    for (size_t i = 0; i < l->n; i++)
        sorted[next[cell[i]]++] = l->rows[i];
    memcpy(l->rows, sorted, l->n * sizeof *sorted);
    free(cell);
    free(sorted);
    free(next);
    cell_finder_free(finder);
}

struct dense_part *dense_in_cells(const struct dense_part *p, const struct dense_part *like)
{
    struct learning l = {.part = p};
    struct dense_part *out;

    list_rows(&l);
    if (like && like->cells)
        l.cells = dense_cells_like(like->cells);
    else
        learn(&l);
    sort_rows(&l);
    out = dense_reordered(p, l.rows);
    if (!out) {
        free(l.rows);
        dense_cells_free(l.cells);
        return NULL;
    }
    cells_set_leans(l.cells, out);
    cells_set_reach(l.cells, p, out);
    out->cells = l.cells;
    return out;
}
