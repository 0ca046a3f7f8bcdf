/* Skills of agents: an edge `has_skill` from the agent's node to the skill. */
#ifndef LOCI_AGENT_SKILL_H
#define LOCI_AGENT_SKILL_H

#include "ctx.h"
#include "list.h"
#include "skill.h"

#define AGENT_SKILLS 500

struct agent_skill {
    struct uuid edge_id, agent_id, skill_id;
    const char *agent_name, *skill_name, *skill_slug, *category;
    enum skill_status status;
    int64_t priority;
    bool is_active;
    const char *version_req; /* NULL: any */
    struct instant attached_at;
};

struct agent_skill_put {
    struct uuid aid, sid;
    int64_t priority;
    bool is_active;
    const char *version_req;
};
/* Doing it again sets the rest. An agent does so for itself; for others a person, or whoever has skills.manage. */
err agent_skill_attach(struct ctx *c, const struct agent_skill_put *in, struct agent_skill *out);
err agent_skill_detach(struct ctx *c, const struct agent_skill_put *in);
/* Of an agent, highest priority first, or (agent nil) of a skill. */
err agent_skill_list(struct ctx *c, struct uuid agent_id, struct uuid skill_id, struct list *out);
/* Does a version meet what was required: "1.2.0", ">=1.2.0" or "^1.2.0"? */
bool version_req_is_valid(const char *req);
bool version_req_is_met(const char *req, const char *semver);

#endif
