/* Vectors for bench_vector, and the truth about them; see vector_world.h. */
#include "vector_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double world_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void *world_room(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);

    if (!p) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return p;
}

/* ---- vectors: from files of float32, or made up with the likeness of the built-in model's */

static uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static float draw_normal(uint64_t *state)
{
    float sum = 0;

    for (int i = 0; i < 4; i++)
        sum += (float)(draw(state) >> 40) * 0x1p-24f - 0.5f;
    return sum * 1.7320508f;
}

static void to_length_1(float *v)
{
    double square = 0;

    for (size_t i = 0; i < DIM; i++)
        square += (double)v[i] * (double)v[i];
    for (size_t i = 0; i < DIM && square > 0; i++)
        v[i] = (float)((double)v[i] / sqrt(square));
}

enum { LATENT = 96, CENTRES = 4000 };

/* Texts have a common lean, a topic out of many in a space of few dimensions, and something of their own. */
static void make_up(float *out, size_t n, uint64_t seed)
{
    static float basis[LATENT + 1][DIM], centres[CENTRES][LATENT];
    uint64_t fixed = 1, state = seed;

    for (size_t i = 0; i < (LATENT + 1) * DIM; i++)
        basis[i / DIM][i % DIM] = draw_normal(&fixed) / sqrtf(DIM);
    for (size_t i = 0; i < (size_t)CENTRES * LATENT; i++)
        centres[i / LATENT][i % LATENT] = draw_normal(&fixed) * powf(1 + (float)(i % LATENT), -0.55f);
    for (size_t r = 0; r < n; r++) {
        float *v = out + r * DIM, *centre = centres[draw(&state) % CENTRES];

        for (size_t i = 0; i < DIM; i++)
            v[i] = 0.95f * basis[LATENT][i] + 0.5f * draw_normal(&state) / sqrtf(DIM);
        for (size_t l = 0; l < LATENT; l++) {
            float weight = centre[l] + 0.7f * draw_normal(&state) * powf(1 + (float)l, -0.55f);

            for (size_t i = 0; i < DIM; i++)
                v[i] += weight * basis[l][i];
        }
    }
}

static size_t load(const char *path, float *out, size_t most)
{
    FILE *f = fopen(path, "rb");
    size_t n;

    if (!f) {
        perror(path);
        exit(1);
    }
    n = fread(out, DIM * sizeof *out, most, f);
    fclose(f);
    return n;
}

void world_get(struct world *w)
{
    w->rows = world_room(w->n * DIM * sizeof(float));
    w->queries = world_room(w->n_queries * DIM * sizeof(float));
    w->bound = world_room(w->n_queries * sizeof(float));
    if (w->rows_path && w->queries_path) {
        w->n = load(w->rows_path, w->rows, w->n);
        w->n_queries = load(w->queries_path, w->queries, w->n_queries);
    } else {
        make_up(w->rows, w->n, 2);
        make_up(w->queries, w->n_queries, 3);
    }
    for (size_t i = 0; i < w->n; i++)
        to_length_1(w->rows + i * DIM);
    for (size_t i = 0; i < w->n_queries; i++)
        to_length_1(w->queries + i * DIM);
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return x < y ? -1 : x > y;
}

void world_tell(const struct world *w)
{
    enum { PAIRS = 20000 };
    static float cosines[PAIRS];
    uint64_t state = 5;
    double sum = 0, squares = 0;

    for (size_t i = 0; i < PAIRS; i++) {
        cosines[i] = w->simd->dot_f32(w->rows + draw(&state) % w->n * DIM, w->rows + draw(&state) % w->n * DIM, DIM);
        sum += (double)cosines[i];
        squares += (double)cosines[i] * (double)cosines[i];
    }
    qsort(cosines, PAIRS, sizeof cosines[0], ascending);
    printf("%zu rows of %d, %zu queries, %s; cosines of random pairs: mean %.3f sd %.3f p95 %.3f p99 %.3f\n", w->n, DIM,
           w->n_queries, w->rows_path ? w->rows_path : "made up", sum / PAIRS,
           sqrt(squares / PAIRS - sum / PAIRS * sum / PAIRS), (double)cosines[PAIRS / 20 * 19],
           (double)cosines[PAIRS / 100 * 99]);
}

static bool is_allowed(const struct world *w, size_t row)
{
    return !w->allowed || (w->allowed[row / 64] >> row % 64 & 1);
}

/* The truth, by scanning everything. */
void world_find_bounds(struct world *w)
{
    for (size_t q = 0; q < w->n_queries; q++) {
        float best[K];

        for (size_t i = 0; i < K; i++)
            best[i] = -2;
        for (size_t r = 0; r < w->n; r++) {
            float score;
            size_t at = K;

            if (!is_allowed(w, r) || (score = w->simd->dot_f32(w->queries + q * DIM, w->rows + r * DIM, DIM)) <= best[K - 1])
                continue;
            while (at > 0 && score > best[at - 1])
                at--;
            memmove(best + at + 1, best + at, (K - 1 - at) * sizeof best[0]);
            best[at] = score;
        }
        w->bound[q] = best[K - 1];
    }
}

size_t world_good(const struct world *w, size_t query, size_t row)
{
    return is_allowed(w, row) &&
           w->simd->dot_f32(w->queries + query * DIM, w->rows + row * DIM, DIM) >= w->bound[query] - 1e-6f;
}

uint64_t *world_some(size_t n, uint32_t every)
{
    uint64_t *bits = world_room(n / 8 + 8), state = 9;

    memset(bits, 0, n / 8 + 8);
    for (size_t i = 0; i < n; i++)
        if (draw(&state) % every == 0)
            bits[i / 64] |= UINT64_C(1) << i % 64;
    return bits;
}

void world_done(struct world *w)
{
    free(w->rows);
    free(w->queries);
    free(w->bound);
}
