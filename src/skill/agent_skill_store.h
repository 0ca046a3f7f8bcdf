/* SQL of skills of agents. */
#ifndef LOCI_AGENT_SKILL_STORE_H
#define LOCI_AGENT_SKILL_STORE_H

#include "agent_skill.h"

err agent_skill_store_list(struct ctx *c, struct uuid agent_id, struct uuid skill_id, struct uuids spaces, struct list *out);

#endif
