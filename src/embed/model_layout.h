/* The packed model file, byte by byte: what model_pack writes and model_file_open maps; and the shape of Universal Sentence
 * Encoder Lite. The other model's shape: bert_layout.h. */
#ifndef LOCI_MODEL_LAYOUT_H
#define LOCI_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gemm.h"

/* A header, then sections on pages' borders, all little-endian; numbers in it are used where they lie. */
#define MODEL_MAGIC "LOCIMODL"
#define MODEL_VERSION 2
#define MODEL_ALIGN 4096
#define MODEL_HASH 32

/* Universal Sentence Encoder Lite: two layers. */
#define MODEL_DIM 512       /* of the vectors it gives */
#define MODEL_EMBEDDING 256 /* of a token's */
#define MODEL_HIDDEN 1536
#define MODEL_HEADS 4
#define MODEL_TOKENS 128  /* positions it knows */
#define MODEL_PIECES 8000 /* of the vocabulary */
#define MODEL_ROWS 8002   /* of the embedding table; the last two are not used */

/* The products: name, depth, columns. */
#define MODEL_MATRICES(X) \
    X(MATRIX_QKV0, 256, 768)     /* queries, keys, values of layer 0 */ \
    X(MATRIX_OUT0, 512, 512)     /* the heads' answers, and beneath them the 256 of x: its way past the heads */ \
    X(MATRIX_UP0, 512, 1536) \
    X(MATRIX_DOWN0, 1536, 512) \
    X(MATRIX_QKV1, 512, 1536) \
    X(MATRIX_OUT1, 512, 512) \
    X(MATRIX_UP1, 512, 1536) \
    X(MATRIX_DOWN1, 1536, 512) \
    X(MATRIX_LAST, 512, 512)

#define MODEL_MATRIX_ENUM_(name, depth, columns) name,
enum model_matrix { MODEL_MATRICES(MODEL_MATRIX_ENUM_) MODEL_N_MATRICES };

struct model_shape {
    size_t depth, columns;
};

/* Layer norms: gain, then bias, of each. */
#define MODEL_NORMS(X) X(NORM_ATTEND0, 256) X(NORM_FEED0, 512) X(NORM_ATTEND1, 512) X(NORM_FEED1, 512)

#define MODEL_NORM_ENUM_(name, dim) name,
enum model_norm { MODEL_NORMS(MODEL_NORM_ENUM_) MODEL_N_NORMS };

/* Weights of a matrix: f32 and bf16 panels (see gemm.h); int8: panels, then the scales (float) and the sums (int32) of its
 * columns. */
enum model_precision { PRECISION_F32, PRECISION_BF16, PRECISION_INT8, N_PRECISIONS };

enum model_section {
    SECTION_VOCABULARY,          /* struct vocabulary, or struct wordpieces */
    SECTION_EMBEDDINGS,          /* a row for each piece: floats, or halves (the 16 bits of IEEE 754) */
    SECTION_TIMING,              /* float: a row for each position */
    SECTION_NORMS,
    SECTION_BIASES,              /* of each matrix */
    SECTION_WEIGHTS,             /* of each precision from here on */
    N_SECTIONS = SECTION_WEIGHTS + N_PRECISIONS,
};

struct model_extent {
    uint64_t offset, size;    /* 0, 0: not in this file */
    uint8_t hash[MODEL_HASH]; /* BLAKE2b of its bytes */
};

/* The architectures that there are; the header has the number. */
enum model_kind { MODEL_USE, MODEL_BERT, N_MODELS };

/* What an architecture prescribes: every size in the file follows from it. */
struct model_plan {
    const char *name; /* what settings and the rows of vectors call it, and the file is called */
    size_t dim;       /* of the vectors it gives */
    const struct model_shape *matrices;
    size_t n_matrices;
    const size_t *norms; /* how long each is */
    size_t n_norms;
    size_t vocabulary, embeddings, timing; /* bytes of these sections */
};
const struct model_plan *model_plan_of(enum model_kind kind);
/* false: no model has this name. */
bool model_kind_named(const char *name, enum model_kind *out);

struct model_header {
    char magic[8];
    uint32_t version, header_size, kind, reserved;
    uint64_t file_size;
    uint8_t source[MODEL_HASH]; /* SHA-256 of the weights it was packed from */
    uint8_t source_vocabulary[MODEL_HASH];
    struct model_extent sections[N_SECTIONS];
    uint8_t samples[MODEL_HASH]; /* BLAKE2b of the bytes that model_file_open looks at */
    uint8_t hash[MODEL_HASH];    /* BLAKE2b of all before it */
};

/* What a section has to measure; independent of what a file says. */
size_t model_section_size(const struct model_plan *of, enum model_section s);
/* Where the weights of a matrix begin in the section of a precision; m may be the number of matrices: their end. */
size_t model_weights_at(const struct model_plan *of, enum model_precision p, size_t m);
size_t model_bias_at(const struct model_plan *of, size_t m); /* in floats */
size_t model_norm_at(const struct model_plan *of, size_t n); /* in floats */

/* The checksum that is cheap enough for every start: the vocabulary whole (the tokenizer follows its numbers), of the
 * others a cache line from each of MODEL_SAMPLES places. */
#define MODEL_SAMPLES 32
void model_sample_hash(const struct model_header *h, const uint8_t *file, uint8_t out[MODEL_HASH]);
void model_header_hash(const struct model_header *h, uint8_t out[MODEL_HASH]);

#endif
