/* Learning cells of a large part: k-means over the directions of its rows, in int8; and how far a cell reaches. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dense_part.h"
#include "random.h"

enum {
    CELLS_PER_ROOT = 2,          /* of the number of rows: more cells are read less of, and looked at longer */
    ROUNDS = 6,
    SAMPLE = 32,                 /* rows for each cell that it is learned from */
    ASKED = 256,                 /* rows whose nearest are looked for, to see how far cells reach */
    NEAREST = 10
};

/* Of the nearest rows that the limits of their cells must cover; and how much further an exact search looks than for all. */
#define COVERED 0.9985
#define EXACT_MORE 1.1f

/* A part whose rows are being put into cells. */
struct learning {
    const struct dense_part *part;
    const struct simd_kernels *simd;
    struct dense_cells *cells;
    uint32_t *rows;              /* all of the part: the n that have a vector, then the others */
    size_t n;
};

static void *room(size_t n, size_t size)
{
    void *p = aligned_alloc(64, (n * size + 63) / 64 * 64 + 64);

    assert(p);
    return memset(p, 0, (n * size + 63) / 64 * 64 + 64);
}

/* ---- cells */

struct dense_cells *dense_cells_new(uint32_t n, size_t width)
{
    struct dense_cells *c = room(1, sizeof *c);

    *c = (struct dense_cells){ .n = n, .width = width, .first = room(n + 1u, sizeof *c->first), .bytes = room(n, width),
                               .scales = room(n, sizeof *c->scales), .lean = room(n, sizeof *c->lean) };
    return c;
}

void dense_cells_free(struct dense_cells *c)
{
    if (!c)
        return;
    free(c->first);
    free(c->bytes);
    free(c->scales);
    free(c->lean);
    free(c);
}

size_t dense_cells_bytes(const struct dense_cells *c)
{
    return c ? sizeof *c + c->n * (c->width + sizeof *c->first + sizeof *c->scales + sizeof *c->lean) : 0;
}

size_t dense_cells(const struct dense_part *p)
{
    return p->cells ? p->cells->n : 0;
}

/* dots · scales; both of n. */
static void dots_with(const struct dense_cells *c, const struct simd_kernels *simd, const int8_t *bytes, float *out)
{
    enum { PIECE = 256 };
    uint32_t rows[PIECE];
    int32_t dots[PIECE];

    for (uint32_t at = 0; at < c->n; at += PIECE) {
        uint32_t n = c->n - at < PIECE ? c->n - at : PIECE;

        for (uint32_t i = 0; i < n; i++)
            rows[i] = at + i;
        simd->scan_i8(&(struct scan_i8){ bytes, c->bytes, c->width, rows, n, dots });
        for (uint32_t i = 0; i < n; i++)
            out[at + i] = (float)dots[i] * c->scales[at + i];
    }
}

void dense_cells_cosines(const struct dense_cells *c, const struct code_query *q, float *out)
{
    dots_with(c, codec_simd(q->codec), q->bytes, out);
    for (uint32_t i = 0; i < c->n; i++)
        out[i] *= q->scale;
}

/* ---- learning */

static const int8_t *bytes_of(const struct dense_part *p, uint32_t row)
{
    return p->bytes + (size_t)dense_slot(p, row) * codec_width(p->codec);
}

static uint32_t nearest_cell(const struct learning *l, uint32_t row, float *scratch)
{
    uint32_t best = 0;

    dots_with(l->cells, l->simd, bytes_of(l->part, row), scratch);
    for (uint32_t i = 1; i < l->cells->n; i++)
        if (scratch[i] > scratch[best])
            best = i;
    return best;
}

/* Adds a row's direction, 1 long, to a sum. */
static void add_direction(float *sum, const struct dense_part *p, uint32_t row)
{
    size_t width = codec_width(p->codec);
    const int8_t *bytes = bytes_of(p, row);
    float inverse = 1 / sqrtf(fmaxf((float)codec_simd(p->codec)->dot_i8(bytes, bytes, width), 1));

    for (size_t i = 0; i < width; i++)
        sum[i] += inverse * (float)bytes[i];
}

static void set_centre(const struct learning *l, uint32_t cell, float *x)
{
    uint8_t bits[SCAN_COLUMNS_MAX];
    struct code code = { .bits = bits, .bytes = l->cells->bytes + cell * l->cells->width };
    float length = sqrtf(l->simd->dot_f32(x, x, l->cells->width));

    if (length <= 0)
        return;                  /* nobody is near it: it stays where it was */
    for (size_t i = 0; i < l->cells->width; i++)
        x[i] /= length;
    codec_encode_rotated(l->part->codec, x, &code);
    l->cells->scales[cell] = code.scale;
}

/* In the first round, the first rows of the sample are the centres. */
static void learn_round(const struct learning *l, const uint32_t *sample, size_t n, bool first)
{
    struct dense_cells *c = l->cells;
    float *sums = room((size_t)c->n * c->width, sizeof *sums), *scratch = room(c->n, sizeof *scratch);

    for (size_t i = 0; i < (first ? c->n : n); i++) {
        uint32_t cell = first ? (uint32_t)i : nearest_cell(l, sample[i], scratch);

        add_direction(sums + cell * c->width, l->part, sample[i]);
    }
    for (uint32_t i = 0; i < c->n; i++)
        set_centre(l, i, sums + i * c->width);
    free(sums);
    free(scratch);
}

