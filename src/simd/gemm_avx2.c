/* The products for x86-64 with AVX2 and FMA: tiles of up to six rows by half a panel (f32), four by half (bf16) or four by
 * a quarter (int8), so that all sums fit into sixteen registers. */
#include "simd_impl.h"

#ifdef __x86_64__

#include <assert.h>
#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define TILE AVX2 static inline __attribute__((always_inline))
#define TILE_ROWS 6 /* of f32 */
#define FEW_ROWS 4  /* of bf16 and int8, which need registers for more than sums */
#define HALF (GEMM_PANEL / 2)
#define EIGHT 8

/* Rows from row on by the columns of a strip, which is a part of a panel. f32 reads more bytes for each sum than the
 * others, so its tiles fetch the next panel meanwhile, each a share: from ahead on, step bytes for each row of theirs. */
struct tile {
    size_t row, rows, strip;
    const char *ahead;
    size_t step;
};

struct sums256 {
    __m256 left[TILE_ROWS], right[TILE_ROWS];
};

/* Adds what the product adds, and writes the tile. */
TILE void store_tile(const struct gemm *g, size_t row, size_t column, struct sums256 *s, const int rows)
{
    const __m256 zero = _mm256_setzero_ps();
    __m256 bias0 = g->bias ? _mm256_loadu_ps(g->bias + column) : zero;
    __m256 bias1 = g->bias ? _mm256_loadu_ps(g->bias + column + 8) : zero;

    SIMD_UNROLL
    for (int r = 0; r < rows; r++) {
        float *c = g->c + (row + (size_t)r) * g->c_stride + column;
        __m256 left = _mm256_add_ps(s->left[r], bias0), right = _mm256_add_ps(s->right[r], bias1);

        if (g->add) {
            left = _mm256_add_ps(left, _mm256_loadu_ps(c));
            right = _mm256_add_ps(right, _mm256_loadu_ps(c + 8));
        }
        if (g->relu) {
            left = _mm256_max_ps(left, zero);
            right = _mm256_max_ps(right, zero);
        }
        _mm256_storeu_ps(c, left);
        _mm256_storeu_ps(c + 8, right);
    }
}

TILE void tile_f32(const struct gemm *g, struct tile t, const int rows)
{
    const size_t row = t.row, half = t.strip;
    const float *a = (const float *)g->a + row * g->a_stride;
    const float *w = (const float *)g->w + half / 2 * g->w_panel + half % 2 * HALF;
    const size_t a_stride = g->a_stride, w_stride = g->w_stride, depth = g->depth;
    struct sums256 s;

    SIMD_UNROLL
    for (int r = 0; r < rows; r++)
        s.left[r] = s.right[r] = _mm256_setzero_ps();
    for (size_t k = 0; k < depth; k++, w += w_stride) {
        __m256 w0 = _mm256_loadu_ps(w), w1 = _mm256_loadu_ps(w + 8);

        _mm_prefetch(t.ahead + k * t.step, _MM_HINT_T1);
        SIMD_UNROLL
        for (int r = 0; r < rows; r++) {
            __m256 x = _mm256_broadcast_ss(a + (size_t)r * a_stride + k);

            s.left[r] = _mm256_fmadd_ps(x, w0, s.left[r]);
            s.right[r] = _mm256_fmadd_ps(x, w1, s.right[r]);
        }
    }
    store_tile(g, row, half * HALF, &s, rows);
}

