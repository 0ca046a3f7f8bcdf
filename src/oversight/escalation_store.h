/* SQL of escalations; only escalation.c includes this. */
#ifndef LOCI_ESCALATION_STORE_H
#define LOCI_ESCALATION_STORE_H

#include "escalation.h"
#include "str.h"

/* The unresolved escalation of that question, or one resolved without an answer since then; *found. */
err escalation_store_find(struct ctx *c, struct bytes question, struct instant since, bool *found, struct escalation *out);
err escalation_store_seen(struct ctx *c, struct uuid id);
/* Unresolved ones: of the agent, and of the account. */
err escalation_store_count(struct ctx *c, struct uuid agent_id, int64_t *of_agent, int64_t *of_account);
err escalation_store_list(struct ctx *c, const struct escalation_filter *f, struct uuid before, struct page *out);
/* Of that version and unresolved, or *changed is 0. */
err escalation_store_resolve(struct ctx *c, const struct escalation *e, int64_t *changed);

#endif
