/* The products for x86-64 with AVX-512: tiles of up to eight rows by one panel, all sums in registers. */
#include "simd_impl.h"

#ifdef __x86_64__

#include <assert.h>
#include <immintrin.h>
#include <string.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define TILE AVX512 static inline __attribute__((always_inline))
#define TILE_ROWS 8
#define NEAR_BYTES 4096 /* how far in front of itself a tile of int8 fetches: a panel of it fits into the nearest cache */
#define STEP_BYTES 128  /* of a panel that one turn of a tile's loop reads */

/* Rows from row on by a panel. Its tiles fetch the next panel meanwhile, each a share: from ahead on, step bytes for each turn
 * of their loops. A panel takes longer to come from the memory than from one turn to the next. */
struct tile512 {
    size_t row, rows, panel;
    const char *ahead;
    size_t step;
};

TILE void fetch_ahead(const struct tile512 *t, size_t turn)
{
    _mm_prefetch(t->ahead + turn * t->step, _MM_HINT_T1);
    _mm_prefetch(t->ahead + turn * t->step + STEP_BYTES / 2, _MM_HINT_T1);
}

struct sums512 {
    __m512 left[TILE_ROWS], right[TILE_ROWS];
};

/* Adds what the product adds, and writes the tile. */
TILE void store_tile(const struct gemm *g, size_t row, size_t column, struct sums512 *s, const int rows)
{
    const __m512 zero = _mm512_setzero_ps();
    __m512 bias0 = g->bias ? _mm512_loadu_ps(g->bias + column) : zero;
    __m512 bias1 = g->bias ? _mm512_loadu_ps(g->bias + column + 16) : zero;

    SIMD_UNROLL
    for (int r = 0; r < rows; r++) {
        float *c = g->c + (row + (size_t)r) * g->c_stride + column;
        __m512 left = _mm512_add_ps(s->left[r], bias0), right = _mm512_add_ps(s->right[r], bias1);

        if (g->add) {
            left = _mm512_add_ps(left, _mm512_loadu_ps(c));
            right = _mm512_add_ps(right, _mm512_loadu_ps(c + 16));
        }
        if (g->relu) {
            left = _mm512_max_ps(left, zero);
            right = _mm512_max_ps(right, zero);
        }
        _mm512_storeu_ps(c, left);
        _mm512_storeu_ps(c + 16, right);
    }
}

TILE void tile_f32(const struct gemm *g, const struct tile512 *t, const int rows)
{
    const size_t row = t->row, panel = t->panel;
    const float *a = (const float *)g->a + row * g->a_stride, *w = (const float *)g->w + panel * g->w_panel;
    const size_t a_stride = g->a_stride, w_stride = g->w_stride, depth = g->depth;
    struct sums512 s;

    SIMD_UNROLL
    for (int r = 0; r < rows; r++)
        s.left[r] = s.right[r] = _mm512_setzero_ps();
    for (size_t k = 0; k < depth; k++, w += w_stride) {
        __m512 w0 = _mm512_loadu_ps(w), w1 = _mm512_loadu_ps(w + 16);

        fetch_ahead(t, k);
        SIMD_UNROLL
        for (int r = 0; r < rows; r++) {
            __m512 x = _mm512_set1_ps(a[(size_t)r * a_stride + k]);

            s.left[r] = _mm512_fmadd_ps(x, w0, s.left[r]);
            s.right[r] = _mm512_fmadd_ps(x, w1, s.right[r]);
        }
    }
    store_tile(g, row, panel * GEMM_PANEL, &s, rows);
}

