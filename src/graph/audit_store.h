/* The rows of the audit trail; only audit.c includes this. */
#ifndef LOCI_AUDIT_STORE_H
#define LOCI_AUDIT_STORE_H

#include "audit.h"

err audit_store_insert(struct ctx *c, const struct audit_event *e);
err audit_store_insert_many(struct ctx *c, const struct audit_event *e, size_t n);
/* Up to f->limit + 1 events with an id below `before`. */
err audit_store_list(struct ctx *c, const struct audit_filter *f, struct uuid before, struct audit_event **rows, size_t *n);
err audit_store_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n);

#endif
