/* The centres of cells: codes as rows have them, which of them a vector is near to, and how near. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dense_learn.h"

/* How much worse than the best a centre may look by bits and yet be the nearest, in standard deviations. */
#define DOUBT 3.0f

/* How near a query is to a centre: the best of them by bytes, one in so many, and so many at least. */
enum { CLOSELY = 8, CLOSELY_LEAST = 256 };

enum { LANES = 16 }; /* numbers that are looked at side by side */

void *dense_room(size_t n, size_t size)
{
    void *p = aligned_alloc(64, (n * size + 63) / 64 * 64 + 64);

    assert(p);
    return memset(p, 0, (n * size + 63) / 64 * 64 + 64);
}

static size_t blocks_of(const struct dense_cells *c)
{
    return (c->n + SCAN_BLOCK - 1u) / SCAN_BLOCK;
}

size_t dense_cells_slots(const struct dense_cells *c)
{
    return blocks_of(c) * SCAN_BLOCK;
}

struct dense_cells *dense_cells_new(uint32_t n, size_t width)
{
    struct dense_cells *c = dense_room(1, sizeof *c);
    size_t slots;

    *c = (struct dense_cells){ .n = n,
                               .width = width,
                               .first = dense_room(n + 1u, sizeof *c->first),
                               .bytes = dense_room(n, width),
                               .scales = dense_room(n, sizeof *c->scales),
                               .lean = dense_room(n, sizeof *c->lean),
                               .aside = dense_room(n, sizeof *c->aside) };
    slots = dense_cells_slots(c);
    c->bits = dense_room(slots, width / 8);
    c->factors = dense_room(slots, sizeof *c->factors);
    return c;
}

struct dense_cells *dense_cells_like(const struct dense_cells *from)
{
    struct dense_cells *c = dense_cells_new(from->n, from->width);

    memcpy(c->bytes, from->bytes, from->n * from->width);
    memcpy(c->scales, from->scales, from->n * sizeof *from->scales);
    memcpy(c->bits, from->bits, dense_cells_slots(from) * from->width / 8);
    memcpy(c->factors, from->factors, from->n * sizeof *from->factors);
    return c;
}

void dense_cells_free(struct dense_cells *c)
{
    if (!c)
        return;
    free(c->first);
    free(c->bytes);
    free(c->scales);
    free(c->bits);
    free(c->factors);
    free(c->lean);
    free(c->aside);
    free(c);
}

size_t dense_cells_bytes(const struct dense_cells *c)
{
    return c ? sizeof *c + c->n * (c->width + 4 * sizeof(float)) +
                   dense_cells_slots(c) * (c->width / 8 + sizeof(float))
             : 0;
}

size_t dense_cells(const struct dense_part *p)
{
    return p->cells ? p->cells->n : 0;
}

/* ---- setting them */

void dense_add_direction(float *sum, const struct codec *codec, const int8_t *bytes)
{
    size_t width = codec_width(codec);
    float inverse = 1 / sqrtf(fmaxf((float)codec_simd(codec)->dot_i8(bytes, bytes, width), 1));

    for (size_t i = 0; i < width; i++)
        sum[i] += inverse * (float)bytes[i];
}

void dense_cells_set(struct dense_cells *c, const struct codec *codec, uint32_t cell, float *x)
{
    uint8_t bits[SCAN_COLUMNS_MAX],
        *to = c->bits + cell / SCAN_BLOCK * SCAN_BLOCK * (c->width / 8) + cell % SCAN_BLOCK;
    struct code code = {.bits = bits, .bytes = c->bytes + cell * c->width};
    float length = sqrtf(codec_simd(codec)->dot_f32(x, x, c->width));

    if (length <= 0)
        return; /* nobody is near it: it stays where it was */
    for (size_t i = 0; i < c->width; i++)
        x[i] /= length;
    codec_encode_rotated(codec, x, &code);
    for (size_t j = 0; j < c->width / 8; j++)
        to[j * SCAN_BLOCK] = bits[j];
    c->scales[cell] = code.scale;
    c->factors[cell] = code.factor;
}

/* ---- how near */

static void cosines_by_bits(const struct dense_cells *c, const struct code_query *q, struct arena *a,
                            float *out)
{
    uint16_t *sums = ARENA_ARRAY(a, uint16_t, dense_cells_slots(c));

    codec_simd(q->codec)->scan_bits(&(struct scan_bits){ .codes = c->bits,
                                                         .tables = q->tables,
                                                         .columns = c->width / 8,
                                                         .blocks = blocks_of(c),
                                                         .sums = sums });
    for (size_t i = 0; i < dense_cells_slots(c); i += LANES)
        for (size_t l = i; l < i + LANES; l++)
            out[l] = ((float)sums[l] - q->centre) * (c->factors[l] * q->unit);
}

