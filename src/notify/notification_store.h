/* SQL of notifications; only notification.c includes this. */
#ifndef LOCI_NOTIFICATION_STORE_H
#define LOCI_NOTIFICATION_STORE_H

#include "notification.h"
#include "row.h"

/* These four: the caller's own that are due. */
err notification_store_list(struct ctx *c, const struct notification_filter *f, struct uuid before, struct page *out);
err notification_store_get(struct ctx *c, struct uuid id, bool *found, struct notification *out);
/* Marks one as read, or all of them (nil); *n (may be NULL): how many were unread. */
err notification_store_read(struct ctx *c, struct uuid id, int64_t *n);
err notification_store_count(struct ctx *c, int64_t most, int64_t *n);
/* Anybody's: as if it had been read at once. */
err notification_store_silence(struct ctx *c, struct uuid id);
/* Its event is due when it is shown. */
err notification_store_tell_later(struct ctx *c, struct uuid id);
err notification_store_tell_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Of the account: locked, and marked as told. */
err notification_store_tell(struct ctx *c, int64_t limit, struct list *due);
/* An active user, or the owner (nil). */
err notification_store_reader(struct ctx *c, struct uuid wanted, struct uuid *id, bool *found);
/* What the caller sent since then; held still until the transaction ends. */
err notification_store_sent(struct ctx *c, struct instant since, int64_t *n);
err notification_store_due(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err notification_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n);

#endif
