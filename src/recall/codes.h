/* Compact codes of vectors: a fixed rotation, one bit and one byte for each coordinate, and what makes cosines of them. */
#ifndef LOCI_CODES_H
#define LOCI_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "simd.h"

#define CODES_DIM_MAX 4096

/* The rotation for vectors of one length. It depends on that length alone, so codes made by any process agree. */
struct codec;

struct codec *codec_new(const struct simd_kernels *simd, size_t dim); /* dim: 1 to CODES_DIM_MAX; NULL: no memory */
void codec_free(struct codec *c);
const struct simd_kernels *codec_simd(const struct codec *c);
size_t codec_dim(const struct codec *c);
size_t codec_width(const struct codec *c); /* coordinates after the rotation: dim rounded up to a multiple of 64 */

/* A vector's codes. With x the rotated vector at length 1: bit i is set where x[i] ≥ 0, byte i is x[i] in steps, and rest i
 * is in which quarter of its step. */
struct code {
    uint8_t *bits; /* width / 8; bit i is bit i % 8 of byte i / 8 */
    int8_t *bytes; /* width */
    uint8_t *rest; /* width / 4; packed; may be NULL: not wanted */
    float factor;  /* 1 / Σ |x[i]|; 0 for the zero vector */
    float scale;   /* 1 / Σ x[i] · bytes[i]; 0 for the zero vector */
};

/* Fills what the pointers point to, and the numbers. false: a number is not finite. */
bool codec_encode(const struct codec *c, const float *v, struct code *out);

/* The same of numbers that were rotated already and are 1 long together; codec_width() of them, on a cache line. */
void codec_encode_rotated(const struct codec *c, const float *x, struct code *out);

/* A vector as a question. Against a row's code:
 *   by bits:  cosine ≈ (sum − centre) · factor · unit, where sum is what scan_bits finds with these tables
 *   by bytes: cosine ≈ dot · scale · (the row's scale)
 *   closely:  by the bytes of both and what rounding to them lost: see codes_closely()
 * Both are exact where row and query point the same way, and err in proportion to the sine of their angle: see
 * codes_bits_slack() and codes_bytes_slack(). */
struct code_query {
    const struct codec *codec;
    const float *vector; /* the caller's; must outlive the query; NULL: made of a rotated one */
    double norm;         /* 0: every cosine is 0 */
    uint8_t *tables;
    float centre, unit;
    float noise; /* how far from the query its four-bit form is, the query being 1 long */
    float bias;  /* by how much, before the factor, it misjudges a row that is the query itself */
    int8_t *bytes;
    float scale;
    float step;   /* of the bytes */
    int8_t *fine; /* what rounding to bytes lost, in 254ths of a step */
};

/* false: a number is not finite. Allocates from a. */
bool codec_query(const struct codec *c, struct arena *a, const float *v, struct code_query *out);
/* As codec_encode_rotated(). There is no vector then: searches end with bytes. */
void codec_query_rotated(const struct codec *c, struct arena *a, const float *x, struct code_query *out);

/* The cosine of the query and a row, closely. */
float codes_closely(const struct code_query *q, const int8_t *bytes, const uint8_t *rest);

/* How far, at most in z standard deviations, what bits (sum − centre) · unit say, before the factor, may be below the
 * truth for a row whose cosine is `cosine`. */
float codes_bits_slack(const struct code_query *q, float cosine, float z);
/* The same for a cosine by bytes, to either side. */
float codes_bytes_slack(const struct code_query *q, float cosine, float z);
float codes_closely_slack(const struct code_query *q, float cosine, float z);

/* The cosine of the query and v as float32 allows; 0 if either is zero or v is not finite. */
float codes_cosine(const struct code_query *q, const float *v);

#endif
