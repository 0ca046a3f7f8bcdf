/* The BERT encoder: rows of piece numbers to vectors of unit length. */
#ifndef LOCI_BERT_H
#define LOCI_BERT_H

#include "bert_layout.h"
#include "transformer.h"

/* Bytes that bert_encode() works in, for texts of so many pieces together of which the longest has longest: some 12 KB a piece. */
size_t bert_memory(enum model_precision p, size_t rows, size_t longest);

/* n vectors of BERT_DIM numbers, of texts of 1 to BERT_TOKENS pieces each. All texts go through the products together. */
void bert_encode(const struct model_file *m, const struct simd_kernels *k, enum model_precision p, void *memory,
                 const struct span *texts, size_t n, float *out);

#endif
