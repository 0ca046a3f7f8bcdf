/* Whose merges and duplicates a caller may see and decide about: an agent those of its own spaces; people with memory.manage those of
 * what they may read and of every agent's own spaces, which the audit trail keeps. */
#ifndef LOCI_GOVERNED_H
#define LOCI_GOVERNED_H

#include "access.h"

/* ERR_FORBIDDEN: a person without memory.manage; ERR_NOT_FOUND as for what is not there. From here on this request may use the space. */
err governed_require(struct ctx *c, struct uuid space_id, enum access_level level);
/* After a list: what came from these spaces by permission alone is kept by the audit trail. */
err governed_note(struct ctx *c, const struct uuid *spaces, size_t n);
/* May the caller ask for a list at all? */
err governed_may_list(struct ctx *c);

#endif
