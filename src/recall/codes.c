/* Compact codes of vectors; see codes.h. The estimator by bits is RaBitQ's, with the query in four bits. */
#include "codes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "random.h"

enum { LANES = 4, ROUNDS_MAX = 4, WIDTH_MAX = CODES_DIM_MAX };
#define LEVEL_MAX 15 /* of a coordinate of the query in four bits */
#define LEVEL_MID 7.5f
#define STEPS 127   /* of a byte, to either side */
#define FINE 254.0f /* parts of a step that a query knows */
#define REST 8.0f   /* the quarters of a row's step are −3, −1, 1 and 3 of its eighths */

static_assert(CODES_DIM_MAX == LIMIT_VECTOR_DIM && CODES_DIM_MAX == 8 * SCAN_COLUMNS_MAX);
static_assert(4 * LEVEL_MAX == SCAN_ENTRY_MAX);

/* What both compilers turn into the registers of any machine; never passed by value. */
typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t ilanes __attribute__((vector_size(4 * LANES)));
typedef uint8_t bytes16 __attribute__((vector_size(16), aligned(1)));
typedef int8_t sbytes16 __attribute__((vector_size(16), aligned(1)));

struct codec {
    const struct simd_kernels *simd;
    size_t dim, width;
    size_t span; /* the largest power of two that fits width: what one transform reaches */
    int rounds;
    _Alignas(64) float turns[]; /* rounds × width: a coordinate's sign and its share of the round's scale */
};

/* Where one transform does not reach all coordinates, rounds take turns at the front and at the back, and after each the
 * two halves are mixed. */
static size_t round_start(const struct codec *c, int round)
{
    return round % 2 ? c->width - c->span : 0;
}

struct codec *codec_new(const struct simd_kernels *simd, size_t dim)
{
    size_t width = (dim + 63) / 64 * 64, span = 64;
    int rounds;
    uint64_t state = dim;
    struct codec *c;

    assert(dim >= 1 && dim <= CODES_DIM_MAX);
    while (span * 2 <= width)
        span *= 2;
    rounds = span == width ? 3 : ROUNDS_MAX;
    c = aligned_alloc(64, sizeof *c + (size_t)rounds * width * sizeof c->turns[0]);
    if (!c)
        return NULL;
    *c = (struct codec){.simd = simd, .dim = dim, .width = width, .span = span, .rounds = rounds};
    for (int r = 0; r < rounds; r++)
        for (size_t i = 0; i < width; i++) {
            bool is_reached = i >= round_start(c, r) && i - round_start(c, r) < span;
            double scale = (is_reached ? 1 / sqrt((double)span) : 1) * (span < width ? M_SQRT1_2 : 1);

            c->turns[(size_t)r * width + i] = (float)(random_next(&state) & 1 ? -scale : scale);
        }
    return c;
}

void codec_free(struct codec *c)
{
    free(c);
}

const struct simd_kernels *codec_simd(const struct codec *c)
{
    return c->simd;
}

size_t codec_dim(const struct codec *c)
{
    return c->dim;
}

size_t codec_width(const struct codec *c)
{
    return c->width;
}

/* ---- rotating */

