/* SQL of proposals. viewer: an agent that sees its own and those of agents it leads; nil: all are seen. */
#ifndef LOCI_PROPOSAL_STORE_H
#define LOCI_PROPOSAL_STORE_H

#include "proposal.h"

err proposal_store_get(struct ctx *c, struct uuid id, struct uuid viewer, bool lock, bool *found, struct proposal *out);
err proposal_store_list(struct ctx *c, const struct proposal_filter *f, struct uuid viewer, struct uuid before, struct page *out);
/* The row of the agent, locked, so that its proposals can be counted; not found: it is archived, or none of the viewer's. */
err proposal_store_agent(struct ctx *c, struct uuid agent_id, struct uuid viewer, bool *found);
err proposal_store_open(struct ctx *c, struct uuid agent_id, int64_t *of_agent, int64_t *of_account);
/* The person who gave the agent the token that it used last, else the first owner; nil: there is nobody. */
err proposal_store_reviewer(struct ctx *c, struct uuid agent_id, struct uuid *out);
err proposal_store_due_at(struct ctx *c, struct uuid id, struct instant at);
err proposal_store_overdue(struct ctx *c, int64_t limit, struct list *out);
err proposal_store_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
