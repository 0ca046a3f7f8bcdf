/* The BERT encoder: rows of piece numbers to vectors of unit length. */
#ifndef LOCI_BERT_H
#define LOCI_BERT_H

#include "bert_layout.h"
#include "transformer.h"

/* n vectors of BERT_DIM numbers, of texts of 1 to BERT_TOKENS pieces each. All texts go through the products together; scratch
 * grows by about 16 KB for each piece of them. */
void bert_encode(const struct model_file *m, const struct simd_kernels *k, enum model_precision p, struct arena *scratch,
                 const struct span *texts, size_t n, float *out);

#endif
