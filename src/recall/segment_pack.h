/* A segment as bytes: what is written once, and read much faster than its nodes. */
#ifndef LOCI_SEGMENT_PACK_H
#define LOCI_SEGMENT_PACK_H

#include "segment.h"

/* How large its arrays are; as it is in memory, so the fingerprint says by what program and on what machine. */
struct segment_pack {
    uint64_t fingerprint;
    uint32_t rows, groups, in_session, entities, facets, mentions;
    uint64_t names;
    bool has_by_id, has_vectors;
    struct dense_pack dense;
    struct sparse_pack sparse;
};

/* Only packs with this number can be read. */
uint64_t segment_fingerprint(void);

/* The arrays of a segment, in the order in which they are written. */
void segment_pack(const struct segment *s, struct segment_pack *meta, struct pack_list *out);
/* A segment whose arrays are still to be filled, in that order; then it is like the one that was packed, but that it holds
 * codes of its vectors only. codec: of the dimension that meta->dense says. */
struct segment *segment_unpack(const struct codec *codec, const struct segment_pack *meta, struct pack_list *out);

#endif
