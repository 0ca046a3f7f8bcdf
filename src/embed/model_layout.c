/* Sizes and places in the packed model file, which follow from the architecture alone. */
#include "model_layout.h"

#include <sodium.h>
#include <string.h>

#include "bert_layout.h"
#include "vocabulary.h"

#define LINE 64

#define SHAPE_(name, depth, columns) [name] = {depth, columns},
static const struct model_shape USE_MATRICES[MODEL_N_MATRICES] = {MODEL_MATRICES(SHAPE_)};

#define NORM_DIM_(name, dim) [name] = dim,
static const size_t USE_NORMS[MODEL_N_NORMS] = {MODEL_NORMS(NORM_DIM_)};

static const struct model_plan USE = {
    .name = "use-lite-en",
    .dim = MODEL_DIM,
    .matrices = USE_MATRICES,
    .n_matrices = MODEL_N_MATRICES,
    .norms = USE_NORMS,
    .n_norms = MODEL_N_NORMS,
    .vocabulary = sizeof(struct vocabulary),
    .embeddings = sizeof(float) * MODEL_ROWS * MODEL_EMBEDDING,
    .timing = sizeof(float) * MODEL_TOKENS * MODEL_EMBEDDING,
};

const struct model_plan *model_plan_of(enum model_kind kind)
{
    static const struct model_plan *const PLANS[N_MODELS] = {[MODEL_USE] = &USE, [MODEL_BERT] = &BERT_PLAN};

    return PLANS[kind];
}

bool model_kind_named(const char *name, enum model_kind *out)
{
    for (enum model_kind k = 0; name && k < N_MODELS; k++)
        if (strcmp(model_plan_of(k)->name, name) == 0) {
            *out = k;
            return true;
        }
    return false;
}

static size_t weights_size(enum model_precision p, struct model_shape s)
{
    switch (p) {
    case PRECISION_BF16:
        return s.depth * s.columns * sizeof(uint16_t);
    case PRECISION_INT8:
        return s.depth * s.columns + s.columns * (sizeof(float) + sizeof(int32_t));
    default:
        return s.depth * s.columns * sizeof(float);
    }
}

/* Every size is a multiple of a cache line, so every matrix begins on one. */
size_t model_weights_at(const struct model_plan *of, enum model_precision p, size_t m)
{
    size_t at = 0;

    for (size_t i = 0; i < m; i++)
        at += weights_size(p, of->matrices[i]);
    return at;
}

size_t model_bias_at(const struct model_plan *of, size_t m)
{
    size_t at = 0;

    for (size_t i = 0; i < m; i++)
        at += of->matrices[i].columns;
    return at;
}

size_t model_norm_at(const struct model_plan *of, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++)
        at += 2 * of->norms[i];
    return at;
}

size_t model_section_size(const struct model_plan *of, enum model_section s)
{
    switch (s) {
    case SECTION_VOCABULARY:
        return of->vocabulary;
    case SECTION_EMBEDDINGS:
        return of->embeddings;
    case SECTION_TIMING:
        return of->timing;
    case SECTION_NORMS:
        return sizeof(float) * model_norm_at(of, of->n_norms);
    case SECTION_BIASES:
        return sizeof(float) * model_bias_at(of, of->n_matrices);
    default:
        return model_weights_at(of, (enum model_precision)(s - SECTION_WEIGHTS), of->n_matrices);
    }
}

void model_sample_hash(const struct model_header *h, const uint8_t *file, uint8_t out[MODEL_HASH])
{
    crypto_generichash_state state;

    crypto_generichash_init(&state, NULL, 0, MODEL_HASH);
    for (int s = 0; s < N_SECTIONS; s++) {
        const struct model_extent *e = &h->sections[s];

        if (s == SECTION_VOCABULARY)
            crypto_generichash_update(&state, file + e->offset, e->size);
        for (uint64_t i = 0; s != SECTION_VOCABULARY && e->size && i < MODEL_SAMPLES; i++)
            crypto_generichash_update(&state, file + e->offset + (e->size - LINE) / (MODEL_SAMPLES - 1) * i, LINE);
    }
    crypto_generichash_final(&state, out, MODEL_HASH);
}

void model_header_hash(const struct model_header *h, uint8_t out[MODEL_HASH])
{
    crypto_generichash(out, MODEL_HASH, (const unsigned char *)h, offsetof(struct model_header, hash), NULL, 0);
}
