/* Texts to windows, windows to batches, batches to vectors; see embedder.h. */
#include "embedder.h"

#include <math.h>
#include <string.h>

#include "bert.h"
#include "transformer.h"
#include "windows.h"

#define BATCH_ROWS 256                   /* tokens computed together: enough to read the weights rarely */
#define LETTERS_LEAST 0.01               /* a piece: of a text that is all unknown */
#define SCRATCH_CAP (512u * 1024 * 1024) /* the longest text, if every character of it decomposes into 18 */

_Static_assert(EMBEDDER_WINDOW == MODEL_TOKENS, "the interface and the model agree");
_Static_assert(BATCH_ROWS >= MODEL_TOKENS && BATCH_ROWS >= BERT_TOKENS, "the longest text is a batch");

static const char *const PRECISION_NAMES[N_PRECISIONS] = {
    [PRECISION_F32] = "f32",
    [PRECISION_BF16] = "bf16",
    [PRECISION_INT8] = "int8",
};

struct embedder {
    struct model_file model;
    const struct simd_kernels *k;
    enum model_precision precision;
};

bool embedder_open(struct arena *a, const char *path, const char *precision, const struct simd_kernels *k,
                   const struct embedder **out, const char **why)
{
    struct embedder *e = ARENA_NEW(a, struct embedder);
    size_t p = 0;

    while (p < N_PRECISIONS && strcmp(PRECISION_NAMES[p], precision) != 0)
        p++;
    if (p == N_PRECISIONS) {
        *why = arena_printf(a, "the precision of the embedder is f32, bf16 or int8, not '%s'", precision);
        return false;
    }
    e->k = k;
    e->precision = (enum model_precision)p;
    if (!model_file_open(a, path, &e->model, why))
        return false;
    if (!e->model.weights[p]) {
        *why = arena_printf(a, "%s was packed without %s weights; add them with: locictl model pack --precision %s", path,
                            precision, precision);
        return false;
    }
    *out = e;
    return true;
}

const char *embedder_model(const struct embedder *e)
{
    return e->model.plan->name;
}

size_t embedder_dim(const struct embedder *e)
{
    return e->model.plan->dim;
}

const char *embedder_precision(const struct embedder *e)
{
    return PRECISION_NAMES[e->precision];
}

/* Windows waiting to be computed together. */
struct batch {
    const struct embedder *e;
    struct arena *scratch; /* of one batch */
    struct arena *kept;    /* of all: fresh pages cost a fault each */
    void *memory;
    size_t size;
    float *out;
    size_t rows, n;
    uint16_t ids[BATCH_ROWS];
    struct span spans[BATCH_ROWS];
    size_t owner[BATCH_ROWS]; /* whose window it is */
};

/* is_last: what fits is enough; else there is room for any batch. */
static void encode_batch(struct batch *b, float *vectors, bool is_last)
{
    enum model_precision p = b->e->precision;
    size_t longest = 0, need;

    for (size_t i = 0; i < b->n; i++)
        longest = b->spans[i].n > longest ? b->spans[i].n : longest;
    need = bert_memory(p, b->rows, longest);
    if (need > b->size) {
        b->size = is_last ? need : bert_memory(p, BATCH_ROWS, BERT_TOKENS);
        b->memory = arena_alloc(b->kept, b->size);
    }
    bert_encode(&b->e->model, b->e->k, p, b->memory, b->spans, b->n, vectors);
}

/* Adds each vector, times its length in tokens, to its text's. */
static void flush(struct batch *b, bool is_last)
{
    const struct embedder *e = b->e;
    size_t dim = embedder_dim(e);
    float *vectors;

    arena_reset(b->scratch);
    vectors = ARENA_ARRAY(b->scratch, float, b->n *dim);
    if (e->model.pieces)
        encode_batch(b, vectors, is_last);
    else
        transform(&e->model, e->k, e->precision, b->scratch, b->spans, b->n, vectors);
    for (size_t i = 0; i < b->n; i++) {
        float *to = b->out + b->owner[i] * dim, weight = (float)b->spans[i].n;

        for (size_t j = 0; j < dim; j++)
            to[j] += weight * vectors[i * dim + j];
    }
    b->rows = b->n = 0;
}

