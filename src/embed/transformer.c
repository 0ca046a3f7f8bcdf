/* The graph of Universal Sentence Encoder Lite over a ragged batch: the rows of all texts stand one after the other. */
#include "transformer.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define HEAD_MAX   (MODEL_DIM / MODEL_HEADS)
#define SCALE0     0.125f                /* 1 / √64 */
#define SCALE1     0.08838835f           /* 1 / √128 */
#define NORM_LEAST 1e-12f

_Static_assert(MODEL_TOKENS % GEMM_PANEL == 0, "attention rounds a text's tokens up to whole panels");

/* What one batch works on. */
struct work {
    const struct model_file *model;
    const struct simd_kernels *k;
    enum model_precision precision;
    const struct span *texts;
    size_t n_texts, rows;
    float *state;                /* [rows][MODEL_DIM]: what flows through the layers */
    float *normal;               /* [rows][MODEL_DIM]: the layer norm of it */
    float *heads;                /* [rows][MODEL_DIM]: the heads' answers; in layer 0 beside them the embedding */
    float *wide;                 /* [rows][MODEL_HIDDEN]: queries, keys and values; then the hidden numbers */
    float *keys, *scores;        /* of one head and text */
    void *coded;                 /* [rows][MODEL_HIDDEN]: rows in the precision of the weights */
    float *code_scale;
    int32_t *code_zero;
};

/* How a layer differs from the other. */
struct layer {
    enum model_matrix qkv, out, up, down;
    enum model_norm attend, feed;
    size_t dim;                  /* of what the heads see */
    float scale;
};
static const struct layer LAYERS[] = {
    {MATRIX_QKV0, MATRIX_OUT0, MATRIX_UP0, MATRIX_DOWN0, NORM_ATTEND0, NORM_FEED0, MODEL_EMBEDDING, SCALE0},
    {MATRIX_QKV1, MATRIX_OUT1, MATRIX_UP1, MATRIX_DOWN1, NORM_ATTEND1, NORM_FEED1, MODEL_DIM, SCALE1},
};

/* ---- products with the model's weights */

static void code_bf16(struct work *w, struct gemm *g)
{
    uint16_t *out = w->coded;

    for (size_t r = 0; r < g->rows; r++)
        w->k->to_bf16((const float *)g->a + r * g->a_stride, g->depth, out + r * g->depth);
    g->a = w->coded;
    g->a_stride = g->depth;
    w->k->gemm_bf16(g);
}

static void code_int8(struct work *w, struct gemm *g)
{
    uint8_t *out = w->coded;

    for (size_t r = 0; r < g->rows; r++) {
        struct quantized q = w->k->quantize((const float *)g->a + r * g->a_stride, g->depth, out + r * g->depth);

        w->code_scale[r] = q.scale;
        w->code_zero[r] = q.zero;
    }
    g->a = w->coded;
    g->a_stride = g->depth;
    g->a_scale = w->code_scale;
    g->a_zero = w->code_zero;
    g->w_scale = (const float *)((const uint8_t *)g->w + g->depth * g->columns);
    g->w_sum = (const int32_t *)(g->w_scale + g->columns);
    w->k->gemm_i8(g);
}

enum { ADD = 1, RELU = 2 };

/* c = a · m + bias; both row by row without gaps, c as wide as the matrix. */
static void product(struct work *w, enum model_matrix m, const float *a, size_t rows, float *c, int how)
{
    const struct model_shape s = MODEL_SHAPES[m];
    struct gemm g = {
        .rows = rows, .depth = s.depth, .columns = s.columns,
        .a = a, .a_stride = s.depth, .c = c, .c_stride = s.columns,
        .w = w->model->weights[w->precision] + model_weights_at(w->precision, m),
        .w_stride = GEMM_PANEL, .w_panel = GEMM_PANEL * s.depth,
        .bias = w->model->biases + model_bias_at(m),
        .add = how & ADD, .relu = how & RELU,
    };

    if (w->precision == PRECISION_INT8)
        code_int8(w, &g);
    else if (w->precision == PRECISION_BF16)
        code_bf16(w, &g);
    else
        w->k->gemm_f32(&g);
}

/* Rows of dim numbers, stride apart, to rows without gaps. */
static void layer_norms(struct work *w, enum model_norm n, const float *x, size_t stride)
{
    size_t dim = MODEL_NORM_DIM[n];
    const float *gain = w->model->norms + model_norm_at(n);

    for (size_t r = 0; r < w->rows; r++)
        w->k->layer_norm(x + r * stride, dim, gain, gain + dim, w->normal + r * dim);
}

/* ---- attention: always f32, because its products have no weights */

/* The keys of a head as panels; what is missing in the last one stays 0. */
static void pack_keys(float *out, const float *keys, size_t n, size_t stride, size_t head)
{
    memset(out, 0, (n + GEMM_PANEL - 1) / GEMM_PANEL * GEMM_PANEL * head * sizeof *out);
    for (size_t t = 0; t < n; t++) {
        float *to = out + t / GEMM_PANEL * GEMM_PANEL * head + t % GEMM_PANEL;

        for (size_t i = 0; i < head; i++)
            to[i * GEMM_PANEL] = keys[t * stride + i];
    }
}

