/* Vectors for tests: the same numbers in every run, in the shapes that are hard for a search. */
#ifndef LOCI_TEST_VECTORS_H
#define LOCI_TEST_VECTORS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* xorshift64* */
static inline uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static inline double draw_unit(uint64_t *state)
{
    return ((double)(draw(state) >> 11) + 0.5) * 0x1p-53;
}

static inline float draw_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(draw_unit(state)));

    return (float)(radius * cos(2 * M_PI * draw_unit(state)));
}

enum vectors_shape {
    VECTORS_RANDOM,              /* independent: no neighbour is much nearer than others */
    VECTORS_CLUSTERED,           /* around centres that lean to one side, as those of embedding models do */
    VECTORS_TIGHT,               /* in a few clusters of cosine 0.99: hundreds all but equal */
    VECTORS_DUPLICATE,           /* a hundred distinct ones */
    VECTORS_EQUAL,               /* one */
    VECTORS_ZERO,                /* every other one zero, the rest random */
    VECTORS_LINE,                /* one value each, times a fixed direction: cosines are 1 or −1 */
    VECTORS_SHAPES
};

struct vectors {
    size_t n, dim;
    float *rows;
};

static inline void vectors_add_normal(float *v, size_t dim, double length, uint64_t *state)
{
    for (size_t i = 0; i < dim; i++)
        v[i] += draw_normal(state) * (float)(length / sqrt((double)dim));
}

/* centres × dim; each leans by 0.45 towards a common direction. */
static inline float *vectors_centres(size_t centres, size_t dim, uint64_t *state)
{
    float *common = calloc(dim, sizeof *common), *all = calloc(centres * dim, sizeof *all);

    if (!common || !all)
        abort();
    vectors_add_normal(common, dim, 0.45, state);
    for (size_t c = 0; c < centres; c++) {
        memcpy(all + c * dim, common, dim * sizeof *common);
        vectors_add_normal(all + c * dim, dim, 0.6, state);
    }
    free(common);
    return all;
}

static inline void vectors_fill(float *v, size_t i, enum vectors_shape shape, const float *centres, size_t n_centres,
                                size_t dim, uint64_t *state)
{
    size_t centre = draw(state) % n_centres;
    double spread = 0.3 + 0.5 * draw_unit(state);

    memset(v, 0, dim * sizeof *v);
    if (shape == VECTORS_CLUSTERED || shape == VECTORS_TIGHT) {
        memcpy(v, centres + centre * dim, dim * sizeof *v);
        vectors_add_normal(v, dim, shape == VECTORS_TIGHT ? 0.07 : spread, state);
    } else if (shape == VECTORS_DUPLICATE || shape == VECTORS_EQUAL) {
        memcpy(v, centres + (shape == VECTORS_EQUAL ? 0 : i % n_centres) * dim, dim * sizeof *v);
    } else if (shape == VECTORS_LINE) {
        for (size_t j = 0; j < dim; j++)
            v[j] = centres[j] * (float)(draw_unit(state) - 0.5);
    } else if (shape == VECTORS_RANDOM || i % 2) {
        vectors_add_normal(v, dim, 1, state);
    }
}

static inline struct vectors vectors_new(size_t n, size_t dim, enum vectors_shape shape, uint64_t seed)
{
    uint64_t state = seed * 2 + 1;
    size_t n_centres = shape == VECTORS_TIGHT ? 5 : shape == VECTORS_CLUSTERED ? n / 20 + 1 : 100;
    float *centres = vectors_centres(n_centres, dim, &state);
    struct vectors v = {n, dim, calloc(n * dim + 1, sizeof(float))};

    if (!v.rows)
        abort();
    for (size_t i = 0; i < n; i++)
        vectors_fill(v.rows + i * dim, i, shape, centres, n_centres, dim, &state);
    free(centres);
    return v;
}

static inline void vectors_done(struct vectors *v)
{
    free(v->rows);
}

/* In double. */
static inline double vectors_cosine(const float *a, const float *b, size_t dim)
{
    double dot = 0, aa = 0, bb = 0;

    for (size_t i = 0; i < dim; i++) {
        dot += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return aa > 0 && bb > 0 ? dot / sqrt(aa) / sqrt(bb) : 0;
}

#endif
