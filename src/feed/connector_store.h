/* The rows of connectors. */
#ifndef LOCI_CONNECTOR_STORE_H
#define LOCI_CONNECTOR_STORE_H

#include "connector.h"
#include "list.h"

err connector_store_lock(struct ctx *c, struct uuid id, bool *found, struct connector *out);
err connector_store_list(struct ctx *c, struct uuids bases, struct uuid before, int64_t limit, struct page *out);
err connector_store_count(struct ctx *c, int64_t *n);
err connector_store_due(struct ctx *c, int64_t limit, struct list *out);
err connector_store_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
