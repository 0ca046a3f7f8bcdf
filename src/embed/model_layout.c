/* Sizes and places in the packed model file, which follow from the architecture alone. */
#include "model_layout.h"

#include <sodium.h>

#include "vocabulary.h"

#define LINE 64
#define SHAPE_(name, depth, columns) [name] = {depth, columns},
const struct model_shape MODEL_SHAPES[MODEL_N_MATRICES] = {MODEL_MATRICES(SHAPE_)};

#define NORM_DIM_(name, dim) [name] = dim,
const size_t MODEL_NORM_DIM[MODEL_N_NORMS] = {MODEL_NORMS(NORM_DIM_)};

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
size_t model_weights_at(enum model_precision p, enum model_matrix m)
{
    size_t at = 0;

    for (size_t i = 0; i < m; i++)
        at += weights_size(p, MODEL_SHAPES[i]);
    return at;
}

size_t model_bias_at(enum model_matrix m)
{
    size_t at = 0;

    for (size_t i = 0; i < m; i++)
        at += MODEL_SHAPES[i].columns;
    return at;
}

size_t model_norm_at(enum model_norm n)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++)
        at += 2 * MODEL_NORM_DIM[i];
    return at;
}

size_t model_section_size(enum model_section s)
{
    switch (s) {
    case SECTION_VOCABULARY:
        return sizeof(struct vocabulary);
    case SECTION_EMBEDDINGS:
        return sizeof(float) * MODEL_ROWS * MODEL_EMBEDDING;
    case SECTION_TIMING:
        return sizeof(float) * MODEL_TOKENS * MODEL_EMBEDDING;
    case SECTION_NORMS:
        return sizeof(float) * model_norm_at(MODEL_N_NORMS);
    case SECTION_BIASES:
        return sizeof(float) * model_bias_at(MODEL_N_MATRICES);
    default:
        return model_weights_at((enum model_precision)(s - SECTION_WEIGHTS), MODEL_N_MATRICES);
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
