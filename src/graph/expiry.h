/* What goes when its time is over: tokens and grants are removed, nodes are archived. Reads have treated all of them as
 * gone from the instant itself; this is only the tidying up behind. For the jobs. */
#ifndef LOCI_EXPIRY_H
#define LOCI_EXPIRY_H

#include <stddef.h>
#include <stdint.h>

#include "ctx.h"

#define EXPIRED_TOKEN_DAYS 7 /* an expired token stays in the list, so that its owner sees why it stopped */

/* Accounts above `above` that have something to tidy up, ascending, at most max. */
err expiry_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

/* Of the caller's account, at most limit each, with an audit event for each; inside the caller's transaction. */
err expiry_tokens(struct ctx *c, int64_t limit, int64_t *n);
err expiry_grants(struct ctx *c, int64_t limit, int64_t *n);
err expiry_nodes(struct ctx *c, int64_t limit, int64_t *n);

/* Accounts whose audit trail or outbox goes back further than it is to be kept. */
err retention_due(struct ctx *c, struct instant audit_before, struct instant outbox_before, struct uuid above,
                  struct uuid *ids, size_t max, size_t *n);

#endif
