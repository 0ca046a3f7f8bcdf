/* The chunks that a text has now, beside those that it had: equal ones keep their node, vector and edges. */
#ifndef LOCI_CHUNK_DIFF_H
#define LOCI_CHUNK_DIFF_H

#include "ctx.h"
#include "node.h"

struct chunk_cut;
/* What is embedded of a cut: under the name of the text and the headings that it stands under. */
struct chunk_text {
    const char *title, *body;
    struct bytes hash;
};
struct chunk_text chunk_text_of(struct ctx *c, const char *name, const char *text, const struct chunk_cut *cut);

struct chunk_kept {
    struct uuid id;
    struct bytes embed_hash;
};

struct chunk_diff {
    const struct chunk_kept *old; /* in the order of the old text */
    size_t n_old;
    struct node_new *nodes; /* of the new text; without an id afterwards: an old one says the same */
    const struct bytes *hashes;
    size_t n;
    struct uuid *ids;         /* of each chunk of the new text */
    struct uuid *made, *gone; /* nodes that are new, and those that no longer stand in the text */
    size_t n_made, n_gone;
};
/* Makes the new nodes and drops those that are gone, inside the caller's transaction; their vectors are made later. */
err chunk_diff_put(struct ctx *c, struct uuid space_id, struct chunk_diff *d);

#endif
