/* The rows of agents, their parts and keys; only agent.c and agent_key.c include this. */
#ifndef LOCI_AGENT_STORE_H
#define LOCI_AGENT_STORE_H

#include "agent.h"

err agent_store_get(struct ctx *c, struct uuid id, bool *found, struct agent *out);
err agent_store_by_slug(struct ctx *c, const char *slug, bool *found, struct agent *out);
err agent_store_list(struct ctx *c, const struct agent_filter *f, struct uuid before, struct page *out);

err agent_store_roles(struct ctx *c, struct uuid id, struct strs *out);
err agent_store_set_roles(struct ctx *c, struct uuid id, struct strs roles);

err agent_key_store_insert(struct ctx *c, const struct agent_key *k);
/* Keys that are not revoked; locks the agent's row, so that the number holds until the transaction ends. */
err agent_key_store_count(struct ctx *c, struct uuid agent_id, int64_t *n);
err agent_key_store_list(struct ctx *c, struct uuid agent_id, int64_t limit, struct uuid before, struct agent_key **rows,
                         size_t *n);
err agent_key_store_revoke(struct ctx *c, struct uuid agent_id, struct uuid id, bool *found, int64_t *changed);

#endif
