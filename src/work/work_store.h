/* SQL of work items; only this room's services include it. */
#ifndef LOCI_WORK_STORE_H
#define LOCI_WORK_STORE_H

#include "work.h"

err work_store_get(struct ctx *c, struct uuid id, bool *found, struct work_item *out);
err work_store_lock(struct ctx *c, struct uuid id, bool *found, struct work_item *out);
err work_store_query(struct ctx *c, const struct work_filter *f, struct uuid parent, struct uuids spaces, struct uuid before,
                     struct page *out);
/* Parts of these items, in the order of (ordinal, id); n of them at most. */
err work_store_children(struct ctx *c, const struct uuid *parents, size_t n_parents, size_t max, struct list *out);
err work_store_mine(struct ctx *c, struct uuid assignee, struct uuids spaces, size_t max, struct list *out);
err work_store_tag(struct ctx *c, struct uuid space_id, const char *slug, bool *found, struct uuid *id);
err work_store_make_tag(struct ctx *c, struct uuid space_id, const char *slug, struct uuid id);

#endif
