/* SQL of proposals. */
#ifndef LOCI_SKILL_PROPOSAL_STORE_H
#define LOCI_SKILL_PROPOSAL_STORE_H

#include "skill_proposal.h"

err skill_proposal_store_lock(struct ctx *c, struct uuid id, bool *found, struct skill_proposal *out);
/* by: nil: of everybody, but drafts of others. */
err skill_proposal_store_list(struct ctx *c, const struct skill_proposal_filter *f, struct uuid by, struct uuid before, struct page *out);
err skill_proposal_store_open(struct ctx *c, struct uuid by, int64_t *n);
err skill_proposal_store_overdue(struct ctx *c, int64_t limit, struct list *out);
err skill_proposal_store_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
