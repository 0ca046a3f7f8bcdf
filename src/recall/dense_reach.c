/* How far the cells of a part reach: learned by asking for the nearest of some of its rows. */
#include <stdlib.h>

#include "dense_learn.h"
#include "random.h"
#include "ranges.h"

enum {
    ASKED = 512, /* rows whose nearest are looked for */
    NEAREST = 10
};

/* Of the nearest rows that the limits of their cells must cover; and how much further an exact search looks than for all. */
#define COVERED 0.9985
#define EXACT_MORE 1.1f

/* A row as a query. */
static void ask_as(const struct dense_part *p, uint32_t row, struct arena *a, struct code_query *q)
{
    _Alignas(64) float x[CODES_DIM_MAX] = {0};

    dense_add_direction(x, p->codec, p->bytes + (size_t)dense_slot(p, row) * codec_width(p->codec));
    codec_query_rotated(p->codec, a, x, q);
}

void cells_set_leans(struct dense_cells *c, const struct dense_part *p)
{
    const struct simd_kernels *simd = codec_simd(p->codec);

    for (uint32_t i = 0; i < c->n; i++) {
        float sum = 0;

        for (uint32_t r = c->first[i]; r < c->first[i + 1]; r++) {
            int32_t dot = simd->dot_i8(p->bytes + r * c->width, c->bytes + i * c->width, c->width);

            sum += (float)dot * p->scales[r] * c->scales[i];
        }
        c->lean[i] = fminf(sum / fmaxf((float)(c->first[i + 1] - c->first[i]), 1), 1);
        c->aside[i] = sqrtf(fmaxf(1 - c->lean[i] * c->lean[i], 0));
    }
}

static int dense_reach_ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return x < y ? -1 : x > y;
}

/* What reach dense_cells_limit() needs, so that each of the nearest of a row is in a cell not below the last of them. */
static size_t reaches_of(const struct dense_cells *c, const struct dense_part *in_cells,
                         const struct dense_result *found, const float *cosines, float *out)
{
    size_t n = 0;

    for (size_t h = 0; h < found->n; h++) {
        size_t cell = range_of(c->first, c->n, dense_slot(in_cells, found->hits[h].row));
        float aside = c->aside[cell];

        if (aside > 1e-6f)
            out[n++] = (found->hits[found->n - 1].score - cosines[cell] * c->lean[cell]) / aside;
    }
    return n;
}

/* Asks p for the nearest of some rows; the row itself is not worth asking for, but it does no harm. */
static size_t ask_around(const struct dense_cells *c, const struct dense_part *p,
                         const struct dense_part *in_cells, float *reaches)
{
    struct arena *a = arena_new((size_t)1 << 30);
    struct dense_options options = {.k = NEAREST + 1, .threads = 1};
    uint64_t state = c->first[c->n];
    size_t n = 0;

    for (size_t i = 0; i < ASKED && c->first[c->n]; i++) {
        float *cosines = ARENA_ARRAY(a, float, dense_cells_slots(c));
        struct dense_result found;
        struct code_query q;

        ask_as(p, dense_row(in_cells, random_next(&state) % c->first[c->n]), a, &q);
        dense_cells_cosines(c, &q, a, cosines);
        if (dense_search(a, &q, &(struct dense_source){.part = p}, 1, &options, &found) != ERR_OK)
            break;
        n += reaches_of(c, in_cells, &found, cosines, reaches + n);
        arena_reset(a);
    }
    arena_free(a);
    return n;
}

void cells_set_reach(struct dense_cells *c, const struct dense_part *p, const struct dense_part *in_cells)
{
    float *reaches = dense_room(ASKED * (NEAREST + 1), sizeof *reaches);
    size_t n = ask_around(c, p, in_cells, reaches);

    qsort(reaches, n, sizeof *reaches, dense_reach_ascending);
    c->reach = n ? reaches[(size_t)((double)(n - 1) * COVERED)] : 1;
    c->reach_exact = n ? reaches[n - 1] * EXACT_MORE : 1;
    free(reaches);
}
