/* For whom shared memory is: each level stands for a namespace. */
#ifndef LOCI_AUDIENCE_H
#define LOCI_AUDIENCE_H

#include <stddef.h>

#include "ctx.h"
#include "enumx.h"

/* Wider from left to right. The last two live in the same namespace: the word is a mark for exports. */
#define AUDIENCE(X) \
    X(AUDIENCE_PRIVATE, "private") X(AUDIENCE_TEAM, "team") X(AUDIENCE_ACCOUNT, "account") X(AUDIENCE_GLOBAL, "global")
ENUMX_DECLARE(audience, AUDIENCE);

/* ERR_INVALID naming /team_id: a team is said only where it is for one. */
err audience_check(struct ctx *c, enum audience level, struct uuid team_id);
/* The namespace of the calling agent, of the team, or `global`, if the caller may write there. team_id nil: the only team in
 * whose namespace the caller may write; ERR_INVALID naming /team_id where there is not exactly one. */
err audience_space(struct ctx *c, enum audience level, struct uuid team_id, struct uuid *space_id);
/* That namespace and the wider ones that the caller may read, sorted. */
err audience_wider(struct ctx *c, enum audience level, struct uuid space_id, struct uuid **ids, size_t *n);
/* All namespaces of a level that the caller may read, sorted. */
err audience_readable(struct ctx *c, enum audience level, struct uuid **ids, size_t *n);

#endif
