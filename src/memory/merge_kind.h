/* What merging needs to know of each kind of memory. */
#ifndef LOCI_MERGE_KIND_H
#define LOCI_MERGE_KIND_H

#include "ctx.h"
#include "list.h"
#include "node.h"

struct merge_kind {
    const char *name;
    /* In the place of the tags that it has; no version is made where its kind can do without. */
    err (*set_tags)(struct ctx *c, const struct node *n, struct strs tags);
};

/* NULL: nodes of this kind are not merged. */
const struct merge_kind *merge_kind_find(const char *name);
/* An entry of a context, or the fact that one is: its title is its key, a name and no content. */
bool merge_kind_is_entry(const char *name);
/* All of them. */
struct strs merge_kinds(struct arena *a);

#endif