/* From rows drawn without regard to what they are. */
static void learn(struct learning *l)
{
    uint32_t cells = (uint32_t)(CELLS_PER_ROOT * sqrt((double)l->n));
    size_t n = (size_t)(cells ? cells : 1) * SAMPLE;
    uint32_t *sample = room(n, sizeof *sample);
    uint64_t state = l->n;

    l->cells = dense_cells_new(cells ? cells : 1, codec_width(l->part->codec));
    for (size_t i = 0; l->n && i < n; i++)
        sample[i] = l->rows[random_next(&state) % l->n];
    for (int round = 0; l->n && round <= ROUNDS; round++)
        learn_round(l, sample, n, round == 0);
    free(sample);
}

static void inherit(struct learning *l, const struct dense_cells *from)
{
    l->cells = dense_cells_new(from->n, from->width);
    memcpy(l->cells->bytes, from->bytes, from->n * from->width);
    memcpy(l->cells->scales, from->scales, from->n * sizeof *from->scales);
}

/* ---- putting rows into cells */

static void list_rows(struct learning *l)
{
    size_t n = dense_rows(l->part), at = 0;

    l->rows = room(n + 1, sizeof *l->rows);
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
    uint32_t *cell = room(l->n, sizeof *cell), *sorted = room(l->n, sizeof *sorted);
    uint32_t *first = l->cells->first, *next = room(l->cells->n + 1u, sizeof *next);
    float *scratch = room(l->cells->n, sizeof *scratch);

    for (size_t i = 0; i < l->n; i++) {
        cell[i] = nearest_cell(l, l->rows[i], scratch);
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
    free(scratch);
}

static uint32_t cell_of(const struct dense_cells *c, uint32_t slot)
{
    uint32_t low = 0, high = c->n;

    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;

        if (c->first[mid] <= slot)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* ---- how far they reach */

/* A row as a query. */
static void ask_as(const struct dense_part *p, uint32_t row, struct arena *a, struct code_query *q)
{
    _Alignas(64) float x[CODES_DIM_MAX] = { 0 };

    add_direction(x, p, row);
    codec_query_rotated(p->codec, a, x, q);
}

static void set_leans(struct dense_cells *c, const struct dense_part *p)
{
    const struct simd_kernels *simd = codec_simd(p->codec);

    for (uint32_t i = 0; i < c->n; i++) {
        float sum = 0;

        for (uint32_t r = c->first[i]; r < c->first[i + 1]; r++) {
            int32_t dot = simd->dot_i8(p->bytes + r * c->width, c->bytes + i * c->width, c->width);

            sum += (float)dot * p->scales[r] * c->scales[i];
        }
        c->lean[i] = fminf(sum / fmaxf((float)(c->first[i + 1] - c->first[i]), 1), 1);
    }
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return x < y ? -1 : x > y;
}

/* What reach dense_cells_limit() needs, so that each of the nearest of a row is in a cell not below the last of them. */
static size_t reaches_of(const struct dense_cells *c, const struct dense_part *in_cells, const struct dense_result *found,
                         const float *cosines, float *out)
{
    size_t n = 0;

    for (size_t h = 0; h < found->n; h++) {
        uint32_t cell = cell_of(c, dense_slot(in_cells, found->hits[h].row));
        float aside = dense_cells_aside(c, cell);

        if (aside > 1e-6f)
            out[n++] = (found->hits[found->n - 1].score - cosines[cell] * c->lean[cell]) / aside;
    }
    return n;
}

/* Asks p for the nearest of some rows; the row itself is not worth asking for, but it does no harm. */
static size_t ask_around(const struct dense_cells *c, const struct dense_part *p, const struct dense_part *in_cells, float *reaches)
{
    struct arena *a = arena_new((size_t)1 << 30);
    struct dense_options options = { .k = NEAREST + 1, .threads = 1 };
    uint64_t state = c->first[c->n];
    size_t n = 0;

    for (size_t i = 0; i < ASKED && c->first[c->n]; i++) {
        float *cosines = ARENA_ARRAY(a, float, c->n);
        struct dense_result found;
        struct code_query q;

        ask_as(p, dense_row(in_cells, random_next(&state) % c->first[c->n]), a, &q);
        dense_cells_cosines(c, &q, cosines);
        if (dense_search(a, &q, &(struct dense_source){ .part = p }, 1, &options, &found) != ERR_OK)
            break;
        n += reaches_of(c, in_cells, &found, cosines, reaches + n);
        arena_reset(a);
    }
    arena_free(a);
    return n;
}

static void set_reach(struct dense_cells *c, const struct dense_part *p, const struct dense_part *in_cells)
{
    float *reaches = room(ASKED * (NEAREST + 1), sizeof *reaches);
    size_t n = ask_around(c, p, in_cells, reaches);

    qsort(reaches, n, sizeof *reaches, ascending);
    c->reach = n ? reaches[(size_t)((double)(n - 1) * COVERED)] : 1;
    c->reach_exact = n ? reaches[n - 1] * EXACT_MORE : 1;
    free(reaches);
}

struct dense_part *dense_in_cells(const struct dense_part *p, const struct dense_part *like)
{
    struct learning l = { .part = p, .simd = codec_simd(p->codec) };
    struct dense_part *out;

    list_rows(&l);
    if (like && like->cells)
        inherit(&l, like->cells);
    else
        learn(&l);
    sort_rows(&l);
    out = dense_reordered(p, l.rows);
    if (!out) {
        free(l.rows);
        dense_cells_free(l.cells);
        return NULL;
    }
    set_leans(l.cells, out);
    set_reach(l.cells, p, out);
    out->cells = l.cells;
    return out;
}
