/* The graph of a BERT encoder over a ragged batch: the rows of all texts stand one after the other, so padding costs nothing. */
#include "bert.h"

#include <assert.h>
#include <math.h>

#include "attention.h"
#include "products.h"

#define LINE 64       /* bytes of a cache line */
#define BLOCK_ROWS 64 /* that go through the hidden layer together: their hidden numbers fit into a processor's own cache */

/* What one batch works on. */
struct bert_work {
    const struct model_file *model;
    const struct simd_kernels *k;
    struct products products;
    const struct span *texts;
    size_t n_texts, rows, longest;
    float *state; /* [rows][BERT_DIM]: what flows through the layers */
    float *heads; /* [rows][BERT_DIM]: the heads' answers */
    float *wide;  /* [rows][3 * BERT_DIM]: queries, keys, values; or [BLOCK_ROWS][BERT_HIDDEN]: hidden numbers */
    struct attention attention;
};

/* Each row of state becomes its layer norm. */
static void norm_rows(struct bert_work *w, size_t norm, size_t first, size_t end)
{
    const float *gain = w->model->norms + model_norm_at(w->model->plan, norm);

    for (size_t r = first; r < end; r++) {
        float *x = w->state + r * BERT_DIM;

        w->k->layer_norm(x, BERT_DIM, BERT_EPSILON, gain, gain + BERT_DIM, x);
    }
}

/* A piece and its place; the kind of text is part of the place. */
static void embed_pieces(struct bert_work *w)
{
    float *x = w->state;

    for (size_t t = 0; t < w->n_texts; t++)
        for (size_t i = 0; i < w->texts[t].n; i++, x += BERT_DIM) {
            const uint16_t *halves = w->model->halves + (size_t)w->texts[t].ids[i] * BERT_DIM;
            const float *place = w->model->timing + i * BERT_DIM;

            w->k->from_half(halves, BERT_DIM, x);
            for (size_t j = 0; j < BERT_DIM; j++)
                x[j] += place[j];
        }
    norm_rows(w, 0, 0, w->rows);
}

static void attend_all(struct bert_work *w, size_t layer)
{
    product_of_rows(&w->products, bert_matrix_at(layer, BERT_QKV), w->state, w->rows, w->wide, 0);
    for (size_t t = 0, row = 0; t < w->n_texts; row += w->texts[t++].n)
        attend(&w->attention, w->wide + row * 3 * BERT_DIM, w->texts[t].n, BERT_DIM, w->heads + row * BERT_DIM, BERT_DIM);
    product_of_rows(&w->products, bert_matrix_at(layer, BERT_OUT), w->heads, w->rows, w->state, PRODUCT_ADD);
    norm_rows(w, bert_norm_at(layer, BERT_AFTER_HEADS), 0, w->rows);
}

/* Some rows through the hidden layer: up, gelu, down. */
static void feed_block(struct bert_work *w, size_t layer, size_t first, size_t end)
{
    size_t rows = end - first;
    float *state = w->state + first * BERT_DIM;

    product_of_rows(&w->products, bert_matrix_at(layer, BERT_UP), state, rows, w->wide, 0);
    for (size_t r = 0; r < rows; r++)
        w->k->gelu(w->wide + r * BERT_HIDDEN, BERT_HIDDEN);
    product_of_rows(&w->products, bert_matrix_at(layer, BERT_DOWN), w->wide, rows, state, PRODUCT_ADD);
    norm_rows(w, bert_norm_at(layer, BERT_AFTER_FEED), first, end);
}

/* In blocks of like size. */
static void feed_all(struct bert_work *w, size_t layer)
{
    size_t blocks = (w->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;

    for (size_t b = 0; b < blocks; b++)
        feed_block(w, layer, w->rows * b / blocks, w->rows * (b + 1) / blocks);
}

/* The mean of each text's rows, of unit length. */
static void pool_rows(struct bert_work *w, float *out)
{
    const float *x = w->state;

    for (size_t t = 0; t < w->n_texts; t++, out += BERT_DIM) {
        double sum[BERT_DIM] = {0}, squares = 0;

        for (size_t i = 0; i < w->texts[t].n; i++, x += BERT_DIM)
            for (size_t j = 0; j < BERT_DIM; j++)
                sum[j] += (double)x[j];
        for (size_t j = 0; j < BERT_DIM; j++)
            squares += sum[j] * sum[j];
        for (size_t j = 0; j < BERT_DIM; j++)
            out[j] = squares > 0 ? (float)(sum[j] / sqrt(squares)) : 0;
    }
}

static struct attention_shape bert_heads(enum model_precision p)
{
    return (struct attention_shape){BERT_HEADS, BERT_DIM, p != PRECISION_F32};
}

static size_t floats_of_rows(size_t rows)
{
    size_t hidden = (rows < BLOCK_ROWS ? rows : BLOCK_ROWS) * BERT_HIDDEN, qkv = rows * 3 * BERT_DIM;

    return 2 * rows * BERT_DIM + (hidden > qkv ? hidden : qkv);
}

size_t bert_memory(enum model_precision p, size_t rows, size_t longest)
{
    struct attention_shape shape = bert_heads(p);

    return LINE + attention_size(&shape, longest) + floats_of_rows(rows) * sizeof(float) +
           products_size(p, rows, BERT_HIDDEN);
}

static void take_memory(struct bert_work *w, uint8_t *at)
{
    struct attention_shape shape = bert_heads(w->products.precision);

    at += (LINE - (uintptr_t)at % LINE) % LINE;
    w->attention = attention_over(w->k, &shape, w->longest, at);
    w->state = (float *)(at + attention_size(&shape, w->longest));
    w->heads = w->state + w->rows * BERT_DIM;
    w->wide = w->heads + w->rows * BERT_DIM;
    products_take(&w->products, w->rows, BERT_HIDDEN, w->state + floats_of_rows(w->rows));
}

void bert_encode(const struct model_file *m, const struct simd_kernels *k, enum model_precision p, void *memory,
                 const struct span *texts, size_t n, float *out)
{
    struct bert_work w = {
        .model = m, .k = k, .products = { .model = m, .k = k, .precision = p }, .texts = texts, .n_texts = n,
    };

    if (n == 0)
        return;
    for (size_t t = 0; t < n; t++) {
        assert(texts[t].n >= 1 && texts[t].n <= BERT_TOKENS);
        w.rows += texts[t].n;
        w.longest = texts[t].n > w.longest ? texts[t].n : w.longest;
    }
    take_memory(&w, memory);
    embed_pieces(&w);
    for (size_t layer = 0; layer < BERT_LAYERS; layer++) {
        attend_all(&w, layer);
        feed_all(&w, layer);
    }
    pool_rows(&w, out);
}
