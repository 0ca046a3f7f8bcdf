/* SQL of the net of skills, and of teams that work with it. */
#ifndef LOCI_SKILL_NET_STORE_H
#define LOCI_SKILL_NET_STORE_H

#include "skill_net.h"

err skill_net_store_nodes(struct ctx *c, struct uuids spaces, bool archived, struct list *out);
struct skill_net_row {
    struct uuid id, source_id, target_id;
    const char *relation;
    double weight, confidence;
};
err skill_net_store_edges(struct ctx *c, struct list *out);
/* Of agents of a team (nil: of all active agents): which active skills they have; skill nil: none. */
struct skill_holder {
    struct uuid agent_id, skill_id;
    const char *agent_name, *category;
    double trust;
};
err skill_net_store_holders(struct ctx *c, struct uuid team_id, struct uuids spaces, struct list *out);

#endif
