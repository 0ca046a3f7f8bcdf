/* SQL of promotion. */
#ifndef LOCI_PROMOTE_STORE_H
#define LOCI_PROMOTE_STORE_H

#include "promote.h"

err promote_store_due(struct ctx *c, const struct promote_filter *f, struct uuid *ids, size_t max, size_t *n);
err promote_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err promote_store_expired_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err promote_store_waiting(struct ctx *c, const struct promote_filter *f, int64_t *queued, int64_t *expired);
/* Only while it is due; then, locked. */
err promote_store_get(struct ctx *c, struct uuid id, bool *found, struct short_term *out);
err promote_store_lock(struct ctx *c, struct uuid id, bool *found, struct short_term *out);
err promote_store_done(struct ctx *c, struct uuid id, enum promote_state state, struct uuid node_id);
err promote_store_failed(struct ctx *c, struct uuid id, const char *error);

/* is_worth: used enough, and not promoted yet; else the others. */
err promote_store_expired(struct ctx *c, struct instant failed_before, bool is_worth, struct promise *rows, size_t max, size_t *n);
err promote_store_queue(struct ctx *c, const struct uuid *ids, size_t n);
err promote_store_delete(struct ctx *c, const struct uuid *ids, size_t n);

#endif
