/* Which chunks were read. */
#ifndef LOCI_GRAPH_EXTRACT_STORE_H
#define LOCI_GRAPH_EXTRACT_STORE_H

#include "ctx.h"
#include "list.h"

/* Chunks of the document that this method has not read, in order: at most max ids. */
err extract_store_unread(struct ctx *c, struct uuid document_id, const char *method, size_t max, struct uuids *out);
err extract_store_mark(struct ctx *c, struct uuid chunk_id, const char *method);

#endif
