/* Webhooks and their deliveries in MariaDB; only this room includes it. */
#ifndef LOCI_WEBHOOK_STORE_H
#define LOCI_WEBHOOK_STORE_H

#include "webhook.h"

/* Without the counts. */
err webhook_store_get(struct ctx *c, struct uuid id, bool *found, struct webhook *w);
err webhook_store_lock(struct ctx *c, struct uuid id, bool *found, struct webhook *w);
err webhook_store_count(struct ctx *c, int64_t *n);
err webhook_store_list(struct ctx *c, struct uuid before, int64_t limit, struct page *out);
/* Is there one that takes events? */
err webhook_store_any(struct ctx *c, bool *any);
/* Those that take events, locked. */
err webhook_store_taking(struct ctx *c, size_t max, struct list *out);
err webhook_store_succeeded(struct ctx *c, struct uuid id);
err webhook_store_failed(struct ctx *c, struct uuid id, const char *error);
err webhook_store_disable(struct ctx *c, struct uuid id, const char *reason);
/* All its deliveries. */
err webhook_store_delete_log(struct ctx *c, struct uuid id);
err webhook_store_failing(struct ctx *c, struct instant since, struct uuid *ids, size_t max, size_t *n);

/* ---- deliveries */

err delivery_store_insert(struct ctx *c, const struct webhook_delivery *d, size_t n);
err delivery_store_get(struct ctx *c, struct uuid id, bool *found, struct webhook_delivery *d);
err delivery_store_list(struct ctx *c, const struct delivery_filter *f, struct uuid before, struct list *out);
/* Which of these subjects have deliveries that wait. */
err delivery_store_busy(struct ctx *c, struct uuid webhook_id, const struct uuid *subjects, size_t n, struct uuid *busy, size_t *n_busy);
/* The first that waits of each subject, the oldest first; subject nil: of all. */
err delivery_store_heads(struct ctx *c, struct uuid webhook_id, struct uuid subject_id, size_t max, struct list *out);
/* was_posted: http_status, error and ms are those of a try just made, which goes into the log. */
err delivery_store_tried(struct ctx *c, const struct webhook_delivery *d, bool was_posted);
err delivery_store_promised_again(struct ctx *c, struct uuid id);
/* Back to waiting. */
err delivery_store_again(struct ctx *c, struct uuid id);
err delivery_store_dead(struct ctx *c, struct uuid webhook_id, size_t max, struct uuid *ids, size_t *n);

err webhook_store_upkeep_due(struct ctx *c, struct instant failing, struct uuid before, struct uuid above, struct uuid *ids, size_t max,
                             size_t *n);
err delivery_store_purge(struct ctx *c, struct uuid before, int64_t limit, int64_t *n);

#endif
