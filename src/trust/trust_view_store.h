/* SQL of what trust is shown as; only this room's services include it. */
#ifndef LOCI_TRUST_VIEW_STORE_H
#define LOCI_TRUST_VIEW_STORE_H

#include "trust_store.h"
#include "trust_view.h"

/* Is `lead` a lead of a team that the agent is in; of that team? */
err trust_view_store_leads(struct ctx *c, struct uuid lead, struct uuid agent_id, bool *leads);
err trust_view_store_leads_team(struct ctx *c, struct uuid lead, struct uuid team_id, bool *leads);
/* Of struct agent_trust: its active members. */
err trust_view_store_team(struct ctx *c, struct uuid team_id, struct list *out);
err trust_view_store_history(struct ctx *c, struct uuid agent_id, struct list *out);
/* What waits for a person or for the agent, by kind. */
err trust_view_store_open(struct ctx *c, struct uuid agent_id, struct list *out);
/* Open goals in these spaces. */
err trust_view_store_goals(struct ctx *c, struct uuid agent_id, struct uuids spaces, struct list *out);
/* Live memories in its own spaces among these, by kind. */
err trust_view_store_memories(struct ctx *c, struct uuid agent_id, struct uuids spaces, struct list *out);
/* Tokens that are not revoked, and the last use of one. */
err trust_view_store_tokens(struct ctx *c, struct uuid agent_id, int64_t *n, struct instant *last);
err trust_view_store_spaces(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);

#endif
