/* Texts to chunks: a pure function of text and settings, so that equal input gives equal chunks, and an edit moves few cuts. */
#ifndef LOCI_CHUNKER_H
#define LOCI_CHUNKER_H

#include "chunk_marks.h"
#include "enumx.h"
#include "list.h"

#define CHUNKING_STRATEGY(X) X(CHUNKING_RECURSIVE, "recursive") X(CHUNKING_SEMANTIC, "semantic")
ENUMX_DECLARE(chunking_strategy, CHUNKING_STRATEGY);

#define CHUNKS 20000 /* of one document */

struct chunk_settings {
    enum chunking_strategy strategy;
    int64_t size, overlap; /* characters; overlap at most half of size */
    bool is_markdown;
};

/* Bytes [start, end) of the text; the first `overlap` of them are also in the chunk before. */
struct chunk_cut {
    size_t start, end, overlap;
    const char *heading_path; /* NULL: it stands under no heading */
};

/* out: of struct chunk_cut, in the order of the text. ERR_TOO_LARGE with the reason too_many_chunks. */
err chunker_cut(struct ctx *c, const char *text, size_t n, const struct chunk_settings *s, struct list *out);

#endif
