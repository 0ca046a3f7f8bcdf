/* The rows of passages: where their text stands. */
#ifndef LOCI_PASSAGE_STORE_H
#define LOCI_PASSAGE_STORE_H

#include "chunk_diff.h"
#include "ctx.h"

struct passage {
    struct uuid id; /* its node, whose body is the text */
    int64_t start_offset, end_offset;
    struct bytes embed_hash;
};
/* Those of a page, in the order of its text. */
err passage_store_kept(struct ctx *c, struct uuid page_id, const struct chunk_kept **rows, size_t *n);
/* All rows of the page become these. */
err passage_store_replace(struct ctx *c, struct uuid page_id, const struct passage *rows, size_t n);

#endif
