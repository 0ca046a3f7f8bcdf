/* The graph of Universal Sentence Encoder Lite over a ragged batch: the rows of all texts stand one after the other. */
#include "transformer.h"

#include <assert.h>
#include <math.h>

#include "attention.h"
#include "products.h"

#define NORM_LEAST 1e-12f
#define EPSILON 1e-6 /* of the norms */
#define LINE 64      /* bytes of a cache line */

/* What one batch works on. */
struct work {
    const struct model_file *model;
    const struct simd_kernels *k;
    struct products products;
    const struct span *texts;
    size_t n_texts, rows, longest;
    float *state;  /* [rows][MODEL_DIM]: what flows through the layers */
    float *normal; /* [rows][MODEL_DIM]: the layer norm of it */
    float *heads;  /* [rows][MODEL_DIM]: the heads' answers; in layer 0 beside them the embedding */
    float *wide;   /* [rows][MODEL_HIDDEN]: queries, keys and values; then the hidden numbers */
    float *mean;   /* [n_texts][MODEL_HIDDEN] */
    struct attention attention;
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

/* c = layer norm of x · m + bias; the rows of x are MODEL_DIM apart. */
static void product_of_norm(struct work *w, enum model_norm n, const float *x, enum model_matrix m, float *c, int how)
{
    size_t dim = w->model->plan->norms[n];
    const float *gain = w->model->norms + model_norm_at(w->model->plan, n);
    bool plain = w->products.precision == PRECISION_F32;

    for (size_t r = 0; r < w->rows; r++) {
        float *normal = w->normal + (plain ? r * dim : 0);

        w->k->layer_norm(x + r * MODEL_DIM, dim, EPSILON, gain, gain + dim, normal);
        if (!plain)
            product_code_row(&w->products, r, normal, dim);
    }
    product_of_coded(&w->products, m, plain ? w->normal : w->products.coded, w->rows, c, how);
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
    product_of_rows(&w->products, l->out, w->heads, w->rows, w->state, first ? 0 : PRODUCT_ADD);
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

static void transformer_to_unit(const struct simd_kernels *k, float *v)
{
    float squares = k->dot_f32(v, v, MODEL_DIM), by = 1 / sqrtf(squares > NORM_LEAST ? squares : NORM_LEAST);

    for (size_t j = 0; j < MODEL_DIM; j++)
        v[j] *= by;
}

/* Only the mean of the last layer's rows is asked for, so its second product is made of the means. */
static void transformer_finish(struct work *w, float *out)
{
    float *mean_state = w->normal;

    means(w, w->wide, MODEL_HIDDEN, w->mean);
    means(w, w->state, MODEL_DIM, mean_state);
    product_of_rows(&w->products, MATRIX_DOWN1, w->mean, w->n_texts, mean_state, PRODUCT_ADD);
    product_of_rows(&w->products, MATRIX_LAST, mean_state, w->n_texts, out, 0);
    w->k->tanh(out, w->n_texts * MODEL_DIM);
    for (size_t t = 0; t < w->n_texts; t++)
        transformer_to_unit(w->k, out + t * MODEL_DIM);
}

/* All of it in one piece: pieces of this size come back from the C library without a page fault each. */
static void take_scratch(struct work *w, struct arena *scratch)
{
    size_t floats = w->rows * (3 * MODEL_DIM + MODEL_HIDDEN) + w->n_texts * MODEL_HIDDEN;
    struct attention_shape shape = {MODEL_HEADS, MODEL_DIM, w->products.precision != PRECISION_F32};
    size_t attention = attention_size(&shape, w->longest);
    size_t products = products_size(w->products.precision, w->rows, MODEL_HIDDEN);
    uint8_t *at = arena_alloc(scratch, LINE + attention + floats * sizeof(float) + products);

    at += (LINE - (uintptr_t)at % LINE) % LINE;
    w->attention = attention_over(w->k, &shape, w->longest, at);
    w->state = (float *)(at + attention);
    w->normal = w->state + w->rows * MODEL_DIM;
    w->heads = w->normal + w->rows * MODEL_DIM;
    w->wide = w->heads + w->rows * MODEL_DIM;
    w->mean = w->wide + w->rows * MODEL_HIDDEN;
    products_take(&w->products, w->rows, MODEL_HIDDEN, w->mean + w->n_texts * MODEL_HIDDEN);
}

void transform(const struct model_file *m, const struct simd_kernels *k, enum model_precision p, struct arena *scratch,
               const struct span *texts, size_t n, float *out)
{
    struct work w = {.model = m, .k = k, .products = {.model = m, .k = k, .precision = p}, .texts = texts, .n_texts = n};

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
        product_of_norm(&w, l->feed, w.state, l->up, w.wide, PRODUCT_RELU);
        if (l == LAYERS)
            product_of_rows(&w.products, l->down, w.wide, w.rows, w.state, PRODUCT_ADD);
    }
    transformer_finish(&w, out);
}
