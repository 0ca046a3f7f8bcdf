/* What tests of the embedder share: a packed model and the reference's answers, or a loud skip without them. */
#ifndef LOCI_MODELTEST_H
#define LOCI_MODELTEST_H

#include <stdbool.h>
#include <stdio.h>

#include "arena.h"
#include "model_file.h"

bool modeltest_has_model(void);
/* Ends the test as skipped (77) and says why, when the npm package is not installed. */
void modeltest_need_model(void);
/* The same, and for golden.jsonl of the shared folder. */
void modeltest_need_golden(void);

/* The same for the BERT encoder. */
void modeltest_need_bert(void);

/* A file with all precisions: LOCI_MODEL, or packed now from node_modules into a temporary one. */
const char *modeltest_path(struct arena *a);
void modeltest_open(struct arena *a, struct model_file *out);
/* The BERT encoder's, always packed now. */
const char *modeltest_bert_path(struct arena *a);
FILE *modeltest_golden(struct arena *a);

#endif
