/* The rows of sections. */
#ifndef LOCI_SECTION_STORE_H
#define LOCI_SECTION_STORE_H

#include "section.h"

err section_store_find(struct ctx *c, struct uuid base_id, struct bytes access_hash, bool *found, struct uuid *id);
err section_store_insert(struct ctx *c, struct uuid base_id, struct uuid id, struct bytes access_hash);
err section_store_count(struct ctx *c, struct uuid base_id, int64_t *n);
err section_store_is(struct ctx *c, struct uuid space_id, bool *yes);

/* Its space expires, or no longer does, as it has documents; *changed: rows. */
err section_store_settle(struct ctx *c, struct uuid space_id, int64_t *changed);

struct section_sum {
    struct uuid knowledge_base_id;
    struct knowledge_base_counts counts;
};
/* One row for each base that has some of them. */
err section_store_sums(struct ctx *c, struct uuids sections, struct list *out);
/* Sections without a document, and those of bases that were deleted before that instant. */
err section_store_empty(struct ctx *c, struct instant before, bool *found, struct uuid *id);

#endif
