/* What the files of the chunker share; nobody else includes this. */
#ifndef LOCI_CHUNKER_IMPL_H
#define LOCI_CHUNKER_IMPL_H

#include "chunker.h"

struct chunker {
    struct ctx *c;
    const struct chunk_settings *settings;
    struct chunk_marks marks;
    struct chunk_cut *cuts;
    size_t n, cap;
    bool is_full;
};

/* One piece: [from, to) with an overlap that begins at over ≤ from. */
void chunker_add(struct chunker *k, size_t over, size_t from, size_t to);
/* Cuts [from, to) by its structure. */
void chunker_recursive(struct chunker *k, size_t from, size_t to);
/* Cuts [from, to) where the subject changes; what is still too long, by its structure. */
void chunker_semantic(struct chunker *k, size_t from, size_t to);

#endif
