/* What the nights of tags read; only this room includes it. */
#ifndef LOCI_TAG_UPKEEP_STORE_H
#define LOCI_TAG_UPKEEP_STORE_H

#include "ctx.h"
#include "list.h"

struct tag_node {
    struct uuid id;
    int64_t version;
};
struct tag_of_node {
    struct uuid node_id, tag_id;
};
/* Tagged nodes whose version was not counted. */
err tag_upkeep_store_uncounted(struct ctx *c, int64_t limit, struct list *out);
/* Tags of these nodes, by node, the rarest first. */
err tag_upkeep_store_tags(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);
err tag_upkeep_store_count(struct ctx *c, const struct tag_node *nodes, size_t n);
err tag_upkeep_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
