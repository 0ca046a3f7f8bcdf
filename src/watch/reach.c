/* Whose things a caller may see; see reach.h. */
#include "reach.h"

#include "access.h"
#include "agent.h"
#include "err.h"
#include "reach_store.h"

err watch_reach(struct ctx *c, struct watch_reach *out)
{
    *out = (struct watch_reach){.all = c->who->kind != PRINCIPAL_AGENT};
    return out->all ? ERR_OK : reach_store_led(c, c->who->id, &out->agents);
}

bool watch_reaches(const struct watch_reach *r, struct uuid agent_id)
{
    for (size_t i = 0; i < r->agents.n && !r->all; i++)
        if (uuid_eq(r->agents.v[i], agent_id))
            return true;
    return r->all;
}

err watch_agent(struct ctx *c, struct uuid wanted, struct uuid *agent_id)
{
    struct watch_reach r;
    struct agent a;

    *agent_id = wanted;
    if (uuid_is_nil(wanted)) {
        *agent_id = c->who->id;
        return c->who->kind == PRINCIPAL_AGENT ? ERR_OK
               : fail_field(c, "/agent_id", "agent_id is required: only an agent has things of its own");
    }
    TRY(watch_reach(c, &r));
    return watch_reaches(&r, wanted) ? agent_get(c, wanted, &a) : fail(c, ERR_NOT_FOUND, "no such agent");
}

err watch_lock_agent(struct ctx *c, struct uuid agent_id)
{
    return reach_store_lock(c, &agent_id, 1);
}
