/* Grants: the rows that say who may read, write or manage a space. */
#ifndef LOCI_GRANT_H
#define LOCI_GRANT_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "ctx.h"
#include "enumx.h"
#include "field.h"
#include "page.h"
#include "thing_table.h"

#define GRANTEE_KIND(X) \
    X(GRANTEE_USER, "user") X(GRANTEE_AGENT, "agent") X(GRANTEE_TEAM, "team") X(GRANTEE_ROLE, "role") \
    X(GRANTEE_EVERYONE, "everyone")
ENUMX_DECLARE(grantee_kind, GRANTEE_KIND);

struct grant {
    struct uuid id, space_id;
    enum grantee_kind grantee_kind;
    const char *grantee_id;  /* id of a user, agent or team; name of a role; "" or NULL for everyone */
    enum access_level level; /* read, write or manage */
    struct uuid granted_by;
    struct instant created_at, expires_at;
    int64_t version;
};
extern const struct thing GRANT;

struct grant_change {
    struct given given; /* level, expires_at */
    struct uuid id;     /* of the space */
    struct uuid grant_id;
    int64_t if_version; /* 0 or less: any */
    enum access_level level;
    struct instant expires_at;
};

/* All doors to grants end here: /spaces, contexts, pools, pages and locictl. All need the level manage of the space and what the
 * room of its kind asks (space_room.h), which also keeps its log. A grantee who is not of this account: ERR_INVALID naming
 * /grantee_id; one who has a grant: ERR_CONFLICT; a grant that has expired is replaced. One exception: whoever holds memory.manage may grant a space of the account to themselves,
 * which the audit trail keeps as `grant.take`; the `system` namespace is out of reach even so. */
err grant_add(struct ctx *c, const struct grant *in, struct grant *out);
err grant_list(struct ctx *c, struct uuid space_id, int64_t limit, const char *cursor, struct page *out);
err grant_update(struct ctx *c, const struct grant_change *ch, struct grant *out);
err grant_remove(struct ctx *c, struct uuid space_id, struct uuid id, int64_t if_version);
/* Gives the grantee that level, whatever it was before; ACCESS_NONE takes it away (out is what was taken), ERR_NOT_FOUND where
 * there is no grant. */
err grant_set(struct ctx *c, const struct grant *in, struct grant *out);

/* For services that have asked the gate. All rows of a space, newest first; more than GRANTS_OF: ERR_CONFLICT. */
#define GRANTS_OF 2000
err grants_of(struct ctx *c, struct uuid space_id, struct grant **rows, size_t *n);
/* How many a space has; for pages that have asked the gate. */
err grant_number(struct ctx *c, struct uuid space_id, int64_t *n);
/* Is there such a user, agent, team or role in the account? */
err grant_can_be_to(struct ctx *c, enum grantee_kind kind, const char *grantee_id, bool *yes);
/* Inside the caller's transaction: makes `before` (NULL: there is none) what `after` says (NULL: nothing), with its event. */
err grant_replace(struct ctx *c, const struct grant *before, const struct grant *after);

/* Without the gate and without a check of the grantee, in the caller's transaction; no audit, no access_changed. */
err grant_make(struct ctx *c, const struct grant *in);
/* All grants to a user, agent, team or role that goes away; inside its transaction. */
err grant_forget_grantee(struct ctx *c, enum grantee_kind kind, const char *grantee_id);

#endif