AVX2 static inline int32_t load_four(const uint8_t *p)
{
    int32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

/* The first (shift 16) or the second (0) of each pair, as floats. */
TILE __m256 of_pair(__m256i pairs, const int shift)
{
    return _mm256_castsi256_ps(shift ? _mm256_slli_epi32(pairs, 16)
                                     : _mm256_and_si256(pairs, _mm256_set1_epi32((int)0xffff0000u)));
}

TILE void add_pairs(struct sums256 *s, const uint8_t *a, size_t a_stride, const uint16_t *w, const int shift,
                    const int rows)
{
    __m256 w0 = of_pair(_mm256_loadu_si256((const __m256i *)w), shift);
    __m256 w1 = of_pair(_mm256_loadu_si256((const __m256i *)(w + 16)), shift);

    SIMD_UNROLL
    for (int r = 0; r < rows; r++) {
        __m256 x = of_pair(_mm256_set1_epi32(load_four(a + (size_t)r * a_stride)), shift);

        s->left[r] = _mm256_fmadd_ps(x, w0, s->left[r]);
        s->right[r] = _mm256_fmadd_ps(x, w1, s->right[r]);
    }
}

TILE void tile_bf16(const struct gemm *g, struct tile t, const int rows)
{
    const size_t row = t.row, half = t.strip;
    const size_t depth = g->depth, a_stride = g->a_stride * sizeof(uint16_t);
    const uint8_t *a = (const uint8_t *)((const uint16_t *)g->a + row * g->a_stride);
    const uint16_t *w = (const uint16_t *)g->w + half / 2 * GEMM_PANEL * depth + half % 2 * HALF * GEMM_PAIR;
    struct sums256 s;

    SIMD_UNROLL
    for (int r = 0; r < rows; r++)
        s.left[r] = s.right[r] = _mm256_setzero_ps();
    for (size_t k = 0; k < depth; k += GEMM_PAIR, w += GEMM_PAIR * GEMM_PANEL) {
        add_pairs(&s, a + 2 * k, a_stride, w, 16, rows);
        add_pairs(&s, a + 2 * k, a_stride, w, 0, rows);
    }
    store_tile(g, row, half * HALF, &s, rows);
}

/* Eight columns: four in each vector, with two sums for each. */
struct sums256i {
    __m256i left[TILE_ROWS], right[TILE_ROWS];
};

/* Whole numbers to what they stand for; see gemm.h. */
TILE __m256 scaled(const struct gemm *g, size_t row, size_t column, __m256i left, __m256i right)
{
    __m256i n = _mm256_permute4x64_epi64(_mm256_hadd_epi32(left, right), 0xd8);
    __m256i sum = _mm256_loadu_si256((const __m256i *)(g->w_sum + column));
    __m256 scale = _mm256_mul_ps(_mm256_set1_ps(g->a_scale[row]), _mm256_loadu_ps(g->w_scale + column));

    n = _mm256_sub_epi32(n, _mm256_mullo_epi32(_mm256_set1_epi32(g->a_zero[row]), sum));
    return _mm256_mul_ps(_mm256_cvtepi32_ps(n), scale);
}

TILE void store_eight(const struct gemm *g, size_t row, size_t column, __m256 v)
{
    float *c = g->c + row * g->c_stride + column;

    if (g->bias)
        v = _mm256_add_ps(v, _mm256_loadu_ps(g->bias + column));
    if (g->add)
        v = _mm256_add_ps(v, _mm256_loadu_ps(c));
    if (g->relu)
        v = _mm256_max_ps(v, _mm256_setzero_ps());
    _mm256_storeu_ps(c, v);
}

/* Widened to 16 bits first: vpmaddubsw would saturate. */
TILE void tile_i8(const struct gemm *g, struct tile t, const int rows)
{
    const size_t row = t.row, quarter = t.strip;
    const size_t depth = g->depth, a_stride = g->a_stride;
    const uint8_t *a = (const uint8_t *)g->a + row * a_stride;
    const int8_t *w = (const int8_t *)g->w + quarter / 4 * GEMM_PANEL * depth + quarter % 4 * EIGHT * GEMM_FOUR;
    struct sums256i s;

    SIMD_UNROLL
    for (int r = 0; r < rows; r++)
        s.left[r] = s.right[r] = _mm256_setzero_si256();
    for (size_t k = 0; k < depth; k += GEMM_FOUR, w += GEMM_FOUR * GEMM_PANEL) {
        __m256i w0 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)w));
        __m256i w1 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(w + 16)));

        SIMD_UNROLL
        for (int r = 0; r < rows; r++) {
            __m256i x = _mm256_cvtepu8_epi16(_mm_set1_epi32(load_four(a + (size_t)r * a_stride + k)));

            s.left[r] = _mm256_add_epi32(s.left[r], _mm256_madd_epi16(x, w0));
            s.right[r] = _mm256_add_epi32(s.right[r], _mm256_madd_epi16(x, w1));
        }
    }
    SIMD_UNROLL
    for (int r = 0; r < rows; r++)
        store_eight(g, row + (size_t)r, quarter * EIGHT, scaled(g, row + (size_t)r, quarter * EIGHT, s.left[r], s.right[r]));
}