static uint32_t list_from(const float *x, uint32_t n, float least, uint32_t *out)
{
    uint32_t listed = 0;

    for (uint32_t i = 0; i < n; i++) {
        out[listed] = i;
        listed += x[i] >= least;
    }
    return listed;
}

/* What so many of n numbers from −1 to 1, or somewhat more, are at least. */
static float least_of_best(const float *x, uint32_t n, uint32_t wanted)
{
    enum { STEPS = 128 }; /* of 1 */
    uint32_t count[2 * STEPS + 1] = {0};
    uint32_t have = 0;
    int at = 2 * STEPS;

    for (uint32_t i = 0; i < n; i++)
        count[(int)(((x[i] < -1 ? -1 : x[i] > 1 ? 1 : x[i]) + 1) * STEPS)]++;
    while (at > 0 && (have += count[at]) < wanted)
        at--;
    return at > 0 ? (float)at / STEPS - 1 : -INFINITY;
}

void dense_cells_cosines(const struct dense_cells *c, const struct code_query *q, struct arena *a, float *out)
{
    uint32_t *near = ARENA_ARRAY(a, uint32_t, c->n + 1u),
             wanted = c->n / CLOSELY > CLOSELY_LEAST ? c->n / CLOSELY : CLOSELY_LEAST, n;
    int32_t *dots = ARENA_ARRAY(a, int32_t, c->n);

    cosines_by_bits(c, q, a, out);
    n = list_from(out, c->n, least_of_best(out, c->n, wanted), near);
    codec_simd(q->codec)->scan_i8(&(struct scan_i8){q->bytes, c->bytes, c->width, near, n, dots});
    for (uint32_t i = 0; i < n; i++)
        out[near[i]] = (float)dots[i] * (c->scales[near[i]] * q->scale);
}

/* ---- the nearest */

struct cell_finder {
    const struct dense_cells *cells;
    const struct codec *codec;
    struct arena *arena;
    uint32_t *near; /* cells that look near */
    int32_t *dots;
    float factor; /* the greatest of all */
};

static float dense_centres_best_of(const float *x, uint32_t n)
{
    float best[LANES];
    uint32_t i = 0;

    for (size_t l = 0; l < LANES; l++)
        best[l] = x[0];
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            best[l] = x[i + l] > best[l] ? x[i + l] : best[l];
    for (; i < n; i++)
        best[0] = fmaxf(best[0], x[i]);
    for (size_t l = 1; l < LANES; l++)
        best[0] = fmaxf(best[0], best[l]);
    return best[0];
}

struct cell_finder *cell_finder_new(const struct dense_cells *cells, const struct codec *codec)
{
    struct cell_finder *f = dense_room(1, sizeof *f);

    *f = (struct cell_finder){ .cells = cells,
                               .codec = codec,
                               .arena = arena_new((size_t)1 << 30),
                               .near = dense_room(cells->n + 1u, sizeof *f->near),
                               .dots = dense_room(cells->n, sizeof *f->dots),
                               .factor = dense_centres_best_of(cells->factors, cells->n) };
    return f;
}

void cell_finder_free(struct cell_finder *f)
{
    arena_free(f->arena);
    free(f->near);
    free(f->dots);
    free(f);
}

uint32_t cell_finder_find(struct cell_finder *f, const int8_t *bytes)
{
    _Alignas(64) float x[CODES_DIM_MAX] = {0};
    const struct dense_cells *c = f->cells;
    float *cosines, best = -INFINITY;
    struct code_query q;
    uint32_t found = 0, n;

    arena_reset(f->arena);
    cosines = ARENA_ARRAY(f->arena, float, dense_cells_slots(c));
    dense_add_direction(x, f->codec, bytes);
    codec_query_rotated(f->codec, f->arena, x, &q);
    cosines_by_bits(c, &q, f->arena, cosines);
    n = list_from(cosines, c->n, dense_centres_best_of(cosines, c->n) - codes_bits_slack(&q, 0, DOUBT) * f->factor,
                  f->near);
    codec_simd(f->codec)->scan_i8(&(struct scan_i8){bytes, c->bytes, c->width, f->near, n, f->dots});
    for (uint32_t i = 0; i < n; i++) {
        float score = (float)f->dots[i] * c->scales[f->near[i]];

        if (score > best) {
            best = score;
            found = f->near[i];
        }
    }
    return found;
}
