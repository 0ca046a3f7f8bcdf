/* The tensors of the original model, and how they become packed sections. */
#ifndef LOCI_MODEL_WEIGHTS_H
#define LOCI_MODEL_WEIGHTS_H

#include <stdint.h>

#include "arena.h"
#include "model_layout.h"

/* The package's shards, one after the other, have to measure and hash this. */
#define SOURCE_BYTES 27903656u
#define SOURCE_SHARDS 7
extern const uint8_t SOURCE_WEIGHTS_SHA256[MODEL_HASH], SOURCE_VOCABULARY_SHA256[MODEL_HASH];

/* Writes a section (but the vocabulary), whose bytes are 0, from the shards' bytes. */
void model_section_fill(struct arena *a, const uint8_t *source, enum model_section s, uint8_t *out);

/* A matrix [depth][columns] as the kernels want it; out has bytes of 0. */
void model_matrix_pack(enum model_precision p, struct model_shape s, const float *w, uint8_t *out);

#endif
