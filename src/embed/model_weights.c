/* Where the tensors stand in the package, and packing them for the kernels. */
#include "model_weights.h"

#include <math.h>
#include <string.h>

#include "simd.h"

const uint8_t SOURCE_WEIGHTS_SHA256[MODEL_HASH] = {
    0x71, 0x36, 0x39, 0xdf, 0xf4, 0xb5, 0xb3, 0xcc, 0x4a, 0x1c, 0xa0, 0x70, 0x07, 0x7c, 0x0f, 0x11,
    0x25, 0x02, 0x25, 0x82, 0xdd, 0x1d, 0x2e, 0xc8, 0x96, 0x1d, 0x92, 0x90, 0x5c, 0x28, 0x93, 0x00,
};
const uint8_t SOURCE_VOCABULARY_SHA256[MODEL_HASH] = {
    0x1a, 0xd8, 0x60, 0xb9, 0x72, 0x0c, 0x16, 0xcd, 0x48, 0xe6, 0x66, 0xd6, 0x64, 0xa5, 0x56, 0xb2,
    0x51, 0x5c, 0x04, 0xf5, 0xa2, 0x6a, 0x4b, 0x53, 0xc0, 0x37, 0x24, 0x27, 0x91, 0x3b, 0x1b, 0x8e,
};

/* Byte offsets in the shards' bytes; everything is float, matrices row by row as [in][out]. */
#define SOURCE_EMBEDDINGS 18132056
#define SOURCE_FREQUENCIES 26326104

struct source_matrix {
    uint32_t weights, beneath; /* beneath: the rows that make the depth full; 0: none */
    uint32_t bias, bias_too;   /* bias_too: to be added; 0: none */
};

static const struct source_matrix MATRICES[MODEL_N_MATRICES] = {
    [MATRIX_QKV0] = {.weights = 16816176, .bias = 17602608},
    [MATRIX_OUT0] = {.weights = 17605720, .beneath = 26326616, .bias = 18130008, .bias_too = 26850904},
    [MATRIX_UP0] = {.weights = 13656088, .bias = 16805916},
    [MATRIX_DOWN0] = {.weights = 10510360, .bias = 16812064},
    [MATRIX_QKV1] = {.weights = 6307844, .bias = 9453572},
    [MATRIX_OUT1] = {.weights = 9459736, .bias = 10508312},
    [MATRIX_UP1] = {.weights = 3145728, .bias = 6295552},
    [MATRIX_DOWN1] = {.weights = 0, .bias = 6301696},
    [MATRIX_LAST] = {.weights = 26853024, .bias = 27901600},
};

static const struct {
    uint32_t gain, bias;
} NORMS[MODEL_N_NORMS] = {
    [NORM_ATTEND0] = {16814124, 16815152},
    [NORM_FEED0] = {16801816, 16803864},
    [NORM_ATTEND1] = {6303748, 6305796},
    [NORM_FEED1] = {6291456, 6293504},
};

static const float *floats_at(const uint8_t *source, uint32_t offset)
{
    return (const float *)(source + offset);
}

/* The matrix as one [depth][columns]. */
static const float *whole_matrix(struct arena *a, const uint8_t *source, enum model_matrix m)
{
    const struct model_shape shape = model_plan_of(MODEL_USE)->matrices[m];
    const struct source_matrix *from = &MATRICES[m];
    size_t half = shape.depth * shape.columns / 2;
    float *whole;

    if (!from->beneath)
        return floats_at(source, from->weights);
    whole = ARENA_ARRAY(a, float, 2 * half);
    memcpy(whole, floats_at(source, from->weights), half * sizeof *whole);
    memcpy(whole + half, floats_at(source, from->beneath), half * sizeof *whole);
    return whole;
}

/* Where w[k][j] goes when the numbers of a column stand in groups of this many. */
static size_t packed_at(struct model_shape s, size_t k, size_t j, size_t group)
{
    size_t panel = j / GEMM_PANEL * GEMM_PANEL * s.depth;

    return panel + (k / group * GEMM_PANEL + j % GEMM_PANEL) * group + k % group;
}

static void pack_f32(struct model_shape s, const float *w, float *out)
{
    for (size_t k = 0; k < s.depth; k++)
        for (size_t j = 0; j < s.columns; j++)
            out[packed_at(s, k, j, 1)] = w[k * s.columns + j];
}

