/* The graph of Universal Sentence Encoder Lite over a ragged batch: the rows of all texts stand one after the other. */
#include "transformer.h"

#include <assert.h>
#include <math.h>

#include "attention.h"

#define NORM_LEAST 1e-12f
#define LINE 64 /* bytes of a cache line */

/* What one batch works on. */
struct work {
    const struct model_file *model;
    const struct simd_kernels *k;
    enum model_precision precision;
    const struct span *texts;
    size_t n_texts, rows, longest;
    float *state;  /* [rows][MODEL_DIM]: what flows through the layers */
    float *normal; /* [rows][MODEL_DIM]: the layer norm of it */
    float *heads;  /* [rows][MODEL_DIM]: the heads' answers; in layer 0 beside them the embedding */
    float *wide;   /* [rows][MODEL_HIDDEN]: queries, keys and values; then the hidden numbers */
    float *mean;   /* [n_texts][MODEL_HIDDEN] */
    struct attention attention;
    void *coded; /* [rows][MODEL_HIDDEN]: rows in the precision of the weights */
    float *code_scale;
    int32_t *code_zero;
};

/* How a layer differs from the other. */
struct layer {
    enum model_matrix qkv, out, up, down;
    enum model_norm attend, feed;
    size_t dim; /* of what the heads see */
};
static const struct layer LAYERS[] = {
    {MATRIX_QKV0, MATRIX_OUT0, MATRIX_UP0, MATRIX_DOWN0, NORM_ATTEND0, NORM_FEED0, MODEL_EMBEDDING},
    {MATRIX_QKV1, MATRIX_OUT1, MATRIX_UP1, MATRIX_DOWN1, NORM_ATTEND1, NORM_FEED1, MODEL_DIM},
};

/* ---- products with the model's weights */

/* Row r of what is multiplied next, in the precision of the weights. */
static void code_row(struct work *w, size_t r, const float *x, size_t dim)
{
    if (w->precision == PRECISION_INT8) {
        struct quantized q = w->k->quantize(x, dim, (uint8_t *)w->coded + r * dim);

        w->code_scale[r] = q.scale;
        w->code_zero[r] = q.zero;
    } else {
        w->k->to_bf16(x, dim, (uint16_t *)w->coded + r * dim);
    }
}

enum { ADD = 1, RELU = 2 };

/* c = coded rows · m + bias; c is as wide as the matrix. */
static void product_of_coded(struct work *w, enum model_matrix m, const void *a, size_t rows, float *c, int how)
{
    const struct model_shape s = MODEL_SHAPES[m];
    const uint8_t *weights = w->model->weights[w->precision] + model_weights_at(w->precision, m);
    struct gemm g = {
        .rows = rows, .depth = s.depth, .columns = s.columns,
        .a = a, .a_stride = s.depth, .c = c, .c_stride = s.columns,
        .w = weights, .w_stride = GEMM_PANEL, .w_panel = GEMM_PANEL * s.depth,
        .bias = w->model->biases + model_bias_at(m),
        .add = how & ADD, .relu = how & RELU,
        .a_scale = w->code_scale, .a_zero = w->code_zero,
    };

    switch (w->precision) {
    case PRECISION_INT8:
        g.w_scale = (const float *)(weights + s.depth * s.columns);
        g.w_sum = (const int32_t *)(g.w_scale + s.columns);
        w->k->gemm_i8(&g);
        break;
    case PRECISION_BF16:
        w->k->gemm_bf16(&g);
        break;
    default:
        w->k->gemm_f32(&g);
    }
}

/* c = a · m + bias; both row by row without gaps. */
static void product(struct work *w, enum model_matrix m, const float *a, size_t rows, float *c, int how)
{
    size_t dim = MODEL_SHAPES[m].depth;

    for (size_t r = 0; w->precision != PRECISION_F32 && r < rows; r++)
        code_row(w, r, a + r * dim, dim);
    product_of_coded(w, m, w->precision == PRECISION_F32 ? a : w->coded, rows, c, how);
}

/* c = layer norm of x · m + bias; the rows of x are MODEL_DIM apart. */
static void product_of_norm(struct work *w, enum model_norm n, const float *x, enum model_matrix m, float *c, int how)
{
    size_t dim = MODEL_NORM_DIM[n];
    const float *gain = w->model->norms + model_norm_at(n);

    for (size_t r = 0; r < w->rows; r++) {
        float *normal = w->normal + (w->precision == PRECISION_F32 ? r * dim : 0);

        w->k->layer_norm(x + r * MODEL_DIM, dim, gain, gain + dim, normal);
        if (w->precision != PRECISION_F32)
            code_row(w, r, normal, dim);
    }
    product_of_coded(w, m, w->precision == PRECISION_F32 ? w->normal : w->coded, w->rows, c, how);
}

/* ---- the layers */

