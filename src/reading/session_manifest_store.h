/* SQL of a session's turns; only session_manifest.c includes this. */
#ifndef LOCI_SESSION_MANIFEST_STORE_H
#define LOCI_SESSION_MANIFEST_STORE_H

#include "session_manifest.h"

/* How many there are, and of when. */
err manifest_store_count(struct ctx *c, const char *session_id, struct uuids spaces, struct manifest *out);
/* limit + 1 of them behind that place, in the order of time. */
err manifest_store_turns(struct ctx *c, const char *session_id, struct uuids spaces, const char *after, int64_t limit, struct list *out);

#endif