static double norm_of(const float *v, size_t n)
{
    double sums[LANES] = {0};
    size_t i = 0;

    for (; n - i >= LANES; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            sums[l] += (double)v[i + l] * (double)v[i + l];
    for (; i < n; i++)
        sums[0] += (double)v[i] * (double)v[i];
    return sqrt(sums[0] + sums[1] + sums[2] + sums[3]);
}

static void mix_halves(float *x, size_t n)
{
    lanes *front = (lanes *)(void *)x, *back = front + n / 2 / LANES;

    for (size_t i = 0; i < n / 2 / LANES; i++) {
        lanes a = front[i], b = back[i];

        front[i] = a + b;
        back[i] = a - b;
    }
}

/* x: v at length 1, rotated; all 0 if norm is. Doubles, because an inverse may be more than a float holds. */
static void rotate(const struct codec *c, const float *v, double norm, float *x)
{
    double inverse = norm > 0 ? 1 / norm : 0;

    for (size_t i = 0; i < c->dim; i++)
        x[i] = (float)((double)v[i] * inverse);
    memset(x + c->dim, 0, (c->width - c->dim) * sizeof *x);
    for (int r = 0; r < c->rounds; r++) {
        const lanes *turns = (const lanes *)(c->turns + (size_t)r * c->width);
        lanes *all = (lanes *)(void *)x;

        for (size_t i = 0; i < c->width / LANES; i++)
            all[i] *= turns[i];
        c->simd->hadamard(x + round_start(c, r), c->span);
        if (c->span < c->width)
            mix_halves(x, c->width);
    }
}

/* ---- a row */

struct extent {
    float sum, greatest; /* of |x[i]| */
};

static struct extent extent_of(const float *x, size_t n)
{
    const lanes *all = (const lanes *)(const void *)x;
    lanes sum = {0}, greatest = {0};
    struct extent e = {0, 0};

    for (size_t i = 0; i < n / LANES; i++) {
        lanes size = (lanes)((ilanes)all[i] & INT32_MAX);
        ilanes above = size > greatest;

        sum += size;
        greatest = (lanes)((above & (ilanes)size) | (~above & (ilanes)greatest));
    }
    for (size_t l = 0; l < LANES; l++) {
        e.sum += sum[l];
        e.greatest = fmaxf(e.greatest, greatest[l]);
    }
    return e;
}

/* Rounds to steps of 1 / per_unit; returns Σ x · bytes. Adding and taking off a large number rounds, ties to even. */
static float to_bytes(const float *x, size_t n, float per_unit, int8_t *bytes)
{
    const float large = 0x1.8p23f;
    const lanes *all = (const lanes *)(const void *)x;
    lanes sum = {0};

    for (size_t i = 0; i < n / LANES; i++) {
        lanes shifted = all[i] * per_unit + large, whole = shifted - large;

        sum += all[i] * whole;
        for (size_t l = 0; l < LANES; l++)
            bytes[i * LANES + l] = (int8_t)whole[l];
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* One bit for each coordinate: its sign, turned over. */
static void to_bits(const float *x, size_t n, uint8_t *bits)
{
    for (size_t i = 0; i < n / 8; i++) {
        unsigned byte = 0;

        for (size_t bit = 0; bit < 8; bit++) {
            uint32_t pattern;

            memcpy(&pattern, x + 8 * i + bit, sizeof pattern);
            byte |= (~pattern >> 31) << bit;
        }
        bits[i] = (uint8_t)byte;
    }
}

/* The bytes of x; returns their scale. */
static float encode_bytes(const float *x, size_t n, float greatest, int8_t *bytes)
{
    float sum = to_bytes(x, n, greatest > 0 ? STEPS / greatest : 0, bytes);

    return sum > 0 ? 1 / sum : 0;
}

/* In which quarter of its step each coordinate is. The four of a byte are a quarter of all apart, so that neighbours are
 * unpacked together. */
static void encode_rest(const float *x, size_t n, float greatest, uint8_t *rest)
{
    const float large = 0x1.8p23f, per_unit = greatest > 0 ? STEPS / greatest : 0;
    const lanes *all = (const lanes *)(const void *)x;

    memset(rest, 0, n / 4);
    for (size_t i = 0; i < n / LANES; i++) {
        lanes scaled = all[i] * per_unit, left = scaled - ((scaled + large) - large);
        ilanes quarter = (ilanes)(left * 4 + 1.5f + large) & 7;
        size_t at = i * LANES % (n / 4), shift = i * LANES / (n / 4) * 2;

        quarter -= quarter >> 2; /* half a step is of the last quarter */
        for (size_t l = 0; l < LANES; l++)
            rest[at + l] = (uint8_t)(rest[at + l] | quarter[l] << shift);
    }
}

void codec_encode_rotated(const struct codec *c, const float *x, struct code *out)
{
    struct extent e = extent_of(x, c->width);

    to_bits(x, c->width, out->bits);
    out->scale = encode_bytes(x, c->width, e.greatest, out->bytes);
    if (out->rest)
        encode_rest(x, c->width, e.greatest, out->rest);
    out->factor = e.sum > 0 ? 1 / e.sum : 0;
}

bool codec_encode(const struct codec *c, const float *v, struct code *out)
{
    _Alignas(64) float x[WIDTH_MAX];
    double norm = norm_of(v, c->dim);

    if (!isfinite(norm))
        return false;
    rotate(c, v, norm, x);
    codec_encode_rotated(c, x, out);
    return true;
}

/* ---- a query */

/* Four coordinates' levels become 16 sums: of the level where a bit is set, of what is missing to the most where not. */
static void fill_table(const uint8_t levels[4], uint8_t table[16])
{
    table[0] = (uint8_t)(4 * LEVEL_MAX - levels[0] - levels[1] - levels[2] - levels[3]);
    for (unsigned bit = 0; bit < 4; bit++)
        for (unsigned i = 0; i < 1u << bit; i++)
            table[i + (1u << bit)] = (uint8_t)(table[i] + 2 * levels[bit] - LEVEL_MAX);
}

/* The query in four bits: x[i] ≈ unit · (level − 7.5). */
static void encode_levels(struct code_query *q, const float *x, size_t n, struct extent e)
{
    float per_unit = e.greatest > 0 ? LEVEL_MID / e.greatest : 0;
    double along = 0, squares = 0, by_signs = 0;

    for (size_t i = 0; i < n; i += 4) {
        uint8_t levels[4];

        for (size_t l = 0; l < 4; l++) {
            float level = fminf(floorf(x[i + l] * per_unit + LEVEL_MID + 0.5f), LEVEL_MAX);
            double value = (double)(level - LEVEL_MID);

            levels[l] = (uint8_t)level;
            along += value * (double)x[i + l];
            squares += value * value;
            by_signs += x[i + l] < 0 ? -value : value;
        }
        fill_table(levels, q->tables + 4 * i);
    }
    q->centre = LEVEL_MID * (float)n;
    q->unit = along > 0 ? (float)(1 / along) : 0;
    q->noise = along > 0 ? (float)sqrt(fmax(squares / (along * along) - 1, 0)) : 0;
    q->bias = along > 0 ? fabsf((float)(by_signs / along) - e.sum) : 0;
}

static void encode_fine(struct code_query *q, const float *x, size_t n)
{
    for (size_t i = 0; i < n && q->step > 0; i++)
        q->fine[i] = (int8_t)lrintf((x[i] / q->step - (float)q->bytes[i]) * FINE * 0.999f);
}

void codec_query_rotated(const struct codec *c, struct arena *a, const float *x, struct code_query *out)
{
    struct code_query q = {.codec = c, .norm = 1};
    struct extent e = extent_of(x, c->width);

    q.tables = arena_alloc(a, c->width / 8 * SCAN_TABLE);
    q.bytes = arena_alloc(a, c->width);
    encode_levels(&q, x, c->width, e);
    q.scale = encode_bytes(x, c->width, e.greatest, q.bytes);
    q.step = e.greatest / STEPS;
    q.fine = arena_alloc(a, c->width);
    encode_fine(&q, x, c->width);
    *out = q;
}

bool codec_query(const struct codec *c, struct arena *a, const float *v, struct code_query *out)
{
    _Alignas(64) float x[WIDTH_MAX];
    double norm = norm_of(v, c->dim);

    if (!isfinite(norm))
        return false;
    rotate(c, v, norm, x);
    codec_query_rotated(c, a, x, out);
    out->vector = v;
    out->norm = norm;
    return true;
}

/* ---- what they are worth */

/* The part of a query that is not along the row falls on the row's signs at random. Of a unit vector with many
 * coordinates, its signs hold 2/π; the rest is what they err by. Then there is what the four bits do: to a row that has
 * nothing to do with the query at random, to one that is like it always the same. */
float codes_bits_slack(const struct code_query *q, float cosine, float z)
{
    float aside = fmaxf(1 - cosine * cosine, 0), lost = 1 - 2 / (float)M_PI;

    return z * sqrtf(aside * lost + q->noise * q->noise) + fabsf(cosine) * q->bias;
}

/* A rounded coordinate errs by step / √12. A row's step is not kept: after the rotation the largest coordinate is hardly
 * ever more than four and a half times the mean one, unless the query's is, too. The second part is for a row that is the
 * query, whose errors are the same: at most half a step each. */
float codes_bytes_slack(const struct code_query *q, float cosine, float z)
{
    float width = (float)q->codec->width, row_step = fmaxf(4.5f / STEPS / sqrtf(width), q->step);
    float aside = fmaxf(1 - cosine * cosine, 0);

    return z * sqrtf(aside * (row_step * row_step + q->step * q->step) / 12) + width * row_step * q->step / 4;
}

/* What is left of a row's step is known to a quarter of it, and the query as good as exactly. The product of both remainders, at
 * most three sixteenths of a step each, is only worth something where row and query are all but the same. */
float codes_closely_slack(const struct code_query *q, float cosine, float z)
{
    float width = (float)q->codec->width, row_step = fmaxf(4.5f / STEPS / sqrtf(width), q->step);
    float along = cosine * cosine, same = along * along * along * along;

    return z * sqrtf(fmaxf(1 - along, 0) / 12) * row_step / 4 + same * width * row_step * q->step * 3 / 16;
}

static void unpack_rest(const uint8_t *rest, size_t width, int8_t *out)
{
    const bytes16 *packed = (const bytes16 *)(const void *)rest;
    sbytes16 *to = (sbytes16 *)(void *)out;
    size_t quarter = width / 4 / sizeof *packed;

    for (size_t j = 0; j < quarter; j++)
        for (unsigned k = 0; k < 4; k++)
            to[j + k * quarter] = (sbytes16)(((packed[j] >> (2 * k)) & 3) * 2) - 3;
}

/* The row is bytes + rest / REST, in steps of its own, and has their length. The product of both remainders is worth nothing. */
float codes_closely(const struct code_query *q, const int8_t *bytes, const uint8_t *packed)
{
    _Alignas(64) int8_t rest[WIDTH_MAX];
    const struct simd_kernels *simd = q->codec->simd;
    size_t n = q->codec->width;
    float dot, square;

    unpack_rest(packed, n, rest);
    dot = (float)simd->dot_i8(q->bytes, bytes, n) + (float)simd->dot_i8(q->fine, bytes, n) / FINE +
          (float)simd->dot_i8(q->bytes, rest, n) / REST;
    square = (float)simd->dot_i8(bytes, bytes, n) + (float)simd->dot_i8(bytes, rest, n) * (2 / REST) +
             (float)simd->dot_i8(rest, rest, n) / (REST * REST);
    return dot * q->step / sqrtf(square);
}

/* For vectors whose squares a float cannot hold. */
static double cosine_slowly(const float *a, const float *b, size_t n)
{
    double dot = 0;

    for (size_t i = 0; i < n; i++)
        dot += (double)a[i] * (double)b[i];
    return dot;
}

float codes_cosine(const struct code_query *q, const float *v)
{
    const struct simd_kernels *simd = q->codec->simd;
    size_t n = q->codec->dim;
    double square = (double)simd->dot_f32(v, v, n), norm = sqrt(square), cosine;
    bool is_plain = square > 0x1p-90 && square < 0x1p120 && q->norm > 0x1p-45 && q->norm < 0x1p60;

    if (!is_plain)
        norm = norm_of(v, n);
    if (!isfinite(norm) || norm <= 0 || q->norm <= 0)
        return 0;
    cosine = (is_plain ? (double)simd->dot_f32(q->vector, v, n) : cosine_slowly(q->vector, v, n)) / norm / q->norm;
    return (float)fmin(fmax(cosine, -1), 1);
}