AVX512 static inline int32_t load_four(const uint8_t *p)
{
    int32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

struct sums512i {
    __m512i left[TILE_ROWS], right[TILE_ROWS];
};

/* Whole numbers to what they stand for; see gemm.h. */
TILE void scale_tile(const struct gemm *g, size_t row, size_t column, const struct sums512i *n, struct sums512 *s,
                     const int rows)
{
    __m512i sum0 = _mm512_loadu_si512(g->w_sum + column), sum1 = _mm512_loadu_si512(g->w_sum + column + 16);
    __m512 scale0 = _mm512_loadu_ps(g->w_scale + column), scale1 = _mm512_loadu_ps(g->w_scale + column + 16);

    SIMD_UNROLL
    for (int r = 0; r < rows; r++) {
        __m512i zero = _mm512_set1_epi32(g->a_zero[row + (size_t)r]);
        __m512 scale = _mm512_set1_ps(g->a_scale[row + (size_t)r]);
        __m512i left = _mm512_sub_epi32(n->left[r], _mm512_mullo_epi32(zero, sum0));
        __m512i right = _mm512_sub_epi32(n->right[r], _mm512_mullo_epi32(zero, sum1));

        s->left[r] = _mm512_mul_ps(_mm512_cvtepi32_ps(left), _mm512_mul_ps(scale, scale0));
        s->right[r] = _mm512_mul_ps(_mm512_cvtepi32_ps(right), _mm512_mul_ps(scale, scale1));
    }
}

/* As the instruction is: gcc 12 copies each sum before the intrinsic adds to it, and the copies are a third of the time. */
TILE void add_products(__m512i *left, __m512i *right, __m512i bytes, __m512i w0, __m512i w1)
{
    __asm__("vpdpbusd %3, %2, %0\n\tvpdpbusd %4, %2, %1"
            : "+&v"(*left), "+v"(*right)
            : "v"(bytes), "v"(w0), "v"(w1));
}

TILE void tile_i8(const struct gemm *g, const struct tile512 *t, const int rows)
{
    const size_t row = t->row, panel = t->panel;
    const size_t depth = g->depth, a_stride = g->a_stride;
    const uint8_t *a = (const uint8_t *)g->a + row * a_stride;
    const int8_t *w = (const int8_t *)g->w + panel * GEMM_PANEL * depth;
    struct sums512i n;
    struct sums512 s;

    SIMD_UNROLL
    for (int r = 0; r < rows; r++)
        n.left[r] = n.right[r] = _mm512_setzero_si512();
    for (size_t k = 0; k < depth; k += GEMM_FOUR, w += GEMM_FOUR * GEMM_PANEL) {
        __m512i w0 = _mm512_loadu_si512(w), w1 = _mm512_loadu_si512(w + 64);

        _mm_prefetch((const char *)w + NEAR_BYTES, _MM_HINT_T0);
        _mm_prefetch((const char *)w + NEAR_BYTES + STEP_BYTES / 2, _MM_HINT_T0);
        SIMD_UNROLL
        for (int r = 0; r < rows; r++) {
            __m512i x = _mm512_set1_epi32(load_four(a + (size_t)r * a_stride + k));

            add_products(&n.left[r], &n.right[r], x, w0, w1);
        }
    }
    scale_tile(g, row, panel * GEMM_PANEL, &n, &s, rows);
    store_tile(g, row, panel * GEMM_PANEL, &s, rows);
}

/* One tile of a number of rows that only the run knows. */
#define ROWS_SWITCH(tile, g, t) \
    switch ((t)->rows) { \
    case 1: tile(g, t, 1); break; \
    case 2: tile(g, t, 2); break; \
    case 3: tile(g, t, 3); break; \
    case 4: tile(g, t, 4); break; \
    case 5: tile(g, t, 5); break; \
    case 6: tile(g, t, 6); break; \
    case 7: tile(g, t, 7); break; \
    default: tile(g, t, 8); break; \
    }

AVX512 static void tile_f32_rows(const struct gemm *g, const struct tile512 *t){
    ROWS_SWITCH(tile_f32, g, t)}

AVX512 static void tile_i8_rows(const struct gemm *g, const struct tile512 *t)
{
    ROWS_SWITCH(tile_i8, g, t)
}

typedef void (*tile_fn)(const struct gemm *g, const struct tile512 *t);

/* Panels outside, so that a panel stays in the nearest cache for all rows; rows are split evenly, because a tile of one
 * row costs as much reading as one of eight. */
static void gemm_avx512_all_tiles(const struct gemm *g, size_t depth_of_turn, tile_fn tile)
{
    size_t tiles = (g->rows + TILE_ROWS - 1) / TILE_ROWS, panel = g->depth / depth_of_turn * STEP_BYTES;
    size_t share = tiles ? panel / tiles : 0, step = tiles ? (STEP_BYTES + tiles - 1) / tiles : 0;

    for (size_t p = 0; p < g->columns / GEMM_PANEL; p++) {
        const char *ahead = (const char *)g->w + (p + 1) * panel;

        for (size_t t = 0, first = 0, end; t < tiles; t++, first = end, ahead += share) {
            struct tile512 here = {.row = first, .panel = p, .ahead = ahead, .step = step};

            end = g->rows * (t + 1) / tiles;
            here.rows = end - first;
            tile(g, &here);
        }
    }
}

void gemm_f32_avx512(const struct gemm *g)
{
    assert(g->columns % GEMM_PANEL == 0);
    gemm_avx512_all_tiles(g, 1, tile_f32_rows);
}

void gemm_i8_avx512(const struct gemm *g)
{
    assert(g->columns % GEMM_PANEL == 0 && g->depth % GEMM_FOUR == 0 && g->depth <= GEMM_DEPTH_I8);
    gemm_avx512_all_tiles(g, GEMM_FOUR, tile_i8_rows);
}

/* ---- bf16: an extension that not every processor with AVX-512 has; the others take the twin of AVX2 */

#define AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512vnni,avx512bf16")))

AVX512_BF16 static inline __attribute__((always_inline)) void tile_bf16(const struct gemm *g, const struct tile512 *t,
                                                                        const int rows)
{
    const size_t row = t->row, panel = t->panel;
    const size_t depth = g->depth, a_stride = g->a_stride * sizeof(uint16_t);
    const uint8_t *a = (const uint8_t *)((const uint16_t *)g->a + row * g->a_stride);
    const uint16_t *w = (const uint16_t *)g->w + panel * GEMM_PANEL * depth;
    struct sums512 s;

    SIMD_UNROLL
    for (int r = 0; r < rows; r++)
        s.left[r] = s.right[r] = _mm512_setzero_ps();
    for (size_t k = 0; k < depth; k += GEMM_PAIR, w += GEMM_PAIR * GEMM_PANEL) {
        __m512bh w0 = (__m512bh)_mm512_loadu_si512(w), w1 = (__m512bh)_mm512_loadu_si512(w + 32);

        fetch_ahead(t, k / GEMM_PAIR);
        SIMD_UNROLL
        for (int r = 0; r < rows; r++) {
            __m512bh x = (__m512bh)_mm512_set1_epi32(load_four(a + (size_t)r * a_stride + 2 * k));

            s.left[r] = _mm512_dpbf16_ps(s.left[r], x, w0);
            s.right[r] = _mm512_dpbf16_ps(s.right[r], x, w1);
        }
    }
    store_tile(g, row, panel * GEMM_PANEL, &s, rows);
}

AVX512_BF16 static void tile_bf16_rows(const struct gemm *g, const struct tile512 *t)
{
    ROWS_SWITCH(tile_bf16, g, t)
}

void gemm_bf16_avx512(const struct gemm *g)
{
    assert(g->columns % GEMM_PANEL == 0 && g->depth % GEMM_PAIR == 0);
    if (__builtin_cpu_supports("avx512bf16"))
        gemm_avx512_all_tiles(g, GEMM_PAIR, tile_bf16_rows);
    else
        gemm_bf16_avx2(g);
}

#endif
