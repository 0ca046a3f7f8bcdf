/* The shape of all-MiniLM-L6-v2, a BERT encoder: six layers of 384. */
#ifndef LOCI_BERT_LAYOUT_H
#define LOCI_BERT_LAYOUT_H

#include "model_layout.h"

#define BERT_LAYERS 6
#define BERT_DIM 384
#define BERT_HIDDEN 1536
#define BERT_HEADS 12
#define BERT_TOKENS 256 /* positions that are used, of the 512 it knows: it was trained on no more */
#define BERT_PIECES 30522

/* The products of a layer, and its norms; each has them one after the other. */
enum bert_matrix { BERT_QKV, BERT_OUT, BERT_UP, BERT_DOWN, BERT_MATRICES };
enum bert_norm { BERT_AFTER_HEADS, BERT_AFTER_FEED, BERT_NORMS };

#define BERT_N_MATRICES (BERT_LAYERS * BERT_MATRICES)
#define BERT_N_NORMS (1 + BERT_LAYERS * BERT_NORMS) /* the first one is of the embeddings */

static inline size_t bert_matrix_at(size_t layer, enum bert_matrix m)
{
    return layer * BERT_MATRICES + m;
}

static inline size_t bert_norm_at(size_t layer, enum bert_norm n)
{
    return 1 + layer * BERT_NORMS + n;
}

/* Added to the variance in a norm. */
#define BERT_EPSILON 1e-12

extern const struct model_plan BERT_PLAN;

#endif