static void add_window(struct batch *b, size_t owner, const uint16_t *ids, size_t n)
{
    if (b->rows + n > BATCH_ROWS)
        flush(b, false);
    memcpy(b->ids + b->rows, ids, n * sizeof *ids);
    b->spans[b->n] = (struct span){.ids = b->ids + b->rows, .n = n};
    b->owner[b->n++] = owner;
    b->rows += n;
}

static void embedder_to_unit(float *v, size_t dim)
{
    double squares = 0;
    float by;

    for (size_t j = 0; j < dim; j++)
        squares += (double)v[j] * (double)v[j];
    by = squares > 0 ? (float)(1 / sqrt(squares)) : 0;
    for (size_t j = 0; j < dim; j++)
        v[j] *= by;
}

/* false: there is nothing in the text. */
static bool add_windows(struct batch *b, size_t owner, struct arena *scratch, const char *text, size_t bytes)
{
    struct windows w = windows_of(b->e->model.vocabulary, scratch, text, bytes, EMBEDDER_WINDOW, EMBEDDER_PART);

    for (size_t k = 0, start = 0; k < w.n && k < EMBEDDER_PARTS_MAX; start = w.ends[k++])
        add_window(b, owner, w.ids + start, w.ends[k] - start);
    return w.n > 0;
}

/* The first pieces only: one vector of them is worth more than the mean of many. */
static bool add_beginning(struct batch *b, size_t owner, const char *text, size_t bytes)
{
    const struct wordpieces *v = b->e->model.pieces;
    uint16_t ids[BERT_TOKENS];
    size_t n = wordpieces_cut(v, text, bytes, ids + 1, BERT_TOKENS - 2);

    if (n == 0)
        return false;
    ids[0] = v->special[PIECE_CLS];
    ids[n + 1] = v->special[PIECE_SEP];
    add_window(b, owner, ids, n + 2);
    return true;
}

void embedder_embed(const struct embedder *e, const char *const *texts, size_t n, float *out, bool *has_vector)
{
    struct arena *text_scratch = arena_new(SCRATCH_CAP);
    struct batch b = {.e = e, .scratch = arena_new(SCRATCH_CAP), .kept = arena_new(SCRATCH_CAP), .out = out};
    size_t dim = embedder_dim(e);

    if (n)
        memset(out, 0, n * dim * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        size_t bytes = strnlen(texts[i], EMBEDDER_TEXT_MAX);
        bool has;

        arena_reset(text_scratch);
        has = e->model.pieces ? add_beginning(&b, i, texts[i], bytes)
                              : add_windows(&b, i, text_scratch, texts[i], bytes);
        if (has_vector)
            has_vector[i] = has;
    }
    if (b.n)
        flush(&b, true);
    for (size_t i = 0; i < n; i++)
        embedder_to_unit(out + i * dim, dim);
    arena_free(text_scratch);
    arena_free(b.scratch);
    arena_free(b.kept);
}

/* known: how many of the pieces stand for anything. */
static size_t pieces_known(const struct embedder *e, struct arena *scratch, const char *text, size_t bytes, size_t *known)
{
    const struct wordpieces *v = e->model.pieces;
    uint16_t *ids = ARENA_ARRAY(scratch, uint16_t, bytes + 1);
    size_t n = wordpieces_cut(v, text, bytes, ids, bytes);

    *known = 0;
    for (size_t i = 0; i < n; i++)
        *known += ids[i] != v->special[PIECE_UNK];
    return n;
}

static size_t tokens_of(const struct embedder *e, const char *text, size_t *letters)
{
    struct arena *scratch = arena_new(SCRATCH_CAP);
    size_t bytes, n;
    char *collapsed = collapse_space(scratch, text, strnlen(text, EMBEDDER_TEXT_MAX), &bytes);

    *letters = str_code_points(collapsed, bytes);
    if (e->model.pieces) {
        size_t known;

        /* a word that is unknown as a whole is no long piece */
        n = pieces_known(e, scratch, collapsed, bytes, &known);
        *letters = n ? *letters * known / n : 0;
    } else {
        n = tokenize(e->model.vocabulary, scratch, collapsed, bytes).n;
    }
    arena_free(scratch);
    return n;
}

size_t embedder_tokens(const struct embedder *e, const char *text)
{
    size_t letters;

    return tokens_of(e, text, &letters);
}

double embedder_letters(const struct embedder *e, const char *text)
{
    size_t letters, n = tokens_of(e, text, &letters);

    return n ? fmax((double)letters / (double)n, LETTERS_LEAST) : 0;
}
