/* The rows of contexts; only the context and entry services include this. */
#ifndef LOCI_CONTEXT_STORE_H
#define LOCI_CONTEXT_STORE_H

#include "context.h"

err context_store_insert(struct ctx *c, const struct context *x);
/* By id, or where that is nil by handle; deleted and expired ones are not there. */
err context_store_get(struct ctx *c, struct uuid id, const char *handle, bool *found, struct context *out);
/* The same by id, locked until the transaction ends: who changes entries holds this row. */
err context_store_lock(struct ctx *c, struct uuid id, bool *found, struct context *out);
err context_store_update(struct ctx *c, const struct context *x);
/* Which snapshot is being restored; nil: none any more. */
err context_store_restoring(struct ctx *c, const struct context *x);
/* Counters after a change of entries, by difference. */
err context_store_count(struct ctx *c, struct uuid id, int64_t entries, int64_t bytes);
err context_store_number(struct ctx *c, int64_t *n);
/* Up to f->limit + 1 readable ones with an id below `before`. */
err context_store_list(struct ctx *c, const struct context_filter *f, struct uuid before, struct context **rows, size_t *n);
/* Those of them whose metadata says log_queries: true. */
err context_store_log_queries(struct ctx *c, const struct uuid *ids, size_t n, struct uuid **those, size_t *k);
/* Counts over live entries; lists of struct context_count. */
err context_store_totals(struct ctx *c, struct uuid id, struct context_stats *out);
err context_store_types(struct ctx *c, struct uuid id, struct context_stats *out);

#endif
