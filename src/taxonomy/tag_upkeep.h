/* What the nights do with tags: pairs that content had together, and the review of new ones. */
#ifndef LOCI_TAG_UPKEEP_H
#define LOCI_TAG_UPKEEP_H

#include "ctx.h"
#include "tag.h"

#define PENDING_DAYS 30 /* an unused new tag is archived after so long */
#define TAG_SAME .92    /* similarity that makes two tags one */
#define CONCEPT_NEAR .5 /* similarity to a wider concept that joins a tag to it */
#define CONCEPTS_OF_TAG 3

struct tag_pairing {
    int64_t nodes, pairs;
};
/* Inside a transaction: at most limit nodes whose tags were not counted in their version. */
err tag_upkeep_pairs(struct ctx *c, int64_t limit, struct tag_pairing *out);

struct tag_reviewing {
    int64_t looked, merged, approved, archived, concepts;
    bool more;
    struct uuid last;
};
/* Up to limit that wait behind that one; not inside a transaction. */
err tag_upkeep_review(struct ctx *c, struct uuid behind, int64_t limit, struct tag_reviewing *out);
err tag_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
