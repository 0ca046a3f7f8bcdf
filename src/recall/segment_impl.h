/* Shared by the files of segment: the builder. */
#ifndef LOCI_SEGMENT_IMPL_H
#define LOCI_SEGMENT_IMPL_H

#include "grow.h"
#include "language.h"
#include "segment.h"

/* What builder and segment have under the same name. */
#define SEGMENT_ARRAYS(X) \
    X(ids, struct uuid) X(group, uint32_t) X(groups, struct row_group) X(scores, struct row_scores) \
    X(times, struct row_times) X(authors, struct uuid) X(session, uint64_t) X(sequence, uint32_t) X(speaker, uint32_t) X(tokens, uint32_t) \
    X(level, uint8_t) X(simhash, uint64_t) X(facet_at, uint32_t) X(facets, uint32_t) X(entity_key, uint64_t) X(entity_name, uint32_t) \
    X(names, char) X(mention_at, uint32_t) X(mentions, struct mention)

struct segment_builder {
#define GROW_(name, type) struct grow name;
    SEGMENT_ARRAYS(GROW_)
    struct grow_map group_of, entity_of;
    struct grow_map language_of; /* of spaces */
    const struct codec *codec;   /* NULL: no vectors */
    enum dense_keep keep;
    struct dense_part *dense;              /* NULL until there is a row */
    struct sparse_builder *sparse;         /* NULL until a row is read; rows that are copied have theirs already */
    struct analyzer *analyzers[LANGUAGES]; /* likewise */
    struct arena *scratch;
};

void segment_begin_row(struct segment_builder *b, struct uuid id);
uint32_t segment_add_group(struct segment_builder *b, struct row_group g);
void segment_add_mention(struct segment_builder *b, uint64_t key, const char *name, unsigned times, bool in_title);
const char *segment_number(char out[24], int64_t v);

#endif
