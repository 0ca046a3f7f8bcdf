/* The packed model, mapped read-only: one copy in memory serves all processes of a host. */
#ifndef LOCI_MODEL_FILE_H
#define LOCI_MODEL_FILE_H

#include <stdbool.h>

#include "arena.h"
#include "model_layout.h"
#include "vocabulary.h"
#include "wordpieces.h"

struct model_file {
    const struct model_header *header;
    const struct model_plan *plan;
    const struct vocabulary *vocabulary; /* of Universal Sentence Encoder Lite; else NULL, as the next */
    const float *embeddings;
    const struct wordpieces *pieces; /* of the BERT encoder; else NULL, as the next */
    const uint16_t *halves;          /* its embeddings */
    const float *timing, *norms, *biases;
    const uint8_t *weights[N_PRECISIONS]; /* NULL: not in this file */
};

/* Maps the file for the life of the arena. false: it is missing, damaged or of another version; *why then says so. Reads
 * a few hundred kilobytes only; what lies between its samples is checked by model_file_verify. */
bool model_file_open(struct arena *a, const char *path, struct model_file *out, const char **why);

/* Reads every byte. false: *why names the section that is damaged. */
bool model_file_verify(const struct model_file *m, const char **why);

#endif
