/* The sizes of all-MiniLM-L6-v2. */
#include "bert_layout.h"

#include "wordpieces.h"

/* In the order of enum bert_matrix; every layer is like the first. */
#define LAYER_ { BERT_DIM, 3 * BERT_DIM }, { BERT_DIM, BERT_DIM }, { BERT_DIM, BERT_HIDDEN }, { BERT_HIDDEN, BERT_DIM }
static const struct model_shape MATRICES[] = {LAYER_, LAYER_, LAYER_, LAYER_, LAYER_, LAYER_};

_Static_assert(sizeof MATRICES / sizeof *MATRICES == BERT_N_MATRICES, "a shape for each matrix");

static const size_t NORMS[BERT_N_NORMS] = {[0 ... BERT_N_NORMS - 1] = BERT_DIM};

const struct model_plan BERT_PLAN = {
    .name = "all-minilm-l6-v2",
    .dim = BERT_DIM,
    .matrices = MATRICES,
    .n_matrices = BERT_N_MATRICES,
    .norms = NORMS,
    .n_norms = BERT_N_NORMS,
    .vocabulary = sizeof(struct wordpieces),
    .embeddings = sizeof(uint16_t) * BERT_PIECES * BERT_DIM,
    .timing = sizeof(float) * BERT_TOKENS * BERT_DIM,
};