/* One tile of a number of rows that only the run knows. */
AVX2 static void tile_f32_rows(const struct gemm *g, struct tile t)
{
    switch (t.rows) {
    case 1: tile_f32(g, t, 1); break;
    case 2: tile_f32(g, t, 2); break;
    case 3: tile_f32(g, t, 3); break;
    case 4: tile_f32(g, t, 4); break;
    case 5: tile_f32(g, t, 5); break;
    default: tile_f32(g, t, 6); break;
    }
}

AVX2 static void tile_bf16_rows(const struct gemm *g, struct tile t)
{
    switch (t.rows) {
    case 1: tile_bf16(g, t, 1); break;
    case 2: tile_bf16(g, t, 2); break;
    case 3: tile_bf16(g, t, 3); break;
    default: tile_bf16(g, t, 4); break;
    }
}

AVX2 static void tile_i8_rows(const struct gemm *g, struct tile t)
{
    switch (t.rows) {
    case 1: tile_i8(g, t, 1); break;
    case 2: tile_i8(g, t, 2); break;
    case 3: tile_i8(g, t, 3); break;
    default: tile_i8(g, t, 4); break;
    }
}

/* Panels outside, so that a panel stays in a near cache for all rows; rows are split evenly, because a tile of one row
 * costs as much reading as one of many. */
static void gemm_avx2_all_tiles(const struct gemm *g, size_t strip_columns, size_t tile_rows,
                                void (*tile)(const struct gemm *g, struct tile t))
{
    size_t across = (g->rows + tile_rows - 1) / tile_rows, strips = GEMM_PANEL / strip_columns;
    size_t tiles = across * strips, panel = g->w_panel * sizeof(float);

    for (size_t strip = 0; strip < g->columns / strip_columns; strip++) {
        const char *next = (const char *)g->w + (strip / strips + 1) * panel;

        for (size_t i = 0; i < across; i++) {
            struct tile t = {
                .row = g->rows * i / across,
                .strip = strip,
                .ahead = next + panel * (strip % strips * across + i) / tiles,
                .step = (GEMM_PANEL * sizeof(float) + tiles - 1) / tiles,
            };

            t.rows = g->rows * (i + 1) / across - t.row;
            tile(g, t);
        }
    }
}

void gemm_f32_avx2(const struct gemm *g)
{
    assert(g->columns % GEMM_PANEL == 0);
    gemm_avx2_all_tiles(g, HALF, TILE_ROWS, tile_f32_rows);
}

void gemm_bf16_avx2(const struct gemm *g)
{
    assert(g->columns % GEMM_PANEL == 0 && g->depth % GEMM_PAIR == 0);
    gemm_avx2_all_tiles(g, HALF, FEW_ROWS, tile_bf16_rows);
}

void gemm_i8_avx2(const struct gemm *g)
{
    assert(g->columns % GEMM_PANEL == 0 && g->depth % GEMM_FOUR == 0 && g->depth <= GEMM_DEPTH_I8);
    gemm_avx2_all_tiles(g, EIGHT, FEW_ROWS, tile_i8_rows);
}

#endif