/* Twice the token's embedding, and where it stands; into the right half of heads. */
static void look_up(struct work *w)
{
    float *x = w->heads + MODEL_EMBEDDING;

    for (size_t t = 0; t < w->n_texts; t++)
        for (size_t i = 0; i < w->texts[t].n; i++, x += MODEL_DIM) {
            const float *e = w->model->embeddings + (size_t)w->texts[t].ids[i] * MODEL_EMBEDDING;
            const float *timing = w->model->timing + i * MODEL_EMBEDDING;

            for (size_t j = 0; j < MODEL_EMBEDDING; j++)
                x[j] = 2 * e[j] + timing[j];
        }
}

/* Layer 0 makes the state; its way past the heads is part of its matrix. */
static void attention_of_layer(struct work *w, const struct layer *l)
{
    bool first = l == LAYERS;

    product_of_norm(w, l->attend, first ? w->heads + MODEL_EMBEDDING : w->state, l->qkv, w->wide, 0);
    for (size_t t = 0, row = 0; t < w->n_texts; row += w->texts[t++].n)
        attend(&w->attention, w->wide + row * 3 * l->dim, w->texts[t].n, l->dim, w->heads + row * MODEL_DIM, MODEL_DIM);
    product(w, l->out, w->heads, w->rows, w->state, first ? 0 : ADD);
}

/* The mean of each text's rows: their product with a row of 1/n. */
static void means(struct work *w, const float *x, size_t dim, float *out)
{
    float share[MODEL_TOKENS];

    for (size_t t = 0; t < w->n_texts; x += w->texts[t++].n * dim, out += dim) {
        size_t n = w->texts[t].n;
        struct gemm g = {
            .rows = 1, .depth = n, .columns = dim, .a = share, .a_stride = n,
            .w = x, .w_stride = dim, .w_panel = GEMM_PANEL, .c = out, .c_stride = dim,
        };

        for (size_t i = 0; i < n; i++)
            share[i] = 1 / (float)n;
        w->k->gemm_f32(&g);
    }
}

static void to_unit(const struct simd_kernels *k, float *v)
{
    float squares = k->dot_f32(v, v, MODEL_DIM), by = 1 / sqrtf(squares > NORM_LEAST ? squares : NORM_LEAST);

    for (size_t j = 0; j < MODEL_DIM; j++)
        v[j] *= by;
}

/* Only the mean of the last layer's rows is asked for, so its second product is made of the means. */
static void finish(struct work *w, float *out)
{
    float *mean_state = w->normal;

    means(w, w->wide, MODEL_HIDDEN, w->mean);
    means(w, w->state, MODEL_DIM, mean_state);
    product(w, MATRIX_DOWN1, w->mean, w->n_texts, mean_state, ADD);
    product(w, MATRIX_LAST, mean_state, w->n_texts, out, 0);
    w->k->tanh(out, w->n_texts * MODEL_DIM);
    for (size_t t = 0; t < w->n_texts; t++)
        to_unit(w->k, out + t * MODEL_DIM);
}

/* All of it in one piece: pieces of this size come back from the C library without a page fault each. */
static void take_scratch(struct work *w, struct arena *scratch)
{
    size_t code = w->precision == PRECISION_F32 ? 0 : w->precision == PRECISION_BF16 ? sizeof(uint16_t) : 1;
    size_t floats = w->rows * (3 * MODEL_DIM + MODEL_HIDDEN + 2) + w->n_texts * MODEL_HIDDEN;
    bool in_bf16 = w->precision != PRECISION_F32;
    size_t attention = attention_size(w->longest, in_bf16);
    uint8_t *at = arena_alloc(scratch, LINE + attention + floats * sizeof(float) + w->rows * MODEL_HIDDEN * code);

    at += (LINE - (uintptr_t)at % LINE) % LINE;
    w->attention = attention_over(w->k, w->longest, in_bf16, at);
    w->state = (float *)(at + attention);
    w->normal = w->state + w->rows * MODEL_DIM;
    w->heads = w->normal + w->rows * MODEL_DIM;
    w->wide = w->heads + w->rows * MODEL_DIM;
    w->mean = w->wide + w->rows * MODEL_HIDDEN;
    w->coded = w->mean + w->n_texts * MODEL_HIDDEN;
    w->code_scale = (float *)((uint8_t *)w->coded + w->rows * MODEL_HIDDEN * code);
    w->code_zero = (int32_t *)(w->code_scale + w->rows);
}

void transform(const struct model_file *m, const struct simd_kernels *k, enum model_precision p, struct arena *scratch,
               const struct span *texts, size_t n, float *out)
{
    struct work w = {.model = m, .k = k, .precision = p, .texts = texts, .n_texts = n};

    if (n == 0)
        return;
    for (size_t t = 0; t < n; t++) {
        assert(texts[t].n >= 1 && texts[t].n <= MODEL_TOKENS);
        w.rows += texts[t].n;
        w.longest = texts[t].n > w.longest ? texts[t].n : w.longest;
    }
    take_scratch(&w, scratch);
    look_up(&w);
    for (const struct layer *l = LAYERS; l < LAYERS + 2; l++) {
        attention_of_layer(&w, l);
        product_of_norm(&w, l->feed, w.state, l->up, w.wide, RELU);
        if (l == LAYERS)
            product(&w, l->down, w.wide, w.rows, w.state, ADD);
    }
    finish(&w, out);
}