static void pack_bf16(struct model_shape s, const float *w, uint16_t *out)
{
    const struct simd_kernels *plain = simd_choose("scalar", NULL, 0);

    for (size_t k = 0; k < s.depth; k++)
        for (size_t j = 0; j < s.columns; j++)
            plain->to_bf16(w + k * s.columns + j, 1, out + packed_at(s, k, j, GEMM_PAIR));
}

/* Symmetric, with a scale for each column. */
static void pack_i8(struct model_shape s, const float *w, uint8_t *out)
{
    float *scale = (float *)(out + s.depth * s.columns);
    int32_t *sum = (int32_t *)(scale + s.columns);

    for (size_t j = 0; j < s.columns; j++) {
        float most = 0;

        for (size_t k = 0; k < s.depth; k++)
            most = fmaxf(most, fabsf(w[k * s.columns + j]));
        scale[j] = most / 127;
        for (size_t k = 0; k < s.depth; k++) {
            int8_t q = (int8_t)(most > 0 ? lrintf(w[k * s.columns + j] * 127 / most) : 0);

            ((int8_t *)out)[packed_at(s, k, j, GEMM_FOUR)] = q;
            sum[j] += q;
        }
    }
}

void model_matrix_pack(enum model_precision p, struct model_shape s, const float *w, uint8_t *out)
{
    if (p == PRECISION_BF16)
        pack_bf16(s, w, (uint16_t *)out);
    else if (p == PRECISION_INT8)
        pack_i8(s, w, out);
    else
        pack_f32(s, w, (float *)out);
}

static void fill_weights(struct arena *a, const uint8_t *source, enum model_precision p, uint8_t *out)
{
    const struct model_plan *plan = model_plan_of(MODEL_USE);

    for (enum model_matrix m = 0; m < MODEL_N_MATRICES; m++)
        model_matrix_pack(p, plan->matrices[m], whole_matrix(a, source, m), out + model_weights_at(plan, p, m));
}

/* Sines first, then cosines. */
static void fill_timing(const float *frequencies, float *out)
{
    size_t half = MODEL_EMBEDDING / 2;

    for (size_t t = 0; t < MODEL_TOKENS; t++)
        for (size_t j = 0; j < half; j++) {
            float angle = (float)t * frequencies[j];

            out[t * MODEL_EMBEDDING + j] = (float)sin((double)angle);
            out[t * MODEL_EMBEDDING + half + j] = (float)cos((double)angle);
        }
}

static void fill_norms(const uint8_t *source, float *out)
{
    const struct model_plan *plan = model_plan_of(MODEL_USE);

    for (enum model_norm n = 0; n < MODEL_N_NORMS; n++) {
        size_t dim = plan->norms[n], at = model_norm_at(plan, n);

        memcpy(out + at, floats_at(source, NORMS[n].gain), dim * sizeof *out);
        memcpy(out + at + dim, floats_at(source, NORMS[n].bias), dim * sizeof *out);
    }
}

static void fill_biases(const uint8_t *source, float *out)
{
    const struct model_shape *shapes = model_plan_of(MODEL_USE)->matrices;

    for (enum model_matrix m = 0; m < MODEL_N_MATRICES; out += shapes[m++].columns)
        for (size_t j = 0; j < shapes[m].columns; j++) {
            out[j] = floats_at(source, MATRICES[m].bias)[j];
            if (MATRICES[m].bias_too)
                out[j] += floats_at(source, MATRICES[m].bias_too)[j];
        }
}

void model_section_fill(struct arena *a, const uint8_t *source, enum model_section s, uint8_t *out)
{
    switch (s) {
    case SECTION_VOCABULARY:
        break;
    case SECTION_EMBEDDINGS:
        memcpy(out, floats_at(source, SOURCE_EMBEDDINGS), model_section_size(model_plan_of(MODEL_USE), s));
        break;
    case SECTION_TIMING:
        fill_timing(floats_at(source, SOURCE_FREQUENCIES), (float *)out);
        break;
    case SECTION_NORMS:
        fill_norms(source, (float *)out);
        break;
    case SECTION_BIASES:
        fill_biases(source, (float *)out);
        break;
    default:
        fill_weights(a, source, (enum model_precision)(s - SECTION_WEIGHTS), out);
    }
}
