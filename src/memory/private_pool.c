/* The pool of an agent, made at first use; see private_impl.h. */
#include "agent.h"
#include "db.h"
#include "pool_store.h"
#include "private_impl.h"
#include "private_store.h"

struct private_making {
    struct uuid agent_id;
    const char *slug, *name;
    struct space made;
};

static err private_pool_make(struct ctx *c, void *arg)
{
    struct private_making *m = arg;
    struct pool_policy policy;
    struct pool_row row = {.pool_type = POOL_AGENT_PRIVATE, .scope = POOL_SCOPE_AGENT, .metadata = json_obj(c->arena), .version = 1};

    TRY(pool_policy_read(c, NULL, &policy));
    policy.max_entries = PRIVATE_KEYS;
    policy.eviction = POOL_EVICT_LRU;
    row.retention_policy = pool_policy_json(c->arena, &policy);
    m->made = (struct space){.kind = SPACE_POOL, .slug = m->slug, .name = m->name, .owner_agent_id = m->agent_id};
    TRY(space_make(c, &(struct space){ .kind = SPACE_POOL, .slug = m->slug, .name = m->name, .owner_agent_id = m->agent_id,
                                           .description = "private memory of an agent" }, &m->made.id));
    row.space_id = m->made.id;
    TRY(pool_store_insert(c, &row));
    TRY(pool_tell_update(c, &m->made, &row, NULL));
    return access_changed(c);
}

static const char *slug_of(struct ctx *c, struct uuid agent_id)
{
    return arena_printf(c->arena, POOL_PRIVATE "%s", UUID_STR(agent_id));
}

err private_pool_there(struct ctx *c, struct uuid agent_id, bool *found, struct uuid *id)
{
    TRY(private_store_pool(c, slug_of(c, agent_id), agent_id, found, id));
    if (*found)
        space_widen(c, *id, ACCESS_READ);
    return ERR_OK;
}

err private_pool(struct ctx *c, struct uuid agent_id, struct space *out)
{
    struct private_making m = {.agent_id = agent_id, .slug = slug_of(c, agent_id)};
    struct uuid id;
    struct agent agent;
    bool found;
    err e;

    TRY(private_store_pool(c, m.slug, agent_id, &found, &id));
    if (!found) {
        TRY(agent_get(c, agent_id, &agent));
        m.name = arena_printf(c->arena, "%.200s Private Memory", agent.name);
        e = db_tx(c, private_pool_make, &m);
        if (e == ERR_CONFLICT)
            ctx_forgive(c); /* another request made it just now, or it was deleted: the next read tells */
        else
            TRY(e);
        TRY(private_store_pool(c, m.slug, agent_id, &found, &id));
    }
    if (!found)
        return space_why_missing(c, "the private pool of this agent", SPACE_POOL, m.slug, agent_id);
    space_widen(c, id, ACCESS_WRITE);
    return space_get(c, id, out);
}