/* One head of one text; qkv points to its queries. */
static void attend(struct work *w, const struct layer *l, const float *qkv, size_t n, float *out)
{
    size_t head = l->dim / MODEL_HEADS, stride = 3 * l->dim;
    size_t columns = (n + GEMM_PANEL - 1) / GEMM_PANEL * GEMM_PANEL;
    struct gemm likeness = {
        .rows = n, .depth = head, .columns = columns, .a = qkv, .a_stride = stride,
        .w = w->keys, .w_stride = GEMM_PANEL, .w_panel = GEMM_PANEL * head, .c = w->scores, .c_stride = columns,
    };
    struct gemm answer = {
        .rows = n, .depth = n, .columns = head, .a = w->scores, .a_stride = columns,
        .w = qkv + 2 * l->dim, .w_stride = stride, .w_panel = GEMM_PANEL, .c = out, .c_stride = MODEL_DIM,
    };

    pack_keys(w->keys, qkv + l->dim, n, stride, head);
    w->k->gemm_f32(&likeness);
    for (size_t r = 0; r < n; r++)
        w->k->softmax(w->scores + r * columns, n, l->scale);
    w->k->gemm_f32(&answer);
}

static void attend_all(struct work *w, const struct layer *l)
{
    size_t row = 0, head = l->dim / MODEL_HEADS;

    for (size_t t = 0; t < w->n_texts; row += w->texts[t++].n)
        for (size_t h = 0; h < MODEL_HEADS; h++)
            attend(w, l, w->wide + row * 3 * l->dim + h * head, w->texts[t].n, w->heads + row * MODEL_DIM + h * head);
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

    layer_norms(w, l->attend, first ? w->heads + MODEL_EMBEDDING : w->state, MODEL_DIM);
    product(w, l->qkv, w->normal, w->rows, w->wide, 0);
    attend_all(w, l);
    product(w, l->out, w->heads, w->rows, w->state, first ? 0 : ADD);
}

static void hidden_of_layer(struct work *w, const struct layer *l)
{
    layer_norms(w, l->feed, w->state, MODEL_DIM);
    product(w, l->up, w->normal, w->rows, w->wide, RELU);
}

/* The mean of each text's rows; out may be x. */
static void means(const struct work *w, const float *x, size_t dim, float *out)
{
    for (size_t t = 0; t < w->n_texts; x += w->texts[t++].n * dim, out += dim) {
        float per = 1 / (float)w->texts[t].n;

        memmove(out, x, dim * sizeof *out);
        for (size_t r = 1; r < w->texts[t].n; r++)
            for (size_t j = 0; j < dim; j++)
                out[j] += x[r * dim + j];
        for (size_t j = 0; j < dim; j++)
            out[j] *= per;
    }
}

static void to_unit(float *v)
{
    float squares = 0, by;

    for (size_t j = 0; j < MODEL_DIM; j++)
        squares += v[j] * v[j];
    by = 1 / sqrtf(squares > NORM_LEAST ? squares : NORM_LEAST);
    for (size_t j = 0; j < MODEL_DIM; j++)
        v[j] *= by;
}

/* Only the mean of the last layer's rows is asked for, so its second product is made of the means. */
static void finish(struct work *w, float *out)
{
    means(w, w->wide, MODEL_HIDDEN, w->wide);
    means(w, w->state, MODEL_DIM, w->state);
    product(w, MATRIX_DOWN1, w->wide, w->n_texts, w->state, ADD);
    product(w, MATRIX_LAST, w->state, w->n_texts, out, 0);
    w->k->tanh(out, w->n_texts * MODEL_DIM);
    for (size_t t = 0; t < w->n_texts; t++)
        to_unit(out + t * MODEL_DIM);
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
    }
    w.state = ARENA_ARRAY(scratch, float, w.rows * MODEL_DIM);
    w.normal = ARENA_ARRAY(scratch, float, w.rows * MODEL_DIM);
    w.heads = ARENA_ARRAY(scratch, float, w.rows * MODEL_DIM);
    w.wide = ARENA_ARRAY(scratch, float, w.rows * MODEL_HIDDEN);
    w.keys = ARENA_ARRAY(scratch, float, MODEL_TOKENS * HEAD_MAX);
    w.scores = ARENA_ARRAY(scratch, float, MODEL_TOKENS * MODEL_TOKENS);
    if (p != PRECISION_F32) {
        w.coded = ARENA_ARRAY(scratch, uint16_t, w.rows * MODEL_HIDDEN);
        w.code_scale = ARENA_ARRAY(scratch, float, w.rows);
        w.code_zero = ARENA_ARRAY(scratch, int32_t, w.rows);
    }
    look_up(&w);
    attention_of_layer(&w, &LAYERS[0]);
    hidden_of_layer(&w, &LAYERS[0]);
    product(&w, LAYERS[0].down, w.wide, w.rows, w.state, ADD);
    attention_of_layer(&w, &LAYERS[1]);
    hidden_of_layer(&w, &LAYERS[1]);
    finish(&w, out);
}
