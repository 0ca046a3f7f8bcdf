/* Who may read, write or manage a context or a pool, one grantee at a time. */
#ifndef LOCI_CONTEXT_GRANT_H
#define LOCI_CONTEXT_GRANT_H

#include "ctx.h"
#include "grant.h"
#include "page.h"

struct context_grantee {
    enum grantee_kind kind;
    const char *id; /* of a user, agent or team; name of a role; "" for everyone */
};

/* What is shared: by its id, or its handle or pool_id. */
struct shared {
    enum { SHARED_CONTEXT, SHARED_POOL } kind;
    const char *ref;
};

/* grant.h by the name of what is shared. */
err context_grant(struct ctx *c, const struct shared *s, const struct context_grantee *to, enum access_level level,
                  struct instant expires_at, struct grant *out);
err context_grants(struct ctx *c, const struct shared *s, int64_t limit, const char *cursor, struct page *out);
err context_revoke(struct ctx *c, const struct shared *s, struct uuid grant_id, int64_t if_version);

#endif
