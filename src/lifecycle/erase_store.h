/* SQL of erasing, and its commands to Redis; only erase*.c include this. */
#ifndef LOCI_ERASE_STORE_H
#define LOCI_ERASE_STORE_H

#include "erase.h"

err erase_store_items(struct ctx *c, struct uuid receipt_id, const struct erase_item *items, size_t n);
/* Items of a receipt, at most max; waiting: only those whose rows are still there. */
err erase_store_read(struct ctx *c, struct uuid receipt_id, bool waiting, size_t max, struct list *out);
err erase_store_purged(struct ctx *c, struct uuid receipt_id, const struct uuid *ids, size_t n);
/* Done, and the seal; or back. */
err erase_store_done(struct ctx *c, const struct erase_receipt *r);
/* The facts of an entity, and the episodes that mention it. */
err erase_store_of_entity(struct ctx *c, struct uuid entity_id, bool episodes, struct list *ids);

/* Names of surviving entities that no memory which mentions them says any more. */
err erase_store_names(struct ctx *c, const struct uuid *ids, size_t n, struct list *entities);
err erase_store_forget_names(struct ctx *c, const struct uuid *entities, size_t n);

/* erase_scrub_store.c: whatever table has a column that can name a node. Counts rows that do (change: and changes them). */
err erase_store_scrub(struct ctx *c, const struct uuid *ids, size_t n, bool change, int64_t *rows);
/* Keys of the account in Redis: what names one of them goes. */
err erase_store_scrub_redis(struct ctx *c, const struct uuid *ids, size_t n, int64_t *gone);

#endif
