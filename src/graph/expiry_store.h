/* SQL of finding and removing what has expired. */
#ifndef LOCI_EXPIRY_STORE_H
#define LOCI_EXPIRY_STORE_H

#include <stddef.h>

#include "ctx.h"

struct expired {
    struct uuid id, space_id; /* space_id nil: a token */
    const char *status;       /* of a node */
};

err expiry_store_due(struct ctx *c, struct instant tokens_before, struct instant before, struct uuid above,
                     struct uuid *ids, size_t max, size_t *n);
/* The first of them, at most max; there may be more above the last. */
err expiry_store_retention_due(struct ctx *c, struct uuid audit_before, struct uuid outbox_before, struct uuid above,
                               struct uuid *ids, size_t max, size_t *n);

err expiry_store_tokens(struct ctx *c, struct instant before, struct expired *rows, size_t max, size_t *n);
err expiry_store_grants(struct ctx *c, struct instant before, struct expired *rows, size_t max, size_t *n);
/* Locked until the transaction ends. */
err expiry_store_nodes(struct ctx *c, struct instant before, struct expired *rows, size_t max, size_t *n);

err expiry_store_delete_tokens(struct ctx *c, const struct uuid *ids, size_t n);
err expiry_store_delete_grants(struct ctx *c, const struct uuid *ids, size_t n);

#endif
