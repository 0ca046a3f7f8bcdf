/* The rows of chunks. */
#ifndef LOCI_CHUNK_STORE_H
#define LOCI_CHUNK_STORE_H

#include "document.h"

/* What is known of a chunk that is served, to find it again in a new text. */
struct chunk_kept {
    struct uuid id;
    struct bytes embed_hash;
};
err chunk_store_kept(struct ctx *c, struct uuid document_id, struct chunk_kept **rows, size_t *n);
err chunk_store_ids(struct ctx *c, struct uuid document_id, struct uuids *out);
/* All rows of the document become these. */
err chunk_store_replace(struct ctx *c, struct uuid document_id, const struct chunk *rows, size_t n);
/* Those with a sequence number in [from, to), in order. */
err chunk_store_range(struct ctx *c, struct uuid document_id, int64_t from, int64_t to, struct list *out);
/* Those among ids whose documents are not deleted. */
err chunk_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);

#endif
