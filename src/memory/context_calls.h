/* What the operations on contexts and on their entries share. */
#ifndef LOCI_CONTEXT_CALLS_H
#define LOCI_CONTEXT_CALLS_H

#include "access_log.h"
#include "context.h"
#include "op.h"

#define CONTEXT_TAG .tag = "contexts"
#define CONTEXTS_PATH "/api/v1/ai/contexts"
#define CONTEXT_COUNT_MAX 9e15

/* The path's :id, which is an id or a handle. */
#define F_CONTEXT(s) F_STR(s, id, FIELD_REQUIRED, 1, CONTEXT_HANDLE, "id of the context, or its handle")
#define F_IF_VERSION(s) \
    F_INT(s, if_version, FIELD_NULLABLE, 1, CONTEXT_COUNT_MAX, 0, "expected version; same as If-Match")

extern const struct field CONTEXT_STATS_OUT[];

#endif
