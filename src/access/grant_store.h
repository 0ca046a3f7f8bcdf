/* The rows of grants; only the space and grant services include this. */
#ifndef LOCI_GRANT_STORE_H
#define LOCI_GRANT_STORE_H

#include "grant.h"

/* Locked until the transaction ends. */
err grant_store_lock(struct ctx *c, struct uuid space_id, struct uuid id, bool *found, struct grant *out);
err grant_store_lock_grantee(struct ctx *c, struct uuid space_id, enum grantee_kind kind, const char *grantee_id, bool *found,
                             struct grant *out);
err grant_store_list(struct ctx *c, struct uuid space_id, int64_t limit, struct uuid before, struct page *out);
err grant_store_delete_grantee(struct ctx *c, enum grantee_kind kind, const char *grantee_id);
err grant_store_count(struct ctx *c, struct uuid space_id, int64_t *n);
/* Is there such a user, agent, team or role in the account? */
err grant_store_has_grantee(struct ctx *c, enum grantee_kind kind, const char *grantee_id, bool *yes);
/* The highest level that rows give the caller, whatever became of the space. */
err grant_store_level(struct ctx *c, struct uuid space_id, enum access_level *level);
/* Deleted spaces that the caller owns, or could manage. */
err grant_store_deleted(struct ctx *c, struct uuid *ids, size_t max, size_t *n);
/* Likewise those whose time is over and that are not deleted. */
err grant_store_expired(struct ctx *c, struct uuid *ids, size_t max, size_t *n);

#endif
